-- Checks of links to other servers (C-09 to C-16, R-15 to R-17).

-- +goose Up
ALTER TABLE links
    ADD COLUMN reason text NOT NULL DEFAULT '',
    ADD COLUMN target text NOT NULL DEFAULT '', -- where it redirects, on another server
    ADD COLUMN checked_at timestamptz,          -- on another server; null: never
    ADD COLUMN next_at timestamptz;             -- when it can be checked at the earliest

-- One row a server: host name in lower case, without port and leading "www.".
CREATE TABLE link_servers (
    server     text COLLATE "C" PRIMARY KEY,
    visit      integer NOT NULL DEFAULT 0,  -- counts visits: the one under way, or the last
    began_at   timestamptz,                 -- of the visit under way; null: none is
    addresses  smallint NOT NULL DEFAULT 0 CHECK (addresses BETWEEN 0 AND 5), -- asked for in the visit under way
    rest_until timestamptz,                 -- 30 days from the last request
    looks_at   timestamptz                  -- when its workflow looks again at the latest; null: none runs
);

-- One row an address, shared by all customers: the latest verdict, and what has
-- been begun of the next.
CREATE TABLE link_targets (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_hash    bytea NOT NULL UNIQUE, -- as in addresses
    server      text COLLATE "C" NOT NULL REFERENCES link_servers (server),
    url         text NOT NULL,
    taken       boolean NOT NULL DEFAULT false, -- up for a visit now
    head_at     timestamptz, -- intents, recorded before the request (R-31)
    head_status smallint,    -- HEAD's answer, where GET follows
    get_at      timestamptz,
    verdict     text NOT NULL DEFAULT ''
        CHECK (verdict IN ('', 'ok', 'broken', 'redirects', 'robots_disallowed', 'refused', 'not_checked')),
    reason      text NOT NULL DEFAULT '',
    status      smallint NOT NULL DEFAULT 0,
    redirect    text NOT NULL DEFAULT '', -- query values redacted
    redirect_id bigint REFERENCES link_targets (id),
    checked_at  timestamptz,
    due_at      timestamptz -- from then on a scan may order it again
);
CREATE UNIQUE INDEX link_targets_taken ON link_targets (server) WHERE taken; -- one at a time (S-33)

-- Who waits for an address. Gone once it has its verdict.
CREATE TABLE link_orders (
    target_id  bigint NOT NULL REFERENCES link_targets (id) ON DELETE CASCADE,
    server     text COLLATE "C" NOT NULL, -- the target's
    site_id    text COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    scan_id    text COLLATE "C" NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
    pages      integer NOT NULL,  -- of the scan that link there
    hops       smallint NOT NULL, -- redirects that led there
    ordered_at timestamptz NOT NULL,
    PRIMARY KEY (target_id, site_id)
);
CREATE INDEX link_orders_server ON link_orders (server);
CREATE INDEX link_orders_scan ON link_orders (scan_id);
CREATE INDEX link_orders_site ON link_orders (site_id);

-- The orders that count: not those of sites that asked us to stay away (R-18).
CREATE VIEW link_waits AS
    SELECT o.*, s.workspace_id, s.profile, s.scope_host, w.loopback
      FROM link_orders o JOIN scans s ON s.id = o.scan_id JOIN sites w ON w.id = s.site_id
     WHERE NOT (SELECT j.stop FROM courtesy_objection(s.scope_host, courtesy_now()) j);

-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['ledger_purpose_check', 'ledger_cause_check'] LOOP
        EXECUTE format('ALTER TABLE ledger DROP CONSTRAINT %I', name);
        FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger'::regclass LOOP
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', part, name);
        END LOOP;
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE ledger ADD CONSTRAINT ledger_purpose_check CHECK (purpose IN ('robots', 'sitemap', 'page', 'page_file', 'proof', 'link_check'));
ALTER TABLE ledger ADD CONSTRAINT ledger_cause_check CHECK (cause IN ('customer_scan', 'host_proof', 'robots_explain', 'link_check'));

-- +goose Down
DELETE FROM ledger WHERE purpose = 'link_check' OR cause = 'link_check';
-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['ledger_purpose_check', 'ledger_cause_check'] LOOP
        EXECUTE format('ALTER TABLE ledger DROP CONSTRAINT %I', name);
        FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger'::regclass LOOP
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', part, name);
        END LOOP;
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE ledger ADD CONSTRAINT ledger_purpose_check CHECK (purpose IN ('robots', 'sitemap', 'page', 'page_file', 'proof'));
ALTER TABLE ledger ADD CONSTRAINT ledger_cause_check CHECK (cause IN ('customer_scan', 'host_proof', 'robots_explain'));
DROP VIEW link_waits;
DROP TABLE link_orders;
DROP TABLE link_targets;
DROP TABLE link_servers;
ALTER TABLE links
    DROP COLUMN reason,
    DROP COLUMN target,
    DROP COLUMN checked_at,
    DROP COLUMN next_at;
