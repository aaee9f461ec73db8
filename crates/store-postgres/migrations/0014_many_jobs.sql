-- A claim reads a part of the open jobs if there are very many: of each owner, those of the highest priority, and some others in
-- turn.
DROP INDEX jobs_open_of_owner;
CREATE INDEX jobs_open_of_owner ON jobs (owner, priority, id) WHERE status IN ('queued', 'running');
-- The reconciler checks open jobs in turn.
CREATE INDEX jobs_open_listed ON jobs (id) WHERE status IN ('queued', 'running');

-- Content is compressed with lz4, if the server was built with it: storing a page takes less than half the time. What is stored
-- stays as it is.
DO $$
BEGIN
    EXECUTE 'ALTER TABLE documents ALTER COLUMN content_md SET COMPRESSION lz4, ALTER COLUMN content_raw SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR syntax_error THEN
    NULL;
END
$$;
