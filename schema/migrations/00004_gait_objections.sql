-- +goose Up

-- What visited sites ask of us (C-43, S-49). Rows stay when withdrawn.
CREATE TABLE objections (
    id           text COLLATE "C" PRIMARY KEY,
    host         text NOT NULL,
    subdomains   boolean NOT NULL DEFAULT false,
    kind         text NOT NULL CHECK (kind IN ('stop', 'quiet_hours', 'slower')),
    quiet_from   time,
    quiet_to     time,
    zone         text NOT NULL DEFAULT '',
    factor       double precision NOT NULL DEFAULT 1 CHECK (factor BETWEEN 1 AND 100),
    contact      text NOT NULL DEFAULT '' CHECK (length(contact) <= 200),
    message      text NOT NULL DEFAULT '' CHECK (length(message) <= 2000),
    proven_by    text NOT NULL DEFAULT 'none' CHECK (proven_by IN ('none', 'dns', 'file')),
    created_at   timestamptz NOT NULL,
    ends_at      timestamptz, -- null: until withdrawn
    withdrawn_at timestamptz,
    CHECK (kind <> 'quiet_hours' OR (quiet_from <> quiet_to AND zone <> ''))
);
CREATE INDEX objections_host ON objections (host) WHERE withdrawn_at IS NULL;

-- +goose StatementBegin
-- The names under which an objection can hold for a host: itself, itself without
-- the port, and each name above that.
CREATE FUNCTION courtesy_names(p_host text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT p_host || array_agg(array_to_string(label[i:], '.'))
      FROM (SELECT string_to_array(regexp_replace(p_host, ':[0-9]+$', ''), '.') AS label) l, generate_subscripts(label, 1) i
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- When the quiet hours that hold at a moment end; null where none do.
CREATE FUNCTION courtesy_quiet_end(p_from time, p_to time, p_zone text, p_at timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN p_from < p_to AND (local::time < p_from OR local::time >= p_to) THEN NULL
        WHEN p_from > p_to AND local::time < p_from AND local::time >= p_to THEN NULL
        ELSE greatest(p_at + interval '1 second',
                      (local::date + CASE WHEN local::time < p_to THEN 0 ELSE 1 END + p_to) AT TIME ZONE p_zone)
    END FROM (SELECT p_at AT TIME ZONE p_zone AS local) l
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- What objections say about a host at a moment. In plpgsql for its plans, which
-- are kept: this is asked before every request.
CREATE FUNCTION courtesy_objection(p_host text, p_at timestamptz, OUT stop boolean, OUT quiet_until timestamptz, OUT slower double precision)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    bare text := regexp_replace(p_host, ':[0-9]+$', '');
    names text[] := courtesy_names(p_host);
BEGIN
    SELECT coalesce(bool_or(o.kind = 'stop'), false),
           max(CASE WHEN o.kind = 'quiet_hours' THEN courtesy_quiet_end(o.quiet_from, o.quiet_to, o.zone, p_at) END),
           coalesce(max(CASE WHEN o.kind = 'slower' THEN o.factor END), 1)
      INTO stop, quiet_until, slower
      FROM objections o
     WHERE o.withdrawn_at IS NULL AND (o.ends_at IS NULL OR o.ends_at > p_at) AND o.host = ANY (names)
       AND (o.subdomains OR o.host = p_host OR o.host = bare);
END
$$;
-- +goose StatementEnd

-- The ways in which a visit may go at another pace than its limits: exactly
-- these (C-46).
CREATE TYPE pacing_exception AS ENUM ('uptime', 'brisk_gait');

-- Orders that a scan goes briskly for a while, refused ones too (C-47).
CREATE TABLE brisk_gaits (
    id       text COLLATE "C" PRIMARY KEY,
    scan_id  text COLLATE "C" NOT NULL,
    asked_by text NOT NULL,
    reason   text NOT NULL,
    minutes  integer NOT NULL,
    asked_at timestamptz NOT NULL,
    until    timestamptz,
    outcome  text NOT NULL CHECK (outcome IN ('asked', 'granted', 'refused')),
    refusal  text NOT NULL DEFAULT '',
    held     text NOT NULL DEFAULT '' CHECK (held IN ('', 'crawl_delay', 'objection')),
    CHECK (outcome <> 'granted' OR (until IS NOT NULL AND minutes BETWEEN 1 AND 120 AND length(reason) BETWEEN 10 AND 500 AND asked_by <> ''))
);
CREATE INDEX brisk_gaits_scan ON brisk_gaits (scan_id);

-- +goose StatementBegin
-- The exception from pacing in force for a scan's visit to a host, null for none.
-- It lapses by the clock alone. A Crawl-delay (C-49) or the host's wish for a
-- slower pace is stronger; that is noted with the order.
CREATE FUNCTION courtesy_exception(p_scan text, p_host text, p_delay bigint, p_slower double precision, p_at timestamptz) RETURNS pacing_exception
LANGUAGE plpgsql AS $$
DECLARE
    g brisk_gaits;
    why text;
BEGIN
    SELECT b.* INTO g FROM brisk_gaits b JOIN scans s ON s.id = b.scan_id AND s.scope_host = p_host
     WHERE b.scan_id = p_scan AND b.outcome = 'granted' AND b.until > p_at ORDER BY b.until DESC LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    why := CASE WHEN p_delay > 0 THEN 'crawl_delay' WHEN p_slower > 1 THEN 'objection' ELSE '' END;
    IF why = '' THEN
        RETURN 'brisk_gait';
    END IF;
    IF g.held = '' THEN
        UPDATE brisk_gaits SET held = why WHERE id = g.id AND held = '';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Asks for a turn as courtesy_reserve does, after what objections and exceptions
-- say. objection is 'stop', 'quiet_hours' or ''; slower is what the host's wish
-- multiplies every pause by. Spans are in microseconds.
CREATE FUNCTION courtesy_turn(
    p_scan text, p_host text, p_ip text, p_holder text, p_slots integer, p_ip_slots integer, p_ttl bigint,
    p_pause_min bigint, p_factor double precision, p_delay bigint, p_origin text,
    OUT granted boolean, OUT wait_us bigint, OUT parked boolean, OUT busy boolean, OUT slow double precision, OUT robots_read_at timestamptz,
    OUT objection text, OUT slower double precision, OUT exception pacing_exception
) LANGUAGE plpgsql AS $$
DECLARE
    t timestamptz := courtesy_now();
    o record;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT * INTO o FROM courtesy_objection(p_host, t);
    slower := o.slower;
    objection := CASE WHEN o.stop THEN 'stop' WHEN o.quiet_until IS NOT NULL THEN 'quiet_hours' ELSE '' END;
    IF objection <> '' THEN
        granted := false;
        parked := false;
        busy := false;
        slow := o.slower;
        wait_us := CASE WHEN o.stop THEN 0 ELSE ceil(extract(epoch FROM o.quiet_until - t) * 1000000) END;
        RETURN;
    END IF;
    exception := courtesy_exception(p_scan, p_host, p_delay, slower, t);
    IF exception = 'brisk_gait' THEN -- R-07, R-08: the least pause, two pages at once
        p_slots := greatest(p_slots, 2);
        p_factor := 0;
    END IF;
    SELECT r.granted, r.wait_us, r.parked, r.busy, r.slow * slower, r.robots_read_at
      INTO granted, wait_us, parked, busy, slow, robots_read_at
      FROM courtesy_reserve(p_host, p_ip, p_holder, p_slots, p_ip_slots, p_ttl, (p_pause_min * slower)::bigint, p_factor * slower,
                            least(p_delay * slower, 315360000000000)::bigint, p_origin) r;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION courtesy_turn;
DROP FUNCTION courtesy_exception;
DROP TABLE brisk_gaits;
DROP TYPE pacing_exception;
DROP FUNCTION courtesy_objection;
DROP FUNCTION courtesy_quiet_end;
DROP FUNCTION courtesy_names;
DROP TABLE objections;
