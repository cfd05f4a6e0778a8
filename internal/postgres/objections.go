package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/oklog/ulid/v2"

	"visite/schema"
)

const objectionColumns = `id, host, subdomains, kind, coalesce(to_char(quiet_from, 'HH24:MI'), ''), coalesce(to_char(quiet_to, 'HH24:MI'), ''), zone,
factor, contact, message, proven_by, created_at, ends_at`

const (
	// The time zone is tried before the row is written; its name is PostgreSQL's to know.
	objectionAdd = `INSERT INTO objections (id, host, subdomains, kind, quiet_from, quiet_to, zone, factor, contact, message, proven_by, created_at, ends_at)
SELECT $1, $2, $3, $4, nullif($5, '')::time, nullif($6, '')::time, $7, $8, $9, $10, $11, courtesy_now(), $12
 WHERE $7 = '' OR courtesy_now() AT TIME ZONE coalesce(nullif($7, ''), 'UTC') IS NOT NULL
RETURNING ` + objectionColumns
	objectionWithdraw = `UPDATE objections SET withdrawn_at = courtesy_now() WHERE id = $1 AND withdrawn_at IS NULL`
	objectionOne      = `SELECT ` + objectionColumns + ` FROM objections WHERE id = $1 AND withdrawn_at IS NULL`
	sqlRestsUntil     = `SELECT greatest(o.quiet_until, (SELECT parked_until FROM courtesy_hosts WHERE host = $1)) FROM courtesy_objection($1, courtesy_now()) o`
	objectionsFor     = `SELECT ` + objectionColumns + ` FROM objections
 WHERE withdrawn_at IS NULL AND (ends_at IS NULL OR ends_at > courtesy_now()) AND host = ANY (courtesy_names($1))
   AND (subdomains OR host IN ($1, regexp_replace($1, ':[0-9]+$', '')))
 ORDER BY created_at, id`
)

// RestsUntil is until when a host (HostKey) is left alone: it asked for rest
// or quiet hours hold. Zero, or gone by, where it may be visited.
func (s *CourtesyStore) RestsUntil(ctx context.Context, host string) (time.Time, error) {
	var until *time.Time
	err := s.pool.QueryRow(ctx, sqlRestsUntil, text(host)).Scan(&until)
	return timeOf(until), told("read a host's rest", err)
}

// AddObjection records what a visited site asks of us and returns it with its id
// and time. It holds for the next request of every run (C-43): the door asks in
// the round trip that writes a request's ledger line. What cannot be kept is a
// *schema.Refusal.
func (s *CourtesyStore) AddObjection(ctx context.Context, o schema.Objection) (schema.Objection, error) {
	if err := o.Validate(); err != nil {
		return schema.Objection{}, err
	}
	o = onlyOfItsKind(o)
	rows, err := s.pool.Query(ctx, objectionAdd, ulid.Make().String(), o.Host, o.Subdomains, string(o.Kind), o.From, o.To, o.Zone, o.Factor,
		text(o.Contact), text(o.Message), string(o.ProvenBy), nullTime(o.Until))
	if err != nil {
		return schema.Objection{}, told("add objection", err)
	}
	added, err := pgx.CollectExactlyOneRow(rows, scanObjection)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "22023" { // invalid_parameter_value: no such zone
		return schema.Objection{}, &schema.Refusal{Kind: schema.RefusalInvalid, Field: "/zone", Code: "zone-unknown", Detail: "There is no such time zone.", Remedy: "Give a name such as Europe/Berlin."}
	}
	return added, told("add objection", err)
}

// onlyOfItsKind drops what means nothing for the kind of objection.
func onlyOfItsKind(o schema.Objection) schema.Objection {
	if o.Kind != schema.ObjectionQuietHours {
		o.From, o.To, o.Zone = "", "", ""
	}
	if o.Kind != schema.ObjectionSlower {
		o.Factor = 1
	}
	if o.ProvenBy == "" {
		o.ProvenBy = schema.ProvenByNone
	}
	return o
}

// WithdrawObjection ends an objection; its row stays. Only whoever objected, or
// the operator, may ask for it: the caller sees to that. One that is not there,
// or was withdrawn before, is a *schema.Refusal of kind not found.
func (s *CourtesyStore) WithdrawObjection(ctx context.Context, id string) error {
	tag, err := s.pool.Exec(ctx, objectionWithdraw, text(id))
	if err == nil && tag.RowsAffected() == 0 {
		err = notFound("objection", pgx.ErrNoRows)
	}
	return told("withdraw objection", err)
}

// Objection reads one that was not withdrawn; a *schema.Refusal of kind not
// found where there is none.
func (s *CourtesyStore) Objection(ctx context.Context, id string) (schema.Objection, error) {
	rows, err := s.pool.Query(ctx, objectionOne, text(id))
	if err != nil {
		return schema.Objection{}, told("read objection", err)
	}
	o, err := pgx.CollectExactlyOneRow(rows, scanObjection)
	return o, told("read objection", notFound("objection", err))
}

// Objections lists what holds for a host (HostKey) now, oldest first; those made
// for the name without the port, or for a domain above with its hosts, too.
func (s *CourtesyStore) Objections(ctx context.Context, host string) ([]schema.Objection, error) {
	rows, err := s.pool.Query(ctx, objectionsFor, text(host))
	if err != nil {
		return nil, told("list objections", err)
	}
	list, err := pgx.CollectRows(rows, scanObjection)
	return list, told("list objections", err)
}

func scanObjection(row pgx.CollectableRow) (schema.Objection, error) {
	var o schema.Objection
	var until *time.Time
	err := row.Scan(&o.ID, &o.Host, &o.Subdomains, &o.Kind, &o.From, &o.To, &o.Zone, &o.Factor, &o.Contact, &o.Message, &o.ProvenBy, &o.CreatedAt, &until)
	o.CreatedAt, o.Until = o.CreatedAt.UTC(), timeOf(until)
	return o, err
}
