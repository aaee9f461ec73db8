-- The API key that created a job, and the job's priority among those of its owner.
ALTER TABLE jobs ADD COLUMN owner TEXT NOT NULL DEFAULT 'local';
ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 5 CHECK (priority BETWEEN 0 AND 9);
CREATE INDEX jobs_of_owner ON jobs (owner, id);

ALTER TABLE api_keys ADD COLUMN role TEXT NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'admin'));
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
ALTER TABLE api_keys ADD COLUMN quota TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(quota));
-- The secret before the last rotation, valid for a while longer.
ALTER TABLE api_keys ADD COLUMN previous_hash BLOB;
ALTER TABLE api_keys ADD COLUMN previous_until INTEGER;
CREATE UNIQUE INDEX api_keys_previous ON api_keys (previous_hash) WHERE previous_hash IS NOT NULL;
