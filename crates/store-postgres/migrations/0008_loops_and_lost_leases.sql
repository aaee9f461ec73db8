-- The key of the task that a redirect leads to, to recognize loops.
ALTER TABLE crawl_tasks ADD COLUMN redirects_to text;

-- How often the task's lease expired, whether its worker died or not.
ALTER TABLE crawl_tasks ADD COLUMN lost_leases integer NOT NULL DEFAULT 0;
