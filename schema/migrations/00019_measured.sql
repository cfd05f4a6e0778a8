-- How fast a page was and what it weighs, where a browser measured it.

-- +goose Up
ALTER TABLE pages ADD COLUMN measured jsonb;

-- +goose Down
ALTER TABLE pages DROP COLUMN measured;
