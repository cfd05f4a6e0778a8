-- +goose Up

-- +goose StatementBegin
-- Drops the ledger's days that ended before the day p_before (UTC) began, and
-- what of them lies in the default partition. Later lines are never touched. A
-- day in use is waited for a moment only: whoever asks comes again.
CREATE FUNCTION ledger_drop(p_before date) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    name text;
    dropped integer := 0;
BEGIN
    PERFORM set_config('lock_timeout', '3s', true);
    FOR name IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'ledger'::regclass AND c.relname ~ '^ledger_[0-9]{8}$'
           AND to_date(right(c.relname, 8), 'YYYYMMDD') < p_before
         ORDER BY c.relname
    LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
    END LOOP;
    DELETE FROM ledger_default WHERE at < p_before::timestamp AT TIME ZONE 'UTC';
    RETURN dropped;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION ledger_drop;
