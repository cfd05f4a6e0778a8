-- Previews: drawings of pages without letters and pictures (R-23), for as long as
-- the site's owner switched them on.

-- +goose Up
ALTER TABLE sites ADD COLUMN previews_until timestamptz; -- null: off

CREATE TABLE previews (
    page_id       bigint PRIMARY KEY,
    scan          integer NOT NULL,
    template_hash bigint,
    drawing       json NOT NULL -- schema.Preview: numbers, and selectors of findings
);
CREATE INDEX previews_scan ON previews (scan);

-- +goose Down
DROP TABLE previews;
ALTER TABLE sites DROP COLUMN previews_until;
