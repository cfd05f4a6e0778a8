-- +goose Up

-- Two more causes and one more purpose. Partitions made by ledger_ensure have
-- the constraint as their own, so it is dropped from each of them too.
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

-- Who has shown to run a host, for a short while.
CREATE TABLE host_proofs (
    token_hash bytea PRIMARY KEY, -- SHA-256; the token itself is shown once and not kept
    host       text NOT NULL,
    method     text NOT NULL CHECK (method IN ('dns', 'file')),
    proved_at  timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX host_proofs_expires ON host_proofs (expires_at);

-- What whoever objected shows to withdraw.
CREATE TABLE objection_keys (
    objection_id text PRIMARY KEY REFERENCES objections (id) ON DELETE CASCADE,
    key_hash     bytea NOT NULL -- SHA-256; the key itself is shown once and not kept
);

-- +goose Down
DROP TABLE objection_keys;
DROP TABLE host_proofs;
DELETE FROM ledger WHERE purpose = 'proof' OR cause IN ('host_proof', 'robots_explain');
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
ALTER TABLE ledger ADD CONSTRAINT ledger_purpose_check CHECK (purpose IN ('robots', 'sitemap', 'page', 'page_file'));
ALTER TABLE ledger ADD CONSTRAINT ledger_cause_check CHECK (cause IN ('customer_scan'));
