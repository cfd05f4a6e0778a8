-- What a scan's findings fold to, kept when the scan ends: a large scan's are then
-- read at once. A scan without a row in item_folds is folded when it is asked for.

-- +goose Up
CREATE TABLE items (
    scan        integer NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    rule_id     integer NOT NULL,  -- of its first finding
    severity    smallint NOT NULL, -- the gravest of its findings
    places      integer NOT NULL,
    pages       integer NOT NULL,
    examples    bigint[] NOT NULL, -- the first of these pages
    selector    text NOT NULL,     -- shape of the place
    template    text NOT NULL,     -- shape of the path
    subject     text NOT NULL,     -- whom a finding about privacy names
    PRIMARY KEY (scan, fingerprint)
);

CREATE TABLE item_folds (
    scan      integer PRIMARY KEY,
    left_out  integer NOT NULL, -- findings of items beyond those kept
    templates text[] NOT NULL   -- shapes of the paths of pages analysed
);

-- +goose Down
DROP TABLE item_folds;
DROP TABLE items;
