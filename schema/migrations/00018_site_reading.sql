-- What a site says to robots and how well, and one more purpose: how the site
-- answers for a page that is not there.

-- +goose Up
CREATE TABLE site_reading (
    scan     integer PRIMARY KEY,
    robots   jsonb,                       -- schema.RobotsFile
    sitemaps jsonb NOT NULL DEFAULT '{}'  -- schema.SitemapFile by its redacted address
);

-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
BEGIN
    ALTER TABLE ledger DROP CONSTRAINT ledger_purpose_check;
    FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger'::regclass LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS ledger_purpose_check', part);
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE ledger ADD CONSTRAINT ledger_purpose_check
    CHECK (purpose IN ('robots', 'sitemap', 'page', 'page_file', 'proof', 'link_check', 'security', 'not_found'));

-- +goose Down
DROP TABLE site_reading;
DELETE FROM ledger WHERE purpose = 'not_found';
-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
BEGIN
    ALTER TABLE ledger DROP CONSTRAINT ledger_purpose_check;
    FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger'::regclass LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS ledger_purpose_check', part);
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE ledger ADD CONSTRAINT ledger_purpose_check
    CHECK (purpose IN ('robots', 'sitemap', 'page', 'page_file', 'proof', 'link_check', 'security'));
