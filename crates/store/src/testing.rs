//! The contract as tests: each rule of a store, as a function over any [`Ground`]. A crate that implements the trait
//! runs all of them with [`conformance!`](crate::conformance); a rule that holds in one store only is tested there.

pub mod claims;
pub mod fences;
pub mod limits;
pub mod politeness;
pub mod reading;
pub mod service;
pub mod settling;
mod stage;
pub mod turns;

use std::future::Future;

use crate::{HostDefaults, Store};

pub use stage::{LEASE, crawl, done, fast, page, pages};

/// A store of one test's own.
pub trait Ground: Send + Sync {
    /// What is tested.
    type Store: Store;

    /// A handle with connections of its own; all handles of one ground are on the same store.
    fn open(&self, hosts: HostDefaults) -> impl Future<Output = Self::Store> + Send;
}

/// Every rule as a test of its own. `$fresh` is an async function that makes a [`Ground`].
#[macro_export]
macro_rules! conformance {
    ($fresh:path) => {
        $crate::conformance_rules! { $fresh;
            claims::two_claimers_never_get_the_same_task,
            claims::a_claim_takes_no_more_than_asked_for,
            claims::attempts_are_counted_at_the_claim,
            claims::a_retry_waits_its_time,
            claims::a_task_handed_back_was_not_tried,
            claims::the_first_claim_makes_a_job_running,
            claims::what_was_admitted_comes_back_whole,
            fences::a_stale_fence_writes_nothing,
            fences::one_lost_lease_does_not_cost_the_batch,
            fences::a_lease_settles_once,
            fences::a_lease_of_another_job_is_none,
            fences::renewing_tells_what_is_lost,
            fences::a_renewal_carries_its_fence,
            fences::rescue_leaves_live_leases_alone,
            fences::a_settlement_and_a_rescue_never_both_win,
            fences::the_only_owner_takes_back_everything,
            fences::a_task_that_ends_its_worker_three_times_is_poisoned,
            fences::cancelling_takes_tasks_from_workers,
            settling::a_job_is_made_whole_or_not_at_all,
            settling::a_key_is_let_in_once,
            settling::the_state_follows_from_the_tasks,
            settling::the_last_two_tasks_always_end_the_job,
            settling::pages_that_link_to_each_other_do_not_deadlock,
            settling::a_checkpoint_is_written_with_its_batch,
            settling::one_document_per_final_url,
            settling::odd_text_does_not_fail_its_batch,
            limits::max_tasks_is_exact,
            limits::max_bytes_ends_a_job,
            limits::the_deadline_ends_a_job,
            limits::a_level_waits_for_the_one_before,
            limits::a_page_found_nearer_moves_up,
            limits::a_waiting_retry_does_not_hold_the_gate,
            limits::without_a_depth_limit_there_is_no_gate,
            limits::a_job_without_seeds_has_failed,
            limits::a_large_job_is_cancelled_in_steps,
            limits::a_large_level_opens_in_parts,
            limits::a_redirects_target_takes_its_place,
            politeness::three_claimers_keep_one_hosts_rate_and_slots,
            politeness::a_paused_host_gives_nothing_and_holds_up_nobody,
            politeness::a_crawl_delay_holds,
            politeness::a_dead_worker_leaks_no_slot,
            politeness::a_full_host_opens_when_a_task_settles,
            politeness::no_start_lies_beyond_the_lease,
            politeness::new_hosts_stand_behind_those_that_wait,
            reading::lists_come_in_pages,
            reading::jobs_are_listed_newest_first,
            reading::a_foreign_cursor_is_refused,
            reading::an_export_has_everything,
            reading::events_have_no_gaps,
            service::keys_are_known_by_hash_until_revoked,
            service::robots_are_kept_by_origin,
            service::old_jobs_are_forgotten_in_bounded_steps,
            service::hosts_without_work_and_old_robots_are_forgotten,
            service::a_store_that_works_is_ready,
            service::statistics_tell_what_is_alive,
            service::reconciling_a_healthy_store_changes_nothing,
            turns::turns_and_tasks_share_a_hosts_slots,
            turns::turns_and_tasks_share_a_hosts_starts,
            turns::a_turn_that_is_not_given_back_ends_with_its_lease,
            turns::the_next_slot_goes_to_whoever_waits_for_a_turn,
            turns::a_pause_holds_for_turns,
        }
    };
}

/// The tests of a list of rules; see [`conformance!`](crate::conformance).
#[macro_export]
macro_rules! conformance_rules {
    ($fresh:path; $($room:ident :: $rule:ident),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                let ground = $fresh().await;
                $crate::testing::$room::$rule(&ground).await;
            }
        )*
    };
}
