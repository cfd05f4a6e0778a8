-- +goose Up

-- Rules are never deleted. Checking that a finding's rule is there locked the
-- rule's row for each finding, by all workers at once.
ALTER TABLE findings DROP CONSTRAINT findings_rule_id_fkey;

-- In plpgsql for its plan, which is kept: this is asked before every request, and
-- as a function in SQL it was planned anew each time.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION courtesy_names(p_host text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    name text := regexp_replace(p_host, ':[0-9]+$', '');
    names text[] := ARRAY[p_host, name];
BEGIN
    WHILE position('.' IN name) > 0 LOOP
        name := substr(name, position('.' IN name) + 1);
        names := names || name;
    END LOOP;
    RETURN names;
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION courtesy_names(p_host text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT p_host || array_agg(array_to_string(label[i:], '.'))
      FROM (SELECT string_to_array(regexp_replace(p_host, ':[0-9]+$', ''), '.') AS label) l, generate_subscripts(label, 1) i
$$;
-- +goose StatementEnd
ALTER TABLE findings ADD CONSTRAINT findings_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES rules (id);
