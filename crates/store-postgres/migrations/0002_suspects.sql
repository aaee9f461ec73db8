-- Tasks that were with a worker when it ended: each is tried alone.
CREATE INDEX crawl_tasks_suspect ON crawl_tasks (not_before, id) WHERE status = 'queued' AND NOT gated AND crashes > 0;
CREATE INDEX crawl_tasks_suspect_held ON crawl_tasks (worker) WHERE status = 'processing' AND crashes > 0;
