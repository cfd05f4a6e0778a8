-- What robots.txt came to when the scan read it before its first page, for its
-- report: status (0: no answer), Crawl-delay (0: none) and when.

-- +goose Up
ALTER TABLE scans
    ADD COLUMN robots_status smallint NOT NULL DEFAULT 0,
    ADD COLUMN crawl_delay_ms bigint NOT NULL DEFAULT 0,
    ADD COLUMN robots_read_at timestamptz;

-- +goose Down
ALTER TABLE scans
    DROP COLUMN robots_status,
    DROP COLUMN crawl_delay_ms,
    DROP COLUMN robots_read_at;
