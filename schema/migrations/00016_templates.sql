-- Pages by template: a limited scan takes its pages from all of them.

-- +goose Up
ALTER TABLE pages ADD COLUMN structure bigint NOT NULL DEFAULT 0; -- of the element skeleton, see schema.Page.Structure

ALTER TABLE frontier
    ADD COLUMN template_hash bigint,                 -- of the shape of the path; null in records from before there were templates
    ADD COLUMN turn integer NOT NULL DEFAULT 0,      -- its place among the addresses of its template
    ADD COLUMN priority smallint NOT NULL DEFAULT 0; -- what is taken first: depth, raised the later the turn is
UPDATE frontier SET priority = depth WHERE state = 0;
DROP INDEX frontier_queued;
CREATE INDEX frontier_queued ON frontier (scan, priority, n) WHERE state = 0;
CREATE INDEX frontier_template ON frontier (scan, template_hash, turn);

-- +goose Down
DROP INDEX frontier_template;
DROP INDEX frontier_queued;
CREATE INDEX frontier_queued ON frontier (scan, depth, n) WHERE state = 0;
ALTER TABLE frontier DROP COLUMN template_hash, DROP COLUMN turn, DROP COLUMN priority;
ALTER TABLE pages DROP COLUMN structure;
