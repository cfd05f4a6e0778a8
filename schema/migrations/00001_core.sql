-- +goose Up
CREATE TABLE workspaces (
    id         text PRIMARY KEY,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tokens (
    id           text PRIMARY KEY,
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    hash         bytea NOT NULL UNIQUE, -- SHA-256; the token itself is shown once and not kept
    created_at   timestamptz NOT NULL DEFAULT now(),
    revoked_at   timestamptz
);

CREATE TABLE sites (
    id           text PRIMARY KEY,
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    url          text NOT NULL,
    host         text NOT NULL,
    loopback     boolean NOT NULL DEFAULT false,
    created_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (workspace_id, url)
);

CREATE TABLE scans (
    id              text PRIMARY KEY,
    workspace_id    text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    site_id         text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    url             text NOT NULL,
    scope_host      text NOT NULL,
    engine          text NOT NULL CHECK (engine IN ('browser', 'http')),
    device          text NOT NULL CHECK (device IN ('desktop', 'mobile')),
    profile         jsonb NOT NULL,
    max_pages       integer NOT NULL CHECK (max_pages BETWEEN 1 AND 50000),
    basis_kind      text NOT NULL CHECK (basis_kind IN ('own', 'permission')),
    basis_party     text NOT NULL DEFAULT '',
    contact         text NOT NULL DEFAULT '',
    state           text NOT NULL DEFAULT 'queued',
    state_reason    text NOT NULL DEFAULT '',
    phase           text NOT NULL DEFAULT 'queued',
    waiting_for     text NOT NULL DEFAULT '',
    waiting_until   timestamptz,
    browser_version text NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL DEFAULT now(),
    started_at      timestamptz,
    finished_at     timestamptz
);

-- +goose Down
DROP TABLE scans;
DROP TABLE sites;
DROP TABLE tokens;
DROP TABLE workspaces;
