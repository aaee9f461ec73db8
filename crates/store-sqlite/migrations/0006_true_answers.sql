-- The key that a client may repeat a request with, and what it asked for; both as hashes.
ALTER TABLE jobs ADD COLUMN idempotency_key BLOB;
ALTER TABLE jobs ADD COLUMN idempotency_request BLOB;
CREATE UNIQUE INDEX jobs_idempotency ON jobs (idempotency_key) WHERE idempotency_key IS NOT NULL;

-- The worker that the last crash was counted for: if it turns out to be alive, the crash is taken back.
ALTER TABLE crawl_tasks ADD COLUMN blamed_worker TEXT;
CREATE INDEX crawl_tasks_blamed ON crawl_tasks (blamed_worker)
    WHERE blamed_worker IS NOT NULL AND status IN ('queued', 'processing');

-- Hashes of the URLs that a job found but did not admit, so that each is counted once in jobs.left_out. They are deleted
-- when the job has ended.
CREATE TABLE left_out_urls (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    url_hash INTEGER NOT NULL,
    PRIMARY KEY (job_id, url_hash)
) WITHOUT ROWID;
ALTER TABLE jobs ADD COLUMN has_left_out_urls INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_left_out ON jobs (updated_at) WHERE has_left_out_urls = 1 AND status NOT IN ('queued', 'running');
