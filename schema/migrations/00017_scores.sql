-- Scores of a scan, and what was decided about a site's items.

-- +goose Up
ALTER TABLE scans ADD COLUMN scores jsonb; -- schema.Scores; null before the scan's end and where no page was analysed

-- Outlives scans: an item's fingerprint is the same in every scan of the site.
CREATE TABLE item_states (
    site_id     text COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    fingerprint text COLLATE "C" NOT NULL CHECK (fingerprint ~ '^[0-9a-f]{16}$'),
    state       text NOT NULL CHECK (state IN ('acknowledged', 'ignored')), -- an open item has no row
    reason      text NOT NULL,
    until       timestamptz CHECK ((state = 'acknowledged') = (until IS NOT NULL)),
    decided_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (site_id, fingerprint)
);

-- +goose Down
DROP TABLE item_states;
ALTER TABLE scans DROP COLUMN scores;
