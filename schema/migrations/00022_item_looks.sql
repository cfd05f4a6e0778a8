-- How pages of each path shape were looked at, beside item_folds.templates and in its
-- order (schema.Looks). Null: folded before this was kept, so it is folded once more.

-- +goose Up
ALTER TABLE item_folds ADD COLUMN looks smallint[];

-- +goose Down
ALTER TABLE item_folds DROP COLUMN looks;
