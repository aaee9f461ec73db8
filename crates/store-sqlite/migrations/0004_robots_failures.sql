-- Why robots.txt could not be fetched the last time. Rules that were read before stay in force.
ALTER TABLE origins ADD COLUMN failure TEXT CHECK (failure IN ('throttled', 'unavailable', 'unreachable'));
ALTER TABLE origins ADD COLUMN failure_kind TEXT;
ALTER TABLE origins ADD COLUMN failure_message TEXT;
ALTER TABLE origins ADD COLUMN failed_at INTEGER;
