-- What jobs count against the quotas of their owner. Results from before are not counted.
ALTER TABLE jobs ADD COLUMN open_tasks bigint NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN stored_bytes bigint NOT NULL DEFAULT 0;
UPDATE jobs SET open_tasks = (
    SELECT count(*) FROM crawl_tasks t WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing'))
WHERE status IN ('queued', 'running');
CREATE INDEX jobs_open_of_owner ON jobs (owner) WHERE status IN ('queued', 'running');

-- What each process counted for an owner on a day (days since 1970, UTC). A process writes only its own rows, so
-- settlements of several processes do not wait for each other. Day 0 has the stored bytes of all earlier days.
CREATE TABLE owner_usage (
    owner text NOT NULL,
    day bigint NOT NULL,
    process uuid NOT NULL,
    pages bigint NOT NULL DEFAULT 0,
    browser_ms bigint NOT NULL DEFAULT 0,
    stored_bytes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, day, process)
);
CREATE INDEX owner_usage_days ON owner_usage (day);
