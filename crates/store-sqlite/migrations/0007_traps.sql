-- URLs that were not followed as crawler traps, counted by reason; each is a skipped task.
ALTER TABLE jobs ADD COLUMN traps TEXT NOT NULL DEFAULT '{}';
