-- The key that a client may repeat a request with, and what it asked for; both as hashes.
ALTER TABLE jobs ADD COLUMN idempotency_key bytea;
ALTER TABLE jobs ADD COLUMN idempotency_request bytea;
CREATE UNIQUE INDEX jobs_idempotency ON jobs (idempotency_key) WHERE idempotency_key IS NOT NULL;

-- The fence of the lease that the last crash was counted for: a worker that turns out to be alive takes the blame back.
ALTER TABLE crawl_tasks ADD COLUMN blamed_fence bigint;
