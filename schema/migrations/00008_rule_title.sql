-- +goose Up
ALTER TABLE rules ADD COLUMN title text NOT NULL DEFAULT ''; -- what is wrong, short: the rule's name; empty in records from before

-- +goose Down
ALTER TABLE rules DROP COLUMN title;
