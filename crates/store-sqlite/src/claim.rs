//! Claiming: jobs in fair order, then the hosts of their lanes, then tasks, so that nothing that is blocked costs much.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use crawler_store::backend::{
    Backend, ClaimLane, ClaimedRow, LaneSearch, MAX_CLAIM, OpenJob, claimed_from, open_jobs,
    set_starts, taken_from, to_millis,
};
use crawler_store::{ClaimRoom, Claimed, MAX_START_DELAY, StartSchedule, WorkerId};
use serde_json::{Value, json};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqliteConnection};

use crate::open_jobs::JobsReader;
use crate::sqlite_transaction::{SqliteTransaction, clock};
use crate::suspects::{Suspects, holds_tasks, suspects};
use crate::{SqliteStore, lanes, rescue};

/// Maximum number of searches in a claim: the lanes of one may turn out to be empty.
const MAX_ROUNDS: usize = 16;
/// How often a claim searches again because another one has used the hosts that it found.
const MAX_MISSES: usize = 2;

pub(crate) async fn claim(
    store: &SqliteStore,
    worker: &WorkerId,
    mut room: ClaimRoom,
    lease: Duration,
) -> Result<Vec<Claimed>, Error> {
    room.max = room.max.min(MAX_CLAIM);
    if room.max == 0 {
        return Ok(Vec::new());
    }
    // The search holds no lock: what it found is read again in the transaction.
    let mut db = store.readers.acquire().await?;
    let now = clock(&mut db).await?;
    let mut reader = JobsReader { db: &mut db, now };
    let jobs = open_jobs(&mut reader, &store.window, &store.shares).await?;
    drop(db);
    let mut misses = 0;
    for _ in 0..MAX_ROUNDS {
        let search = search(store, jobs.clone(), &room, lease).await?;
        let SqliteTransaction { mut db, now } = store.begin().await?;
        let started = Instant::now();
        rescue::take_back_blame(&mut db, worker).await?;
        let suspects = suspects(&mut db, worker, now).await?;
        let claim = Claim {
            store,
            worker,
            room: &room,
            lease,
            now,
        };
        let mut round = Round::default();
        if !suspects.holds_alone {
            round = claim.round(&mut db, search, &suspects).await?;
            mark_running(&mut db, &round.claimed, now).await?;
        }
        // Also commits what `take_back_blame` changed.
        db.commit().await?;
        misses += usize::from(round.missed);
        let again = round.emptied || round.missed && misses <= MAX_MISSES;
        if !round.claimed.is_empty() || !again {
            let age = started.elapsed();
            for task in &mut round.claimed {
                task.age = age;
            }
            return Ok(round.claimed);
        }
    }
    Ok(Vec::new())
}

/// Finds the lanes that a claim takes from.
async fn search(
    store: &SqliteStore,
    jobs: Vec<OpenJob>,
    room: &ClaimRoom,
    lease: Duration,
) -> Result<LaneSearch, Error> {
    let horizon = to_millis(MAX_START_DELAY.min(lease));
    let mut db = store.readers.acquire().await?;
    let now = clock(&mut db).await?;
    let mut search = LaneSearch::of(&store.shares, jobs, room.max);
    while let Some(part) = search.next_part() {
        let rows = lanes::of_jobs(&mut db, &part, now, horizon).await?;
        search.add(rows);
    }
    search.choose(&store.shares, room.max, room);
    Ok(search)
}

/// What came of one search.
#[derive(Default)]
struct Round {
    claimed: Vec<Claimed>,
    /// A lane had no ready task.
    emptied: bool,
    /// A host was used by another claim meanwhile.
    missed: bool,
}

/// What a claim was called with, and its time.
struct Claim<'a> {
    store: &'a SqliteStore,
    worker: &'a WorkerId,
    room: &'a ClaimRoom,
    lease: Duration,
    now: i64,
}

impl Claim<'_> {
    /// Claims from the lanes of one search.
    async fn round(
        &self,
        db: &mut SqliteConnection,
        search: LaneSearch,
        suspects: &Suspects,
    ) -> Result<Round, Error> {
        let shares = &self.store.shares;
        lanes::postpone(&mut *db, &search, self.now).await?;
        let schedules = self.schedules(&mut *db, &search).await?;
        let rooms: HashMap<&str, i64> = schedules
            .iter()
            .map(|(host, schedule)| (host.as_str(), schedule.count))
            .collect();
        let lanes = search.lanes();
        let ready = lanes::ready(&mut *db, &search, self.now).await?;
        let allotment = shares.allot(&lanes, &ready, &rooms, self.room);
        let room = |host: &str| rooms.get(host).copied().unwrap_or(0);
        let open: Vec<_> = lanes
            .iter()
            .copied()
            .filter(|lane| room(lane.host) > 0)
            .collect();
        let alone = suspects.alone(&open);
        if alone.is_some() && holds_tasks(&mut *db, self.worker).await? {
            return Ok(Round::default());
        }
        let chosen = (
            alone.map(|task| task.id),
            suspects.beside(&open).map(|task| task.id),
        );
        let counts = lanes
            .iter()
            .zip(&allotment.counts)
            .map(|(lane, count)| match alone {
                Some(alone) => i64::from(alone.is_of(lane)),
                None => *count,
            });
        let counts: Vec<i64> = counts.collect();
        let mut claimed = self.take(&mut *db, &lanes, &counts, chosen).await?;
        let from_hosts = set_starts(&mut claimed, &lanes, &allotment, |host| schedules.get(host));
        let marks = search.marks();
        let tried = lanes.iter().zip(&marks).zip(counts.iter().zip(&ready));
        let checked = tried
            .filter(|(_, (count, ready))| **count > 0 || **ready == 0)
            .map(|((lane, (_, others)), _)| {
                let count = from_hosts.get(lane.host).copied().unwrap_or(0);
                let next_start = schedules.get(lane.host).map(|one| one.next_start(count));
                (lane, *others, self.now + next_start.unwrap_or(0))
            });
        let checked: Vec<_> = checked.collect();
        let emptied = lanes::advance(&mut *db, &checked, self.now).await?;
        let next_starts = schedules.iter().map(|(host, schedule)| {
            let count = from_hosts.get(host).copied().unwrap_or(0);
            let next_start = (count > 0).then(|| self.now + schedule.next_start(count));
            json!([host, next_start])
        });
        self.advance_hosts(&mut *db, next_starts.collect()).await?;
        shares.charge(&lanes, &allotment, &taken_from(&lanes, &claimed));
        Ok(Round {
            claimed,
            emptied,
            missed: schedules.values().any(|schedule| schedule.count == 0),
        })
    }

    /// The starts that each host of a search has room for.
    async fn schedules(
        &self,
        db: &mut SqliteConnection,
        search: &LaneSearch,
    ) -> Result<HashMap<String, StartSchedule>, Error> {
        let names = json!(search.hosts()).to_string();
        let rows = sqlx::query!(
            r#"SELECT h.host_key, h.interval_ms, max(h.next_start, h.paused_until) AS "next_start!: i64",
                      h.wanted_until > ?2 AS "wanted!: bool",
                      (SELECT count(*) FROM crawl_tasks t
                       WHERE t.host_key = h.host_key AND t.status = 'processing' AND t.lease_until > ?2)
                      + (SELECT count(*) FROM host_turns o
                         WHERE o.host_key = h.host_key AND o.lease_until > ?2) AS "held!: i64"
               FROM json_each(?1) n CROSS JOIN hosts h WHERE h.host_key = n.value"#,
            names,
            self.now
        )
        .fetch_all(db)
        .await?;
        let limits = &self.store.options.limits;
        let schedules = rows.into_iter().map(|host| {
            // A reserved slot counts as used: a request outside of any job waits for it.
            let used = host.held + i64::from(host.wanted);
            let bucket = limits.bucket(host.interval_ms, host.next_start - self.now, used);
            (host.host_key, bucket.schedule(self.room.max, self.lease))
        });
        Ok(schedules.collect())
    }

    /// Takes up to `counts` tasks from each lane that are not suspects, longest waiting first, and possibly one suspect; or only
    /// the one that is tried alone.
    ///
    /// A limit cannot be a column in SQLite, so lanes with the same count are taken from together.
    async fn take(
        &self,
        db: &mut SqliteConnection,
        lanes: &[ClaimLane<'_>],
        counts: &[i64],
        (alone, one): (Option<i64>, Option<i64>),
    ) -> Result<Vec<Claimed>, Error> {
        let name = self.worker.as_str();
        let until = self.now + to_millis(self.lease);
        let mut by_count: BTreeMap<i64, Vec<Value>> = BTreeMap::new();
        for (lane, count) in lanes.iter().zip(counts) {
            if *count > 0 {
                let row = json!([lane.job.id.to_string(), lane.host]);
                by_count.entry(*count).or_default().push(row);
            }
        }
        let mut taken = Vec::new();
        for (count, rows) in by_count {
            let rows = Value::from(rows).to_string();
            let part = sqlx::query_as!(
                ClaimedRow,
                r#"UPDATE crawl_tasks
                   SET status = 'processing', fence = fence + 1, attempt = attempt + 1, worker = ?1, lease_until = ?2,
                       processing_started_at = ?3, heartbeat_at = ?3, updated_at = ?3
                   WHERE id IN (
                       SELECT t.id FROM json_each(?4) n CROSS JOIN crawl_tasks t WHERE t.id IN (
                           SELECT c.id FROM crawl_tasks c INDEXED BY crawl_tasks_ready
                           WHERE c.job_id = n.value ->> 0 AND c.host_key = n.value ->> 1 AND c.status = 'queued'
                             AND c.gated = 0 AND c.not_before <= ?3
                             AND CASE WHEN ?6 IS NULL THEN c.crashes = 0 OR c.id = ?7 ELSE c.id = ?6 END
                           ORDER BY c.not_before, c.id LIMIT ?5))
                   RETURNING id AS "id!", job_id AS "job_id!: Hyphenated", fence AS "fence!", attempt AS "attempt!",
                             requested_url AS "requested_url!", url AS "url!", final_url AS "final_url!",
                             depth AS "depth!", hops AS "hops!", via, found AS "found!", host_key AS "host_key!",
                             crashes AS "crashes!""#,
                name,
                until,
                self.now,
                rows,
                count,
                alone,
                one
            )
            .fetch_all(&mut *db)
            .await?;
            taken.extend(part);
        }
        Ok(claimed_from(taken, lanes))
    }

    /// Advances the buckets and sets when each host is checked again: not before a slot can be free, not before its next
    /// start. A settlement that frees a slot does the same. `next_starts`: hosts, each with its next start if tasks were
    /// taken from it.
    async fn advance_hosts(
        &self,
        db: &mut SqliteConnection,
        next_starts: Value,
    ) -> Result<(), Error> {
        let max_in_flight = i64::from(self.store.options.limits.hosts.in_flight);
        let next_starts = next_starts.to_string();
        sqlx::query!(
            "UPDATE hosts
             SET next_start = coalesce(n.value ->> 1, next_start),
                 open_at = max(paused_until, coalesce(n.value ->> 1, next_start), coalesce(
                     (SELECT CASE WHEN count(*) >= ?2 THEN min(lease_until) END FROM (
                          SELECT lease_until FROM crawl_tasks t
                          WHERE t.host_key = hosts.host_key AND t.status = 'processing' AND t.lease_until > ?3
                          UNION ALL SELECT lease_until FROM host_turns o
                          WHERE o.host_key = hosts.host_key AND o.lease_until > ?3)), 0))
             FROM json_each(?1) n WHERE host_key = n.value ->> 0",
            next_starts,
            max_in_flight,
            self.now
        )
        .execute(db)
        .await?;
        Ok(())
    }
}

/// Marks the jobs of the claimed tasks as running.
async fn mark_running(
    db: &mut SqliteConnection,
    claimed: &[Claimed],
    now: i64,
) -> Result<(), Error> {
    if claimed.is_empty() {
        return Ok(());
    }
    let jobs: BTreeSet<String> = claimed.iter().map(|task| task.job.to_string()).collect();
    let jobs = json!(jobs).to_string();
    sqlx::query!(
        "UPDATE jobs SET status = 'running', deadline_at = ?1 + max_duration_ms, updated_at = ?1
         WHERE id IN (SELECT value FROM json_each(?2)) AND status = 'queued'",
        now,
        jobs
    )
    .execute(db)
    .await?;
    Ok(())
}
