-- What jobs count against the quotas of their owner. Results from before are not counted.
ALTER TABLE jobs ADD COLUMN open_tasks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE jobs SET open_tasks = (
    SELECT count(*) FROM crawl_tasks t WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing'))
WHERE status IN ('queued', 'running');
CREATE INDEX jobs_open_of_owner ON jobs (owner) WHERE status IN ('queued', 'running');

-- What was counted for an owner on a day (days since 1970, UTC). Day 0 has the stored bytes of all earlier days.
CREATE TABLE owner_usage (
    owner TEXT NOT NULL,
    day INTEGER NOT NULL,
    pages INTEGER NOT NULL DEFAULT 0,
    browser_ms INTEGER NOT NULL DEFAULT 0,
    stored_bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, day)
) STRICT;
CREATE INDEX owner_usage_days ON owner_usage (day);
