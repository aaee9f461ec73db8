-- The key of the task that a redirect leads to, to recognize loops.
ALTER TABLE crawl_tasks ADD COLUMN redirects_to TEXT;
