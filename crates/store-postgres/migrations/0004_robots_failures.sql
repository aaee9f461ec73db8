-- Why robots.txt could not be fetched the last time. Rules that were read before stay in force.
ALTER TABLE origins
    ADD COLUMN failure text CHECK (failure IN ('throttled', 'unavailable', 'unreachable')),
    ADD COLUMN failure_kind text,
    ADD COLUMN failure_message text,
    ADD COLUMN failed_at timestamptz;
