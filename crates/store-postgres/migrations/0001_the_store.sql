-- Four tables of the contract, with what leases, politeness and limits add to them; and hosts, keys, origins.

CREATE TABLE jobs (
    id uuid PRIMARY KEY,
    status text NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'running', 'completed', 'completed_with_errors', 'failed', 'cancelled')),
    type text NOT NULL CHECK (type IN ('scrape', 'batch_scrape', 'crawl', 'map')),
    params jsonb NOT NULL,
    error text,
    stop_reason text,
    max_depth integer CHECK (max_depth >= 0),
    max_tasks bigint CHECK (max_tasks >= 0),
    max_bytes bigint CHECK (max_bytes >= 0),
    max_duration_ms bigint CHECK (max_duration_ms >= 0),
    deadline_at timestamptz,
    -- With a depth limit, tasks deeper than this wait behind the gate.
    open_depth integer NOT NULL DEFAULT 0,
    admitted bigint NOT NULL DEFAULT 0,
    left_out bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    -- The number of the last task that ended; taken under this row's lock, so in the order of commits.
    sequence bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX jobs_open ON jobs (deadline_at) WHERE status IN ('queued', 'running');
CREATE INDEX jobs_final ON jobs (updated_at) WHERE status NOT IN ('queued', 'running');

CREATE TABLE crawl_tasks (
    id bigserial PRIMARY KEY,
    job_id uuid NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    requested_url text NOT NULL,
    final_url text NOT NULL,
    url text NOT NULL,
    host_key text NOT NULL,
    depth integer NOT NULL CHECK (depth >= 0),
    hops integer NOT NULL DEFAULT 0,
    via text,
    found text NOT NULL CHECK (found IN ('seed', 'link', 'redirect', 'sitemap')),
    status text NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'processing', 'done', 'failed', 'skipped')),
    gated boolean NOT NULL DEFAULT false,
    not_before timestamptz NOT NULL DEFAULT now(),
    error text,
    reason text,
    attempt integer NOT NULL DEFAULT 0,
    crashes integer NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    fence bigint NOT NULL DEFAULT 0,
    worker text,
    lease_until timestamptz,
    sequence bigint,
    processing_started_at timestamptz,
    heartbeat_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (job_id, final_url),
    CHECK ((status = 'processing') = (lease_until IS NOT NULL)),
    CHECK ((status = 'processing') = (worker IS NOT NULL)),
    CHECK ((status IN ('queued', 'processing')) = (sequence IS NULL)),
    CHECK (status = 'queued' OR NOT gated)
);
-- What may be claimed, host by host, longest waiting first.
CREATE INDEX crawl_tasks_ready ON crawl_tasks (host_key, not_before, id) WHERE status = 'queued' AND NOT gated;
-- Whether a job, or its open level, has something left.
CREATE INDEX crawl_tasks_open ON crawl_tasks (job_id, depth) WHERE status IN ('queued', 'processing') AND NOT gated;
CREATE INDEX crawl_tasks_gated ON crawl_tasks (job_id, depth) WHERE status = 'queued' AND gated;
-- A host's slots in use; and leases that ran out.
CREATE INDEX crawl_tasks_held ON crawl_tasks (host_key, lease_until) WHERE status = 'processing';
CREATE INDEX crawl_tasks_leases ON crawl_tasks (lease_until) WHERE status = 'processing';
CREATE INDEX crawl_tasks_listed ON crawl_tasks (job_id, id);
CREATE INDEX crawl_tasks_ended ON crawl_tasks (job_id, sequence) WHERE sequence IS NOT NULL;

CREATE TABLE documents (
    id bigserial PRIMARY KEY,
    job_id uuid NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    requested_url text NOT NULL,
    final_url text NOT NULL,
    title text,
    content_md text,
    content_raw text,
    meta jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
-- By hash: where a page ends up may be a longer URL than an index holds.
CREATE UNIQUE INDEX documents_once ON documents (job_id, md5(final_url));
CREATE INDEX documents_listed ON documents (job_id, id);

CREATE TABLE mapped_urls (
    id bigserial PRIMARY KEY,
    job_id uuid NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    source_url text NOT NULL,
    target_url text NOT NULL,
    depth integer NOT NULL CHECK (depth >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mapped_urls_listed ON mapped_urls (job_id, id);

-- A host's token bucket and slots. `idle`: no task of it is ready, so no claim looks at it.
CREATE TABLE hosts (
    host_key text PRIMARY KEY,
    interval_ms bigint NOT NULL DEFAULT 0,
    next_start timestamptz NOT NULL DEFAULT 'epoch',
    paused_until timestamptz NOT NULL DEFAULT 'epoch',
    idle boolean NOT NULL DEFAULT false,
    open_at timestamptz NOT NULL DEFAULT 'epoch',
    -- Until then the next free slot is kept for a request outside of any job.
    wanted_until timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 70);
CREATE INDEX hosts_open ON hosts (open_at, host_key) WHERE NOT idle;

-- Slots held outside of any job.
CREATE TABLE host_turns (
    id bigserial PRIMARY KEY,
    host_key text NOT NULL,
    lease_until timestamptz NOT NULL
);
CREATE INDEX host_turns_held ON host_turns (host_key, lease_until);

CREATE TABLE origins (
    origin text PRIMARY KEY,
    answer text NOT NULL CHECK (answer IN ('text', 'absent', 'unavailable')),
    robots text,
    fetched_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE checkpoints (
    key text PRIMARY KEY,
    bytes bytea NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
