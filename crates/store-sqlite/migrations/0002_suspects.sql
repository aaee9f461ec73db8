-- Tasks that were with a worker when it ended: each is tried alone.
CREATE INDEX crawl_tasks_suspect ON crawl_tasks (host_key, not_before, id) WHERE status = 'queued' AND gated = 0 AND crashes > 0;
CREATE INDEX crawl_tasks_suspect_held ON crawl_tasks (worker) WHERE status = 'processing' AND crashes > 0;
