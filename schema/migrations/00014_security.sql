-- +goose Up

-- One more purpose, and handshakes as lines of their own. Partitions made by
-- ledger_ensure have the constraints as their own, so they are dropped from each.
-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['ledger_purpose_check', 'ledger_method_check'] LOOP
        EXECUTE format('ALTER TABLE ledger DROP CONSTRAINT %I', name);
        FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger'::regclass LOOP
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', part, name);
        END LOOP;
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE ledger ADD CONSTRAINT ledger_purpose_check CHECK (purpose IN ('robots', 'sitemap', 'page', 'page_file', 'proof', 'link_check', 'security'));
ALTER TABLE ledger ADD CONSTRAINT ledger_method_check CHECK (method IN ('TLS', 'GET', 'HEAD', 'OPTIONS'));

-- What is known of the security of a scan's site: figures and closed words.
CREATE TABLE site_security (
    scan    integer PRIMARY KEY,
    probe   jsonb, -- one look at the site's connections, added to part by part
    front   jsonb, -- what the page the scan began at tells browsers
    verdict jsonb  -- grade and checks, made at the scan's end
);

-- +goose Down
DROP TABLE site_security;
DELETE FROM ledger WHERE purpose = 'security' OR method = 'TLS';
-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['ledger_purpose_check', 'ledger_method_check'] LOOP
        EXECUTE format('ALTER TABLE ledger DROP CONSTRAINT %I', name);
        FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger'::regclass LOOP
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', part, name);
        END LOOP;
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE ledger ADD CONSTRAINT ledger_purpose_check CHECK (purpose IN ('robots', 'sitemap', 'page', 'page_file', 'proof', 'link_check'));
ALTER TABLE ledger ADD CONSTRAINT ledger_method_check CHECK (method IN ('GET', 'HEAD', 'OPTIONS'));
