-- The API key that created a job, and the job's priority among those of its owner.
ALTER TABLE jobs ADD COLUMN owner text NOT NULL DEFAULT 'local';
ALTER TABLE jobs ADD COLUMN priority integer NOT NULL DEFAULT 5 CHECK (priority BETWEEN 0 AND 9);
CREATE INDEX jobs_of_owner ON jobs (owner, id);

ALTER TABLE api_keys ADD COLUMN role text NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'admin'));
ALTER TABLE api_keys ADD COLUMN expires_at timestamptz;
ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz;
ALTER TABLE api_keys ADD COLUMN quota jsonb NOT NULL DEFAULT '{}';
-- The secret before the last rotation, valid for a while longer.
ALTER TABLE api_keys ADD COLUMN previous_hash bytea;
ALTER TABLE api_keys ADD COLUMN previous_until timestamptz;
CREATE UNIQUE INDEX api_keys_previous ON api_keys (previous_hash) WHERE previous_hash IS NOT NULL;
