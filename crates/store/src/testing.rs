//! The contract of a store as tests: each rule is a function over any [`StoreFixture`]. A crate that implements a store
//! runs all of them with [`conformance!`](crate::conformance); behavior of one store alone is tested there.

mod builders;
pub mod claims;
pub mod creation;
pub mod fences;
pub mod idempotency;
pub mod keys;
pub mod large_settlements;
pub mod left_out;
pub mod limits;
pub mod long_queue;
pub mod one_job;
pub mod owners;
pub mod politeness;
pub mod quotas;
pub mod reading;
pub mod redirects;
pub mod service;
pub mod settling;
pub mod shares;
pub mod suspects;
pub mod traps;
pub mod turns;
pub mod write_waits;

use std::future::Future;
use std::time::Duration;

use crate::{Store, StoreLimits};

pub use builders::{LEASE, crawl, done, fast, owner, page, pages};

/// A fresh store for one test.
pub trait StoreFixture: Send + Sync {
    /// The store under test.
    type Store: Store;

    /// Whether writers wait for one another and get their turns in the order of their arrival.
    const WRITERS_TAKE_TURNS: bool;

    /// Opens a handle with its own connections; all handles of one fixture use the same store.
    fn open(
        &self,
        limits: impl Into<StoreLimits> + Send,
    ) -> impl Future<Output = Self::Store> + Send;

    /// Moves the deadlines of all jobs to the past.
    fn age_jobs(&self, by: Duration) -> impl Future<Output = ()> + Send;

    /// Counts the rows of all jobs and tasks, whether they are visible or not.
    fn count_rows(&self) -> impl Future<Output = (u64, u64)> + Send;
}

/// Defines one test per rule. `$fresh` is an async function that creates a [`StoreFixture`].
#[macro_export]
macro_rules! conformance {
    ($fresh:path) => {
        $crate::conformance_rules! { $fresh;
            claims::two_claimers_never_get_the_same_task,
            claims::a_claim_takes_at_most_the_requested_number,
            claims::attempts_are_counted_at_the_claim,
            claims::a_retry_waits_for_its_delay,
            claims::a_task_handed_back_uses_no_attempt,
            claims::a_postponed_task_uses_no_attempt_and_waits,
            claims::the_first_claim_makes_a_job_running,
            claims::an_admitted_task_is_returned_unchanged,
            creation::a_large_job_is_complete,
            creation::a_large_job_is_created_in_parts,
            creation::an_abandoned_job_is_deleted,
            creation::a_quota_ends_no_job_that_is_created,
            creation::a_large_job_has_its_key,
            creation::the_clock_starts_at_the_first_claim,
            creation::a_job_that_is_never_started_ends,
            fences::a_stale_fence_writes_nothing,
            fences::one_lost_lease_does_not_fail_the_batch,
            fences::a_lease_settles_once,
            fences::a_lease_does_not_settle_under_another_job,
            fences::renewing_returns_lost_leases,
            fences::a_renewal_carries_its_fence,
            fences::rescue_leaves_live_leases_alone,
            fences::a_settlement_and_a_rescue_never_both_win,
            fences::the_only_owner_takes_back_everything,
            fences::cancelling_takes_tasks_from_workers,
            suspects::a_task_that_crashes_its_worker_alone_three_times_is_poisoned,
            suspects::a_worker_has_one_suspect_at_a_time,
            suspects::a_suspect_that_was_held_again_is_tried_alone,
            suspects::a_suspect_stops_no_other_job_at_its_host,
            suspects::tasks_held_together_are_not_poisoned,
            suspects::a_suspended_worker_blames_no_task,
            suspects::a_claim_whose_response_was_lost_blames_no_task,
            suspects::a_task_that_stalls_its_workers_is_given_up,
            suspects::tasks_beside_a_stalling_one_are_finished,
            left_out::a_url_is_left_out_once,
            left_out::a_url_that_is_admitted_later_is_not_left_out,
            left_out::hashes_of_left_out_urls_are_deleted_after_the_end,
            traps::refused_urls_are_skipped_tasks,
            traps::a_refused_url_moves_no_task,
            traps::a_refused_url_is_admitted_when_another_page_leads_to_it,
            traps::at_most_so_many_refused_urls_are_stored,
            traps::refused_urls_that_are_not_stored_are_counted_once,
            idempotency::a_repeated_request_finds_its_job,
            idempotency::concurrent_requests_with_one_key_create_one_job,
            idempotency::a_key_ends_with_its_job,
            settling::a_job_is_created_completely_or_not_at_all,
            settling::a_key_is_admitted_once,
            settling::the_state_follows_from_the_tasks,
            settling::the_last_two_tasks_always_end_the_job,
            settling::pages_that_link_to_each_other_do_not_deadlock,
            settling::one_document_per_final_url,
            settling::odd_text_does_not_fail_its_batch,
            large_settlements::very_many_links_are_admitted_once,
            large_settlements::very_many_links_wait_for_their_level,
            large_settlements::writers_take_turns_with_the_parts,
            large_settlements::a_lease_lost_between_parts_admits_nothing_more,
            large_settlements::a_settlement_interrupted_between_parts_can_be_repeated,
            limits::max_tasks_is_exact,
            limits::max_bytes_ends_a_job,
            limits::the_deadline_ends_a_job,
            limits::a_level_waits_for_the_previous_one,
            limits::a_page_found_nearer_moves_up,
            limits::a_waiting_retry_does_not_keep_the_gate_closed,
            limits::without_a_depth_limit_there_is_no_gate,
            limits::a_job_without_seeds_has_failed,
            limits::a_large_job_is_cancelled_in_steps,
            limits::a_large_level_opens_in_parts,
            limits::a_redirects_target_takes_its_place,
            politeness::three_claimers_respect_one_hosts_rate_and_slots,
            politeness::a_paused_host_is_not_claimed_and_blocks_no_other,
            politeness::a_crawl_delay_is_obeyed,
            politeness::a_dead_worker_leaks_no_slot,
            politeness::a_full_host_opens_when_a_task_settles,
            politeness::a_reserved_start_is_used_once,
            politeness::no_start_is_after_the_end_of_the_lease,
            politeness::new_hosts_queue_behind_waiting_ones,
            redirects::a_redirect_that_closes_a_loop_fails,
            redirects::one_redirect_of_each_loop_fails,
            reading::lists_are_paginated,
            reading::jobs_are_listed_newest_first,
            reading::an_invalid_cursor_is_refused,
            reading::an_export_is_complete,
            reading::events_have_no_gaps,
            shares::owners_and_their_jobs_take_turns_at_one_host,
            shares::owners_share_by_weight,
            shares::priority_orders_the_jobs_of_an_owner,
            shares::a_job_with_one_page_does_not_wait_for_a_large_one,
            shares::many_hosts_are_one_share,
            shares::blocked_hosts_do_not_hide_open_ones,
            shares::a_slot_that_becomes_free_is_offered_to_all,
            shares::a_crowd_at_one_host_is_served,
            shares::an_owner_with_slow_pages_holds_no_more_than_its_share,
            shares::starts_keep_the_order_of_turns,
            shares::no_ready_task_is_without_a_lane,
            shares::very_many_jobs_hide_no_other,
            keys::keys_are_active_until_revoked,
            keys::keys_have_a_role_a_quota_and_an_expiry,
            keys::a_rotated_key_keeps_its_name,
            keys::a_rotation_renews_an_expired_key,
            keys::the_last_use_of_a_key_is_stored,
            owners::a_job_exists_for_its_owner_only,
            owners::a_job_is_cancelled_by_its_owner_only,
            owners::a_job_keeps_its_owner_and_priority,
            quotas::parallel_requests_do_not_exceed_open_jobs,
            quotas::parallel_requests_do_not_exceed_queued_tasks,
            quotas::a_key_has_its_own_quota,
            quotas::a_repeated_request_needs_no_quota,
            quotas::links_beyond_the_queue_are_left_out,
            quotas::pages_are_counted_with_their_tasks,
            quotas::jobs_end_with_the_pages_of_the_day,
            quotas::jobs_that_render_end_with_the_browser_seconds,
            quotas::a_long_job_ends_at_once_with_a_quota,
            quotas::stored_results_are_counted_until_they_are_deleted,
            quotas::every_end_of_a_task_is_counted,
            service::robots_are_stored_by_origin,
            service::old_jobs_are_pruned_in_bounded_steps,
            service::large_documents_are_pruned_in_bounded_steps,
            service::hosts_without_work_and_old_robots_are_pruned,
            service::a_working_store_is_ready,
            service::statistics_count_open_jobs_and_tasks,
            service::reconciling_a_healthy_store_changes_nothing,
            turns::turns_and_tasks_share_a_hosts_slots,
            turns::turns_and_tasks_share_a_hosts_starts,
            turns::a_turn_that_is_not_given_back_ends_with_its_lease,
            turns::the_next_slot_goes_to_a_waiting_turn,
            turns::a_pause_applies_to_turns,
            turns::a_fixed_interval_replaces_crawl_delays,
        }
    };
}

/// Defines the tests of a list of rules; see [`conformance!`](crate::conformance).
#[macro_export]
macro_rules! conformance_rules {
    ($fresh:path; $($module:ident :: $rule:ident),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                let fixture = $fresh().await;
                $crate::testing::$module::$rule(&fixture).await;
            }
        )*
    };
}
