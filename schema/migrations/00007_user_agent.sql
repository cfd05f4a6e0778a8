-- +goose Up
ALTER TABLE scans ADD COLUMN user_agent text NOT NULL DEFAULT ''; -- of page visits, as sent; empty until the first

-- +goose Down
ALTER TABLE scans DROP COLUMN user_agent;
