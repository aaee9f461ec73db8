-- Lanes: one row for each job and host with tasks that may be claimed now or, after a retry, later. A claim looks for lanes
-- job by job, so that neither a large job nor one with many hosts keeps the others from being seen.
CREATE TABLE job_hosts (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    host_key TEXT NOT NULL,
    -- When a claim checks it again; the longest waiting lane of a job comes first.
    not_before INTEGER NOT NULL,
    PRIMARY KEY (host_key, job_id)
) STRICT;
CREATE INDEX job_hosts_waiting ON job_hosts (job_id, not_before, host_key);
INSERT INTO job_hosts (job_id, host_key, not_before)
SELECT job_id, host_key, min(not_before) FROM crawl_tasks WHERE status = 'queued' AND gated = 0 GROUP BY job_id, host_key;

-- What may be claimed, lane by lane, longest waiting first.
DROP INDEX crawl_tasks_ready;
CREATE INDEX crawl_tasks_ready ON crawl_tasks (job_id, host_key, not_before, id) WHERE status = 'queued' AND gated = 0;

-- `open_at` no longer depends on tasks: it is when a start and a slot are free.
DROP INDEX hosts_open;
ALTER TABLE hosts DROP COLUMN idle;
UPDATE hosts SET open_at = max(next_start, paused_until);
INSERT INTO hosts (host_key) SELECT DISTINCT host_key FROM job_hosts WHERE true ON CONFLICT DO NOTHING;
