-- A job with many URLs is stored in several transactions. Until they are complete it exists for nobody; after this time its
-- creator has died, and it is deleted.
ALTER TABLE jobs ADD COLUMN creating_until INTEGER;
CREATE INDEX jobs_creating ON jobs (creating_until) WHERE creating_until IS NOT NULL;
