-- +goose Up

-- Of the first requests of visits that go at once: whose was let out last and is
-- not known to have left, and until when others wait for it. Without it a request
-- held up on its way out (by its ledger line, by a processor that has other work)
-- left close before or after the one let out behind it.
ALTER TABLE courtesy_hosts ADD COLUMN starting text NOT NULL DEFAULT '', ADD COLUMN starting_until timestamptz NOT NULL DEFAULT 'epoch';

-- Asks whether the first request of a visit may leave now; wait_us is 0 where it
-- may. From then on no other may until this one is said to have left (p_sent), or
-- for a second at most: its worker may have died. Asked again by the same holder
-- it may leave still, unless that second is over and another has gone.
-- The function of the same name without a holder is for workers not yet replaced.
-- +goose StatementBegin
CREATE FUNCTION courtesy_start(
    p_host text, p_holder text, p_pause_min bigint, p_factor double precision, p_delay bigint, p_sent boolean, OUT wait_us bigint
) LANGUAGE plpgsql AS $$
DECLARE
    h courtesy_hosts;
    t timestamptz;
    pause interval;
    ready timestamptz;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    wait_us := 0;
    SELECT * INTO h FROM courtesy_hosts WHERE host = p_host FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    t := courtesy_now();
    pause := courtesy_pause(p_pause_min, p_factor, p_delay, h.response_us, courtesy_slow(h.slow_factor, h.slow_since, t));
    IF NOT p_sent AND h.starting <> p_holder THEN
        ready := h.started_at + pause;
        IF ready > t THEN
            wait_us := ceil(extract(epoch FROM ready - t) * 1000000);
            RETURN;
        END IF;
        IF h.starting <> '' AND h.starting_until > t THEN
            wait_us := least(10000, ceil(extract(epoch FROM h.starting_until - t) * 1000000)); -- soon known
            RETURN;
        END IF;
    END IF;
    UPDATE courtesy_hosts SET started_at = t, last_at = greatest(last_at, t), next_at = greatest(next_at, t + least(pause, interval '24 hours')),
           starting = CASE WHEN NOT p_sent THEN p_holder WHEN h.starting = p_holder THEN '' ELSE h.starting END,
           starting_until = CASE WHEN p_sent THEN h.starting_until ELSE t + interval '1 second' END
     WHERE host = p_host;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION courtesy_start(text, text, bigint, double precision, bigint, boolean);
ALTER TABLE courtesy_hosts DROP COLUMN starting, DROP COLUMN starting_until;
