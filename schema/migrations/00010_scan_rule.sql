-- The line of robots.txt that decided about the address a scan began at.

-- +goose Up
ALTER TABLE scans ADD COLUMN robots_rule text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE scans DROP COLUMN robots_rule;
