-- +goose Up

-- How each host is paced (contract R-04, R-07, S-36). One row a host; every turn
-- locks it, so all workers keep one pace.
CREATE TABLE courtesy_hosts (
    host         text PRIMARY KEY,
    next_at      timestamptz NOT NULL DEFAULT 'epoch', -- no visit before, whoever asks
    last_at      timestamptz NOT NULL DEFAULT 'epoch', -- start or end of the latest visit
    started_at   timestamptz NOT NULL DEFAULT 'epoch', -- when a visit's first request left last
    response_us  bigint NOT NULL DEFAULT 0,            -- latest response time
    parked_until timestamptz NOT NULL DEFAULT 'epoch', -- the host asked for rest
    slow_factor  double precision NOT NULL DEFAULT 1,  -- as of slow_since
    slow_since   timestamptz NOT NULL DEFAULT 'epoch'  -- latest refusal
) WITH (fillfactor = 50);

-- Visits under way (R-08). A turn lapses by itself; rows are used again.
CREATE TABLE courtesy_turns (
    host       text NOT NULL,
    slot       integer NOT NULL,
    ip         text NOT NULL DEFAULT '',
    holder     text NOT NULL DEFAULT '',
    expires_at timestamptz NOT NULL DEFAULT 'epoch',
    PRIMARY KEY (host, slot)
) WITH (fillfactor = 50);
CREATE INDEX courtesy_turns_ip ON courtesy_turns (ip);

-- The latest read of each robots.txt (R-05).
CREATE TABLE courtesy_robots (
    origin        text PRIMARY KEY,
    read_at       timestamptz NOT NULL,
    outcome       text NOT NULL CHECK (outcome IN ('parse', 'allow_all', 'deny_all')),
    status        integer NOT NULL,
    reason        text NOT NULL DEFAULT '',
    body          bytea NOT NULL DEFAULT '',
    etag          text NOT NULL DEFAULT '',
    last_modified text NOT NULL DEFAULT ''
);

-- +goose StatementBegin
-- The clock of all pacing. A function of its own, so that time can be set in tests.
CREATE FUNCTION courtesy_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- The slow-down in force: halved for each full hour since the latest refusal.
CREATE FUNCTION courtesy_slow(factor double precision, since timestamptz, at timestamptz) RETURNS double precision
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN factor <= 1 THEN 1
                ELSE greatest(1, factor / power(2, least(1000, greatest(0, floor(extract(epoch FROM at - since) / 3600))))) END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- max(least pause, factor x response time, Crawl-delay) x slow-down (R-07). Ten
-- years are for ever; more would overflow.
CREATE FUNCTION courtesy_pause(pause_min bigint, factor double precision, delay bigint, response bigint, slow double precision) RETURNS interval
LANGUAGE sql IMMUTABLE AS $$
    SELECT least(greatest(pause_min, factor * response, delay) * slow, 315360000000000) * interval '1 microsecond'
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Asks for a turn. All spans are in microseconds. wait_us is 0 where granted.
CREATE FUNCTION courtesy_reserve(
    p_host text, p_ip text, p_holder text, p_slots integer, p_ip_slots integer, p_ttl bigint,
    p_pause_min bigint, p_factor double precision, p_delay bigint, p_origin text,
    OUT granted boolean, OUT wait_us bigint, OUT parked boolean, OUT busy boolean, OUT slow double precision, OUT robots_read_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
    h courtesy_hosts;
    t timestamptz;
    ready timestamptz;
    pause interval;
    mine integer;
    others integer;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT * INTO h FROM courtesy_hosts WHERE host = p_host FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO courtesy_hosts (host) VALUES (p_host) ON CONFLICT DO NOTHING;
        SELECT * INTO h FROM courtesy_hosts WHERE host = p_host FOR UPDATE;
    END IF;
    t := courtesy_now();
    slow := courtesy_slow(h.slow_factor, h.slow_since, t);
    pause := courtesy_pause(p_pause_min, p_factor, p_delay, h.response_us, slow);
    granted := false;
    busy := false;
    robots_read_at := (SELECT r.read_at FROM courtesy_robots r WHERE r.origin = p_origin);

    parked := h.parked_until > t;
    ready := greatest(h.parked_until, h.next_at, h.last_at + pause);
    IF ready > t THEN
        wait_us := ceil(extract(epoch FROM ready - t) * 1000000);
        RETURN;
    END IF;

    SELECT count(*) FILTER (WHERE holder <> p_holder AND expires_at > t), min(slot) FILTER (WHERE holder = p_holder)
      INTO others, mine FROM courtesy_turns WHERE host = p_host;
    IF others >= p_slots THEN
        busy := true;
        wait_us := 100000;
        RETURN;
    END IF;
    IF p_ip <> '' THEN
        -- Hosts on one address take turns here; the host's own lock is always taken first.
        PERFORM pg_advisory_xact_lock(hashtext('courtesy ip'), hashtext(p_ip));
        SELECT count(*) INTO others FROM courtesy_turns
         WHERE ip = p_ip AND expires_at > t AND NOT (host = p_host AND holder = p_holder);
        IF others >= p_ip_slots THEN
            busy := true;
            wait_us := 100000;
            RETURN;
        END IF;
    END IF;

    IF mine IS NULL THEN
        SELECT min(slot) INTO mine FROM courtesy_turns WHERE host = p_host AND expires_at <= t;
    END IF;
    IF mine IS NULL THEN
        INSERT INTO courtesy_turns (host, slot, ip, holder, expires_at)
        SELECT p_host, coalesce(max(slot), 0) + 1, p_ip, p_holder, t + p_ttl * interval '1 microsecond'
          FROM courtesy_turns WHERE host = p_host;
    ELSE
        UPDATE courtesy_turns SET ip = p_ip, holder = p_holder, expires_at = t + p_ttl * interval '1 microsecond'
         WHERE host = p_host AND slot = mine;
    END IF;
    UPDATE courtesy_hosts SET last_at = t, next_at = greatest(next_at, t + least(pause, interval '24 hours')) WHERE host = p_host;
    granted := true;
    wait_us := 0;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Asks whether the first request of a visit may leave now. A turn says that a
-- visit may begin; from there to its request a browser takes its time, and where
-- several visits go at once their requests could come close together. wait_us is
-- 0 where it may leave. With p_sent the request has left: only the time is noted.
CREATE FUNCTION courtesy_start(
    p_host text, p_pause_min bigint, p_factor double precision, p_delay bigint, p_sent boolean, OUT wait_us bigint
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
    ready := h.started_at + pause;
    IF ready > t AND NOT p_sent THEN
        wait_us := ceil(extract(epoch FROM ready - t) * 1000000);
        RETURN;
    END IF;
    UPDATE courtesy_hosts SET started_at = t, last_at = greatest(last_at, t), next_at = greatest(next_at, t + least(pause, interval '24 hours'))
     WHERE host = p_host;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Gives a turn back; the pause that follows goes by the response time just seen.
-- A response time of 0 means that nothing was sent.
CREATE FUNCTION courtesy_release(
    p_host text, p_holder text, p_response bigint, p_pause_min bigint, p_factor double precision, p_delay bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t timestamptz;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    -- The host's row first, as in courtesy_reserve: one order of locks.
    PERFORM 1 FROM courtesy_hosts WHERE host = p_host FOR UPDATE;
    t := courtesy_now();
    IF p_response > 0 THEN
        UPDATE courtesy_hosts SET response_us = p_response, last_at = greatest(last_at, t),
               next_at = greatest(next_at, t + least(interval '24 hours',
                   courtesy_pause(p_pause_min, p_factor, p_delay, p_response, courtesy_slow(slow_factor, slow_since, t))))
         WHERE host = p_host;
    END IF;
    UPDATE courtesy_turns SET holder = '', expires_at = 'epoch' WHERE host = p_host AND holder = p_holder;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Leaves a host alone for a time (R-04) and slows what comes after it (S-36).
-- Answers that come in while the host rests belong to the same refusal. Commits
-- in full, unlike the rest: a promise of rest survives a crash of the database.
CREATE FUNCTION courtesy_park(p_host text, p_wait bigint) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    t timestamptz;
    h courtesy_hosts;
BEGIN
    INSERT INTO courtesy_hosts (host) VALUES (p_host) ON CONFLICT DO NOTHING;
    SELECT * INTO h FROM courtesy_hosts WHERE host = p_host FOR UPDATE;
    t := courtesy_now();
    IF h.parked_until <= t THEN
        h.slow_factor := 2 * courtesy_slow(h.slow_factor, h.slow_since, t);
        h.slow_since := t;
    END IF;
    h.parked_until := greatest(h.parked_until, t + p_wait * interval '1 microsecond');
    UPDATE courtesy_hosts SET parked_until = h.parked_until, slow_factor = h.slow_factor, slow_since = h.slow_since WHERE host = p_host;
    RETURN h.parked_until;
END
$$;
-- +goose StatementEnd

-- The ledger: a line for each request before it leaves, completed after (S-09,
-- S-11). One partition a UTC day; the default partition catches what has none.
CREATE SEQUENCE ledger_id;
CREATE TABLE ledger (
    id           bigint NOT NULL DEFAULT nextval('ledger_id'),
    at           timestamptz NOT NULL,
    scan_id      text NOT NULL,
    workspace_id text NOT NULL,
    host         text NOT NULL,
    ip           text NOT NULL DEFAULT '',
    method       text NOT NULL CHECK (method IN ('GET', 'HEAD', 'OPTIONS')),
    url          text NOT NULL,
    purpose      text NOT NULL CHECK (purpose IN ('robots', 'sitemap', 'page', 'page_file')),
    cause        text NOT NULL CHECK (cause IN ('customer_scan')),
    profile      text NOT NULL CHECK (profile <> ''),
    rule         text NOT NULL DEFAULT '',
    waited_ms    bigint NOT NULL DEFAULT 0,
    ended_at     timestamptz, -- null: under way, or our own crash
    status       integer NOT NULL DEFAULT 0,
    bytes        bigint NOT NULL DEFAULT 0,
    failure      text NOT NULL DEFAULT '',
    took_ms      bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
CREATE INDEX ledger_host ON ledger (host, at);
CREATE INDEX ledger_scan ON ledger (scan_id, at);
CREATE TABLE ledger_default PARTITION OF ledger DEFAULT WITH (fillfactor = 80);

-- +goose StatementBegin
-- Sees to the partitions of the day p_from (UTC) and of p_days - 1 days after it.
CREATE FUNCTION ledger_ensure(p_from date, p_days integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    d date;
    name text;
    lower_end timestamptz;
    upper_end timestamptz;
BEGIN
    FOR d IN SELECT p_from + i FROM generate_series(0, p_days - 1) i LOOP
        name := 'ledger_' || to_char(d, 'YYYYMMDD');
        CONTINUE WHEN to_regclass(name) IS NOT NULL;
        PERFORM pg_advisory_xact_lock(hashtext('ledger_ensure'));
        CONTINUE WHEN to_regclass(name) IS NOT NULL;
        lower_end := d::timestamp AT TIME ZONE 'UTC';
        upper_end := (d + 1)::timestamp AT TIME ZONE 'UTC';
        EXECUTE format('CREATE TABLE %I (LIKE ledger INCLUDING DEFAULTS INCLUDING CONSTRAINTS) WITH (fillfactor = 80)', name);
        EXECUTE format('WITH moved AS (DELETE FROM ledger_default WHERE at >= %L AND at < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
                       lower_end, upper_end, name);
        EXECUTE format('ALTER TABLE ledger ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, lower_end, upper_end);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION ledger_ensure;
DROP TABLE ledger;
DROP SEQUENCE ledger_id;
DROP FUNCTION courtesy_park;
DROP FUNCTION courtesy_release;
DROP FUNCTION courtesy_start;
DROP FUNCTION courtesy_reserve;
DROP FUNCTION courtesy_pause;
DROP FUNCTION courtesy_slow;
DROP FUNCTION courtesy_now;
DROP TABLE courtesy_robots;
DROP TABLE courtesy_turns;
DROP TABLE courtesy_hosts;
