-- The product whose challenge stood before a page, where it is known.

-- +goose Up
ALTER TABLE pages ADD COLUMN blocked_by text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE pages DROP COLUMN blocked_by;
