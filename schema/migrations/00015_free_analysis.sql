-- +goose Up

-- The free analysis of one page (S-16, R-11): its own cause in the ledger.
-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
BEGIN
    ALTER TABLE ledger DROP CONSTRAINT ledger_cause_check;
    FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger'::regclass LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS ledger_cause_check', part);
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE ledger ADD CONSTRAINT ledger_cause_check CHECK (cause IN ('customer_scan', 'free_analysis', 'host_proof', 'robots_explain', 'link_check'));

-- Nobody declares a basis for one. Where its only page leads to the sister host of
-- the same site, that host's page takes the redirect's place (scope_moves).
ALTER TABLE scans
    ADD COLUMN cause text NOT NULL DEFAULT 'customer_scan' CHECK (cause IN ('customer_scan', 'free_analysis')),
    ADD COLUMN scope_moves smallint NOT NULL DEFAULT 0,
    DROP CONSTRAINT scans_basis_kind_check,
    ADD CONSTRAINT scans_basis_kind_check CHECK (basis_kind IN ('own', 'permission') AND cause = 'customer_scan' OR basis_kind = 'none' AND cause = 'free_analysis');

-- The room they are made in; it has no token and never gets one.
INSERT INTO workspaces (id, name) VALUES ('free-analysis', 'Free analyses');

CREATE TABLE free_analyses (
    id           text COLLATE "C" PRIMARY KEY,
    scan_id      text COLLATE "C" NOT NULL UNIQUE REFERENCES scans (id) ON DELETE CASCADE,
    address_hash bytea NOT NULL, -- SHA-256 of the address as visited
    host         text NOT NULL,  -- of the address asked for
    caller       bytea NOT NULL, -- SHA-256 of the day's salt and the caller's network
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL
);
CREATE INDEX free_analyses_address ON free_analyses (address_hash, created_at);
CREATE INDEX free_analyses_caller ON free_analyses (caller, created_at);
CREATE INDEX free_analyses_host ON free_analyses (host, created_at);
CREATE INDEX free_analyses_created ON free_analyses (created_at);
CREATE INDEX free_analyses_expires ON free_analyses (expires_at);

-- What makes callers' networks unreadable, a salt a UTC day. With it goes the last
-- trace of who asked.
CREATE TABLE free_salts (
    day  date PRIMARY KEY,
    salt bytea NOT NULL
);

-- +goose Down
DROP TABLE free_salts;
DROP TABLE free_analyses;
DELETE FROM workspaces WHERE id = 'free-analysis';
ALTER TABLE scans
    DROP CONSTRAINT scans_basis_kind_check,
    ADD CONSTRAINT scans_basis_kind_check CHECK (basis_kind IN ('own', 'permission')),
    DROP COLUMN cause,
    DROP COLUMN scope_moves;
DELETE FROM ledger WHERE cause = 'free_analysis';
-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
BEGIN
    ALTER TABLE ledger DROP CONSTRAINT ledger_cause_check;
    FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger'::regclass LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS ledger_cause_check', part);
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE ledger ADD CONSTRAINT ledger_cause_check CHECK (cause IN ('customer_scan', 'host_proof', 'robots_explain', 'link_check'));
