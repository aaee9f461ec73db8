-- The key that a client may repeat a request with, and what it asked for; both as hashes.
ALTER TABLE jobs ADD COLUMN idempotency_key bytea;
ALTER TABLE jobs ADD COLUMN idempotency_request bytea;
CREATE UNIQUE INDEX jobs_idempotency ON jobs (idempotency_key) WHERE idempotency_key IS NOT NULL;
