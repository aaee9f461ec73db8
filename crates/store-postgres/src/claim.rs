//! Claiming: jobs in fair order, then the hosts of their lanes, then tasks, so that nothing that is blocked costs much.
//!
//! Nothing here waits for a lock. The tasks of a host are counted and taken in statements that begin after its row was
//! locked: a statement sees only what was committed before it began. Lanes are not locked: one that was found empty is
//! deleted only if it was not woken since it was read.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crawler_store::backend::{
    ClaimLane, ClaimedRow, LaneSearch, MAX_CLAIM, claimed_from, open_jobs, set_starts, taken_from,
    to_i64, to_millis,
};
use crawler_store::{ClaimRoom, Claimed, MAX_START_DELAY, StartSchedule, WorkerId};
use sqlx::{Connection, Error, PgConnection};
use uuid::Uuid;

use crate::open_jobs::JobsReader;
use crate::postgres_transaction::commit;
use crate::suspects::{Suspects, suspects};
use crate::{PostgresStore, lanes, rescue};

/// Maximum number of searches in a claim: the lanes of one may turn out to be empty.
const MAX_ROUNDS: usize = 16;
/// How often a claim searches again because another one has locked the hosts that it found.
const MAX_MISSES: usize = 2;

pub(crate) async fn claim(
    store: &PostgresStore,
    worker: &WorkerId,
    mut room: ClaimRoom,
    lease: Duration,
) -> Result<Vec<Claimed>, Error> {
    room.max = room.max.min(MAX_CLAIM);
    if room.max == 0 {
        return Ok(Vec::new());
    }
    // One connection for all: each time that a pool gives and takes one back, it is tested.
    let mut db = store.pool.acquire().await?;
    let mut reader = JobsReader::new(&mut db, worker);
    let jobs = open_jobs(&mut reader, &store.window, &store.shares).await?;
    let (blames, suspects) = (reader.blames, reader.suspects);
    if blames {
        rescue::take_back_blame(&mut db, worker).await?;
    }
    let horizon = to_millis(MAX_START_DELAY.min(lease)) as f64;
    let claim = Claim {
        store,
        worker,
        room: &room,
        lease,
        horizon,
    };
    let mut misses = 0;
    for _ in 0..MAX_ROUNDS {
        let search = lanes::search(store, &mut db, jobs.clone(), &room, horizon).await?;
        lanes::postpone_crowds(&mut db, &search.crowded).await?;
        let round = claim.take_from(&mut db, search, suspects).await?;
        misses += usize::from(round.missed);
        let again = round.emptied || round.missed && misses <= MAX_MISSES;
        if !round.claimed.is_empty() || !again {
            return Ok(round.claimed);
        }
    }
    Ok(Vec::new())
}

/// What a claim was called with.
struct Claim<'a> {
    store: &'a PostgresStore,
    worker: &'a WorkerId,
    room: &'a ClaimRoom,
    lease: Duration,
    horizon: f64,
}

/// What came of one search.
#[derive(Default)]
struct Round {
    claimed: Vec<Claimed>,
    /// A lane had no ready task.
    emptied: bool,
    /// A host was locked by another claim, or used by it meanwhile.
    missed: bool,
}

/// The number of ready tasks of each lane.
type ReadyTasks = HashMap<(Uuid, String), i64>;

/// A locked host, and the starts it has room for.
struct LockedHost {
    name: String,
    schedule: StartSchedule,
}

impl Claim<'_> {
    /// Claims from the lanes that were found.
    async fn take_from(
        &self,
        connection: &mut PgConnection,
        mut search: LaneSearch,
        any_suspects: bool,
    ) -> Result<Round, Error> {
        if search.hosts().is_empty() {
            lanes::postpone(connection, &search.postponed).await?;
            return Ok(Round::default());
        }
        let mut db = connection.begin().await?;
        let started = Instant::now();
        let wanted = search.hosts().len().min(self.room.max);
        let (hosts, ready) = self.lock_hosts(&mut db, &mut search).await?;
        let missed = hosts.len() < wanted;
        let rooms: HashMap<&str, i64> = hosts
            .iter()
            .map(|host| (host.name.as_str(), host.schedule.count))
            .collect();
        let lanes = search.lanes();
        let suspects = if any_suspects {
            let room = |lane: &ClaimLane<'_>| rooms.get(lane.host).copied().unwrap_or(0);
            let open: Vec<_> = lanes
                .iter()
                .copied()
                .filter(|lane| room(lane) > 0)
                .collect();
            match suspects(&mut db, &open, self.worker).await? {
                Some(suspects) => suspects,
                None => return Ok(Round::default()),
            }
        } else {
            Suspects::default()
        };
        let ready: Vec<i64> = lanes
            .iter()
            .map(|lane| ready.get(&(lane.job.id.0, lane.host.to_owned())))
            .map(|count| count.copied().unwrap_or(0))
            .collect();
        let allotment = self.store.shares.allot(&lanes, &ready, &rooms, self.room);
        let mut claimed = if suspects.alone.is_some() {
            let of_host = |lane: &ClaimLane<'_>| rooms.get(lane.host).copied().unwrap_or(0).min(1);
            let counts: Vec<i64> = lanes.iter().map(of_host).collect();
            self.take(&mut db, &lanes, &counts, &suspects).await?
        } else {
            self.take(&mut db, &lanes, &allotment.counts, &suspects)
                .await?
        };
        let schedules: HashMap<&str, &StartSchedule> = hosts
            .iter()
            .map(|host| (host.name.as_str(), &host.schedule))
            .collect();
        let schedule_of = |host: &str| schedules.get(host).copied();
        let taken_from_hosts = set_starts(&mut claimed, &lanes, &allotment, schedule_of);
        let taken = taken_from(&lanes, &claimed);
        self.advance(&mut db, &hosts, &taken_from_hosts).await?;
        let marks = search.marks();
        let checked = (0..lanes.len()).filter(|position| {
            let count = |counts: &[i64]| counts.get(*position).copied().unwrap_or(0);
            let used = count(&allotment.counts).max(count(&taken));
            // A lane without others keeps its place while it has tasks.
            let others = marks.get(*position).is_some_and(|(_, others)| *others);
            count(&ready) == 0 || used > 0 && (others || count(&ready) <= used)
        });
        let checked: Vec<_> = checked
            .filter_map(|position| Some((*lanes.get(position)?, *marks.get(position)?)))
            .collect();
        let emptied = lanes::advance(&mut db, &checked, &search.postponed).await?;
        begin_jobs(&mut db, &lanes, &claimed).await?;
        commit(db).await?;
        self.store.shares.charge(&lanes, &allotment, &taken);
        let age = started.elapsed();
        for task in &mut claimed {
            task.age = age;
        }
        Ok(Round {
            claimed,
            emptied,
            missed,
        })
    }

    /// Locks the first hosts that are open and not locked, keeps their lanes, and counts their slots in use and the ready
    /// tasks of the lanes.
    async fn lock_hosts(
        &self,
        db: &mut PgConnection,
        search: &mut LaneSearch,
    ) -> Result<(Vec<LockedHost>, ReadyTasks), Error> {
        let open = sqlx::query!(
            r#"SELECT h.host_key, h.interval_ms,
                      (extract(epoch FROM GREATEST(h.next_start, h.paused_until) - now()) * 1000)::bigint AS "next_start!",
                      h.wanted_until > now() AS "wanted!"
               FROM unnest($1::text[]) WITH ORDINALITY AS n(host_key, place) JOIN hosts h ON h.host_key = n.host_key
               WHERE h.host_key = ANY($1) AND h.open_at <= now() + $2 * interval '1 ms'
               ORDER BY n.place LIMIT $3 FOR NO KEY UPDATE OF h SKIP LOCKED"#,
            search.hosts(),
            self.horizon,
            to_i64(self.room.max as u64)
        )
        .fetch_all(&mut *db)
        .await?;
        let names: Vec<String> = open.iter().map(|host| host.host_key.clone()).collect();
        let locked: HashSet<&str> = names.iter().map(String::as_str).collect();
        search.keep_hosts(|host| locked.contains(host));
        let (jobs, hosts): (Vec<Uuid>, Vec<String>) = search
            .lanes()
            .into_iter()
            .map(|lane| (lane.job.id.0, lane.host.to_owned()))
            .unzip();
        let rows = sqlx::query!(
            r#"SELECT NULL::uuid AS job_id, host_key AS "host_key!", count(*) AS "count!" FROM (
                   SELECT host_key FROM crawl_tasks
                   WHERE host_key = ANY($1) AND status = 'processing' AND lease_until > now()
                   UNION ALL SELECT host_key FROM host_turns WHERE host_key = ANY($1) AND lease_until > now()
               ) slots GROUP BY host_key
               UNION ALL
               SELECT n.job_id, n.host_key, r.ready FROM unnest($2::uuid[], $3::text[]) AS n(job_id, host_key)
               CROSS JOIN LATERAL (
                   SELECT count(*) AS ready FROM (
                       SELECT 1 FROM crawl_tasks c
                       WHERE c.job_id = n.job_id AND c.host_key = n.host_key AND c.status = 'queued' AND NOT c.gated
                         AND c.not_before <= now() LIMIT $4) tasks
               ) r"#,
            &names,
            &jobs,
            &hosts,
            search.max_ready()
        )
        .fetch_all(db)
        .await?;
        let (mut held, mut ready) = (HashMap::new(), ReadyTasks::new());
        for row in rows {
            match row.job_id {
                Some(job) => ready.insert((job, row.host_key), row.count),
                None => held.insert(row.host_key, row.count),
            };
        }
        let limits = &self.store.options.limits;
        let hosts = open.into_iter().map(|host| {
            // A reserved slot counts as used: a request outside of any job waits for it.
            let used = held.get(&host.host_key).copied().unwrap_or(0) + i64::from(host.wanted);
            let bucket = limits.bucket(host.interval_ms, host.next_start, used);
            LockedHost {
                name: host.host_key,
                schedule: bucket.schedule(self.room.max, self.lease),
            }
        });
        Ok((hosts.collect(), ready))
    }

    /// Takes up to `counts` tasks from each lane, longest waiting first, or only the suspect that is tried alone.
    ///
    /// The picked tasks are an array, not a table to join with: an array is looked up by key however many rows the planner
    /// expects.
    async fn take(
        &self,
        db: &mut PgConnection,
        lanes: &[ClaimLane<'_>],
        counts: &[i64],
        suspects: &Suspects,
    ) -> Result<Vec<Claimed>, Error> {
        let chosen = lanes.iter().zip(counts).filter(|(_, count)| **count > 0);
        let (jobs, (hosts, rooms)): (Vec<Uuid>, (Vec<String>, Vec<i64>)) = chosen
            .map(|(lane, count)| (lane.job.id.0, (lane.host.to_owned(), *count)))
            .unzip();
        let taken = sqlx::query_as!(
            ClaimedRow,
            r#"WITH room AS (
                   SELECT job_id, host_key, room FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS r(job_id, host_key, room)
               ), picked AS MATERIALIZED (
                   SELECT t.id FROM room CROSS JOIN LATERAL (
                       SELECT c.id FROM crawl_tasks c
                       WHERE c.job_id = room.job_id AND c.host_key = room.host_key AND c.status = 'queued' AND NOT c.gated
                         AND c.not_before <= now() AND CASE WHEN $7::bigint IS NULL THEN c.crashes = 0 OR c.id = $8 ELSE c.id = $7 END
                       ORDER BY c.not_before, c.id LIMIT room.room FOR NO KEY UPDATE SKIP LOCKED
                   ) t LIMIT $4
               )
               UPDATE crawl_tasks t
               SET status = 'processing', fence = t.fence + 1, attempt = t.attempt + 1, worker = $5,
                   lease_until = now() + $6 * interval '1 ms', processing_started_at = now(),
                   heartbeat_at = now(), updated_at = now()
               WHERE t.id = ANY (ARRAY(SELECT id FROM picked))
               RETURNING t.id, t.job_id, t.fence, t.attempt, t.crashes, t.requested_url, t.url, t.final_url, t.host_key,
                         t.depth, t.hops, t.via, t.found"#,
            &jobs,
            &hosts,
            &rooms,
            to_i64(self.room.max as u64),
            self.worker.as_str(),
            to_millis(self.lease) as f64,
            suspects.alone,
            suspects.one
        )
        .fetch_all(db)
        .await?;
        Ok(claimed_from(taken, lanes))
    }

    /// Advances the buckets and sets when each host is checked again: not before a slot can be free, not before its next
    /// start. A settlement that frees a slot does the same under the host's lock.
    async fn advance(
        &self,
        db: &mut PgConnection,
        hosts: &[LockedHost],
        taken: &HashMap<String, i64>,
    ) -> Result<(), Error> {
        let names: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
        let counts = hosts
            .iter()
            .map(|host| taken.get(&host.name).copied().unwrap_or(0));
        let taken_from: Vec<bool> = counts.clone().map(|count| count > 0).collect();
        let next_starts = hosts.iter().zip(counts);
        let next_starts: Vec<i64> = next_starts
            .map(|(host, count)| host.schedule.next_start(count))
            .collect();
        sqlx::query!(
            "UPDATE hosts h
             SET next_start = CASE WHEN n.taken THEN n.next_start ELSE h.next_start END,
                 open_at = GREATEST(h.paused_until, CASE WHEN n.taken THEN n.next_start ELSE h.next_start END, n.slot_free)
             FROM (
                 SELECT u.host_key, u.taken, now() + u.millis * interval '1 ms' AS next_start,
                        (SELECT CASE WHEN count(*) >= $4 THEN min(s.lease_until) END FROM (
                             SELECT t.lease_until FROM crawl_tasks t
                             WHERE t.host_key = u.host_key AND t.status = 'processing' AND t.lease_until > now()
                             UNION ALL SELECT o.lease_until FROM host_turns o
                             WHERE o.host_key = u.host_key AND o.lease_until > now()) s) AS slot_free
                 FROM unnest($1::text[], $2::boolean[], $3::bigint[]) AS u(host_key, taken, millis)
             ) n WHERE h.host_key = n.host_key",
            &names,
            &taken_from,
            &next_starts,
            i64::from(self.store.options.limits.hosts.in_flight)
        )
        .execute(db)
        .await?;
        Ok(())
    }
}

/// Marks jobs as running. A locked one is being settled or ended, and that transaction will mark it.
async fn begin_jobs(
    db: &mut PgConnection,
    lanes: &[ClaimLane<'_>],
    claimed: &[Claimed],
) -> Result<(), Error> {
    let queued = lanes.iter().map(|lane| lane.job).filter(|job| job.queued);
    let mut jobs: Vec<Uuid> = queued
        .filter(|job| claimed.iter().any(|task| task.job == job.id))
        .map(|job| job.id.0)
        .collect();
    jobs.sort_unstable();
    jobs.dedup();
    if jobs.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "UPDATE jobs SET status = 'running', deadline_at = now() + max_duration_ms * interval '1 ms', updated_at = now()
         WHERE id IN (
             SELECT id FROM jobs WHERE id = ANY($1) AND status = 'queued' FOR NO KEY UPDATE SKIP LOCKED)",
        &jobs
    )
    .execute(db)
    .await?;
    Ok(())
}
