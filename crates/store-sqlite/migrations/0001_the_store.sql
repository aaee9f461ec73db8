-- The same shape as on Postgres. Times are milliseconds since 1970, names of jobs are text, JSON is text.

CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    status TEXT NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'running', 'completed', 'completed_with_errors', 'failed', 'cancelled')),
    type TEXT NOT NULL CHECK (type IN ('scrape', 'batch_scrape', 'crawl', 'map')),
    params TEXT NOT NULL CHECK (json_valid(params)),
    error TEXT,
    stop_reason TEXT,
    max_depth INTEGER CHECK (max_depth >= 0),
    max_tasks INTEGER CHECK (max_tasks >= 0),
    max_bytes INTEGER CHECK (max_bytes >= 0),
    max_duration_ms INTEGER CHECK (max_duration_ms >= 0),
    deadline_at INTEGER,
    -- With a depth limit, tasks deeper than this wait behind the gate.
    open_depth INTEGER NOT NULL DEFAULT 0,
    admitted INTEGER NOT NULL DEFAULT 0,
    left_out INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    sequence INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_open ON jobs (deadline_at) WHERE status IN ('queued', 'running');
CREATE INDEX jobs_final ON jobs (updated_at) WHERE status NOT IN ('queued', 'running');

CREATE TABLE crawl_tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    requested_url TEXT NOT NULL,
    final_url TEXT NOT NULL,
    url TEXT NOT NULL,
    host_key TEXT NOT NULL,
    depth INTEGER NOT NULL CHECK (depth >= 0),
    hops INTEGER NOT NULL DEFAULT 0,
    via TEXT,
    found TEXT NOT NULL CHECK (found IN ('seed', 'link', 'redirect', 'sitemap')),
    status TEXT NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'processing', 'done', 'failed', 'skipped')),
    gated INTEGER NOT NULL DEFAULT 0 CHECK (gated IN (0, 1)),
    not_before INTEGER NOT NULL,
    error TEXT,
    reason TEXT,
    attempt INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    lease_until INTEGER,
    sequence INTEGER,
    processing_started_at INTEGER,
    heartbeat_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (job_id, final_url),
    CHECK ((status = 'processing') = (lease_until IS NOT NULL)),
    CHECK ((status = 'processing') = (worker IS NOT NULL)),
    CHECK ((status IN ('queued', 'processing')) = (sequence IS NULL)),
    CHECK (status = 'queued' OR gated = 0)
) STRICT;
-- What may be claimed, host by host, longest waiting first.
CREATE INDEX crawl_tasks_ready ON crawl_tasks (host_key, not_before, id) WHERE status = 'queued' AND gated = 0;
-- Whether a job, or its open level, has something left.
CREATE INDEX crawl_tasks_open ON crawl_tasks (job_id, gated, depth) WHERE status IN ('queued', 'processing');
-- A host's slots in use; and leases that ran out.
CREATE INDEX crawl_tasks_held ON crawl_tasks (host_key, lease_until) WHERE status = 'processing';
CREATE INDEX crawl_tasks_leases ON crawl_tasks (lease_until) WHERE status = 'processing';
CREATE INDEX crawl_tasks_listed ON crawl_tasks (job_id, id);
CREATE INDEX crawl_tasks_ended ON crawl_tasks (job_id, sequence) WHERE sequence IS NOT NULL;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    requested_url TEXT NOT NULL,
    final_url TEXT NOT NULL,
    title TEXT,
    content_md TEXT,
    content_raw TEXT,
    meta TEXT NOT NULL CHECK (json_valid(meta)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (job_id, final_url)
) STRICT;
CREATE INDEX documents_listed ON documents (job_id, id);

CREATE TABLE mapped_urls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    source_url TEXT NOT NULL,
    target_url TEXT NOT NULL,
    depth INTEGER NOT NULL CHECK (depth >= 0),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mapped_urls_listed ON mapped_urls (job_id, id);

-- A host's token bucket and slots. `idle`: no task of it is ready, so no claim looks at it.
CREATE TABLE hosts (
    host_key TEXT NOT NULL PRIMARY KEY,
    interval_ms INTEGER NOT NULL DEFAULT 0,
    next_start INTEGER NOT NULL DEFAULT 0,
    paused_until INTEGER NOT NULL DEFAULT 0,
    idle INTEGER NOT NULL DEFAULT 0 CHECK (idle IN (0, 1)),
    open_at INTEGER NOT NULL DEFAULT 0,
    -- Until then the next free slot is kept for a request outside of any job.
    wanted_until INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX hosts_open ON hosts (open_at, host_key) WHERE idle = 0;

-- Slots held outside of any job.
CREATE TABLE host_turns (
    id INTEGER PRIMARY KEY,
    host_key TEXT NOT NULL,
    lease_until INTEGER NOT NULL
) STRICT;
CREATE INDEX host_turns_held ON host_turns (host_key, lease_until);

CREATE TABLE origins (
    origin TEXT NOT NULL PRIMARY KEY,
    answer TEXT NOT NULL CHECK (answer IN ('text', 'absent', 'unavailable')),
    robots TEXT,
    fetched_at INTEGER NOT NULL
) STRICT;

CREATE TABLE checkpoints (
    key TEXT NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
