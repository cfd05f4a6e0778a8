-- +goose Up
CREATE TABLE workspaces (
    id         text COLLATE "C" PRIMARY KEY,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tokens (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    hash         bytea NOT NULL UNIQUE, -- SHA-256; the token itself is shown once and not kept
    created_at   timestamptz NOT NULL DEFAULT now(),
    revoked_at   timestamptz
);

CREATE TABLE sites (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    url          text NOT NULL,
    host         text NOT NULL,
    loopback     boolean NOT NULL DEFAULT false,
    created_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (workspace_id, url)
);
CREATE INDEX sites_host ON sites (host);

CREATE TABLE scans (
    id              text COLLATE "C" PRIMARY KEY,
    seq             integer GENERATED ALWAYS AS IDENTITY UNIQUE, -- the short name its addresses and findings carry
    workspace_id    text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    site_id         text COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    url             text NOT NULL,
    scope_host      text NOT NULL,
    engine          text NOT NULL CHECK (engine IN ('browser', 'http')),
    device          text NOT NULL CHECK (device IN ('desktop', 'mobile')),
    profile         jsonb NOT NULL,
    max_pages       integer NOT NULL CHECK (max_pages BETWEEN 1 AND 50000),
    basis_kind      text NOT NULL CHECK (basis_kind IN ('own', 'permission')),
    basis_party     text NOT NULL DEFAULT '',
    contact         text NOT NULL DEFAULT '',
    state           text NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'running', 'finished', 'stopped', 'refused', 'cancelled', 'failed')),
    state_reason    text NOT NULL DEFAULT '',
    phase           text NOT NULL DEFAULT 'queued',
    waiting_for     text NOT NULL DEFAULT '',
    waiting_until   timestamptz,
    browser_version text NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL DEFAULT now(),
    started_at      timestamptz,
    finished_at     timestamptz
);
CREATE INDEX scans_workspace ON scans (workspace_id, id);
CREATE INDEX scans_site ON scans (site_id, id);
CREATE INDEX scans_scope_host ON scans (scope_host);
-- A site is visited by one scan at a time.
CREATE UNIQUE INDEX scans_one_open ON scans (site_id) WHERE state IN ('queued', 'running');

CREATE TABLE idempotency_keys (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    key_hash     bytea NOT NULL, -- SHA-256 of the customer's key
    order_hash   bytea NOT NULL, -- SHA-256 of what was ordered under it
    scan_id      text COLLATE "C" NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, key_hash)
);

-- The tables below carry scans.seq without a foreign key: checking it would lock
-- the scan's row for each page, by all workers at once.

-- Every distinct address a scan has met, as a page or only as a link's target.
CREATE TABLE addresses (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scan     integer NOT NULL,
    in_scope boolean NOT NULL,
    key_hash bytea NOT NULL, -- 16 bytes, of the address's comparison key
    url      text NOT NULL,
    UNIQUE (scan, key_hash)
);

-- The addresses that may become pages, and how far each is.
CREATE TABLE frontier (
    address_id bigint PRIMARY KEY,
    n          bigint GENERATED ALWAYS AS IDENTITY, -- the order they were found in
    claimed_at timestamptz,
    not_until  timestamptz,
    path_hash  bigint, -- of the path, where the address has a query and came from a link
    shape_hash bigint, -- of the path with its numbers folded and the names in the query
    scan       integer NOT NULL,
    depth      smallint NOT NULL,
    state      smallint NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 2), -- queued, taken, skipped; taken and in pages: done
    loads      smallint NOT NULL DEFAULT 0,
    refused    smallint NOT NULL DEFAULT 0,
    via        text NOT NULL CHECK (via IN ('seed', 'sitemap', 'link', 'redirect')),
    ticket     text
) WITH (fillfactor = 80);
CREATE INDEX frontier_queued ON frontier (scan, depth, n) WHERE state = 0;
CREATE UNIQUE INDEX frontier_ticket ON frontier (scan, ticket) WHERE ticket IS NOT NULL;
CREATE INDEX frontier_path ON frontier (scan, path_hash) WHERE path_hash IS NOT NULL;
CREATE INDEX frontier_shape ON frontier (scan, shape_hash) WHERE shape_hash IS NOT NULL;

-- What became of an address. Of the page's words only what it says of itself.
CREATE TABLE pages (
    id            bigint PRIMARY KEY, -- its address's
    content_hash  bigint NOT NULL DEFAULT 0,
    wire_bytes    bigint NOT NULL DEFAULT 0,
    bytes         bigint NOT NULL DEFAULT 0,
    inspected_at  timestamptz NOT NULL,
    scan          integer NOT NULL,
    words         integer NOT NULL DEFAULT 0,
    elements      integer NOT NULL DEFAULT 0,
    requests      integer NOT NULL DEFAULT 0,
    refused_calls integer NOT NULL DEFAULT 0,
    dns_us        integer NOT NULL DEFAULT 0,
    connect_us    integer NOT NULL DEFAULT 0,
    tls_us        integer NOT NULL DEFAULT 0,
    ttfb_us       integer NOT NULL DEFAULT 0,
    body_us       integer NOT NULL DEFAULT 0,
    load_us       integer NOT NULL DEFAULT 0,
    status        smallint NOT NULL DEFAULT 0,
    outcome       text NOT NULL,
    reason        text NOT NULL DEFAULT '',
    final_url     text NOT NULL DEFAULT '', -- empty: the address itself
    media_type    text NOT NULL DEFAULT '',
    charset       text NOT NULL DEFAULT '',
    protocol      text NOT NULL DEFAULT '',
    encoding      text NOT NULL DEFAULT '',
    title         text NOT NULL DEFAULT '',
    description   text NOT NULL DEFAULT '',
    canonical     text NOT NULL DEFAULT '',
    redirects     jsonb,
    sharing       jsonb,
    languages     jsonb,
    robots_tags   text[],
    notes         text[],
    link_ids      bigint[], -- addresses the page points to
    link_kinds    bytea     -- one byte for each of them
);
CREATE INDEX pages_scan ON pages (scan, id);
CREATE INDEX pages_content ON pages (scan, content_hash) WHERE outcome = 'analysed' AND content_hash <> 0;

-- The distinct things findings say; a finding names one of them and a place.
CREATE TABLE rules (
    id        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash      bytea NOT NULL UNIQUE, -- 16 bytes, of all columns after it
    rule      text NOT NULL,
    engine    text NOT NULL,
    category  text NOT NULL
        CHECK (category IN ('accessibility', 'seo', 'technical', 'links', 'security', 'performance', 'privacy')),
    severity  smallint NOT NULL CHECK (severity BETWEEN 0 AND 4), -- info, minor, moderate, serious, critical
    outcome   text NOT NULL CHECK (outcome IN ('failed', 'needs_review')),
    wcag      text[] NOT NULL DEFAULT '{}',
    act_rules text[] NOT NULL DEFAULT '{}',
    help      text NOT NULL
);

CREATE TABLE findings (
    id        bigint GENERATED ALWAYS AS IDENTITY,
    page_id   bigint NOT NULL,
    scan      integer NOT NULL,
    rule_id   integer NOT NULL REFERENCES rules (id),
    site_wide boolean NOT NULL DEFAULT false, -- could only be seen over the whole site
    selector  text NOT NULL DEFAULT '',
    detail    text NOT NULL DEFAULT '',
    PRIMARY KEY (scan, id)
);
CREATE INDEX findings_page ON findings (page_id);

-- The verdict on each address that pages point to, made after the pages.
CREATE TABLE links (
    address_id bigint NOT NULL,
    scan       integer NOT NULL,
    pages      integer NOT NULL,
    status     smallint NOT NULL,
    verdict    text NOT NULL
        CHECK (verdict IN ('ok', 'broken', 'redirects', 'robots_disallowed', 'refused', 'not_checked')),
    found_on   bigint[] NOT NULL,
    PRIMARY KEY (scan, address_id)
);

-- Running counts of a scan. Spread over rows, so that pages recorded at once
-- do not wait for each other; row 0 has the claims and what concerns the site.
CREATE TABLE tallies (
    scan         integer NOT NULL,
    shard        smallint NOT NULL CHECK (shard BETWEEN 0 AND 8),
    claimed      integer NOT NULL DEFAULT 0, -- tickets that got an address
    recorded     integer NOT NULL DEFAULT 0, -- of these, those with their page
    found        integer NOT NULL DEFAULT 0,
    done         integer NOT NULL DEFAULT 0,
    analysed     integer NOT NULL DEFAULT 0,
    not_analysed integer NOT NULL DEFAULT 0,
    failed       integer NOT NULL DEFAULT 0,
    needs_review integer NOT NULL DEFAULT 0,
    PRIMARY KEY (scan, shard)
) WITH (fillfactor = 20);

-- +goose Down
DROP TABLE tallies;
DROP TABLE links;
DROP TABLE findings;
DROP TABLE rules;
DROP TABLE pages;
DROP TABLE frontier;
DROP TABLE addresses;
DROP TABLE idempotency_keys;
DROP TABLE scans;
DROP TABLE sites;
DROP TABLE tokens;
DROP TABLE workspaces;
