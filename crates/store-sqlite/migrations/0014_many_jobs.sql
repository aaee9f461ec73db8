-- A claim reads a part of the open jobs if there are very many: of each owner, those of the highest priority, and some others in
-- turn.
DROP INDEX jobs_open_of_owner;
CREATE INDEX jobs_open_of_owner ON jobs (owner, priority, id) WHERE status IN ('queued', 'running');
-- The reconciler checks open jobs in turn.
CREATE INDEX jobs_open_listed ON jobs (id) WHERE status IN ('queued', 'running');
