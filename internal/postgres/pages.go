package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	// pageInsert records a page under a claim ($1), without waiting for the disk.
	// Its links come with their ids ($34).
	pageInsert = pageInto + `$34::bigint[], $35, $36` + pageClaimed

	// pageInsertResolving is for a page with links whose ids are not known: these
	// come as hashes ($37), null where the id is known, and the ids of all come back.
	pageInsertResolving = pageInto + `ARRAY(SELECT coalesce(k.id, (SELECT a.id FROM addresses a WHERE a.scan = f.scan AND a.key_hash = k.hash))
          FROM unnest($34::bigint[], $37::bytea[]) WITH ORDINALITY AS k (id, hash, n) ORDER BY k.n), $35, $36` + pageClaimed + ` RETURNING link_ids`

	pageInto = `INSERT INTO pages (id, scan, content_hash, wire_bytes, bytes, inspected_at, words, elements, requests, refused_calls,
    dns_us, connect_us, tls_us, ttfb_us, body_us, load_us, status, outcome, reason, final_url, media_type, charset, protocol, encoding,
    title, description, canonical, redirects, sharing, languages, robots_tags, notes, structure, measured, link_ids, link_kinds, blocked_by)
SELECT f.address_id, f.scan, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
    $24, $25, $26, $27::jsonb, $28::jsonb, $29::jsonb, $30, $31, $32, $33::jsonb, `
	pageClaimed = `
FROM frontier f WHERE f.address_id = $1 AND f.state = 1 AND set_config('synchronous_commit', 'off', true) = 'off'`

	// pageColumns are read by scanPage.
	pageColumns = `p.id, a.url, f.depth, p.content_hash, p.wire_bytes, p.bytes, p.inspected_at, p.words, p.elements, p.requests, p.refused_calls,
    p.dns_us, p.connect_us, p.tls_us, p.ttfb_us, p.body_us, p.load_us, p.status, p.outcome, p.reason, p.final_url, p.media_type, p.charset,
    p.protocol, p.encoding, p.title, p.description, p.canonical, p.redirects, p.sharing, p.languages, p.robots_tags, p.notes, p.blocked_by, p.structure, p.measured`
	// pageList names the beginning for each table: a merge of all three would else
	// read the other two from their first row on, for every stretch.
	pageList = `SELECT ` + pageColumns + `
FROM pages p JOIN addresses a ON a.id = p.id AND a.id > $2 JOIN frontier f ON f.address_id = p.id AND f.address_id > $2
WHERE p.scan = (SELECT seq FROM scans WHERE id = $1) AND p.id > $2 AND ($3 = '' OR p.outcome = $3) ORDER BY p.id LIMIT $4`
)

// linkKinds gives each kind its number in pages.link_kinds; only ever added to.
var linkKinds = []schema.LinkKind{schema.LinkAnchor, schema.LinkCanonical, schema.LinkAlternate, schema.LinkFrame, schema.LinkRefresh,
	schema.LinkImage, schema.LinkScript, schema.LinkStyle, schema.LinkMedia}

// noFollowBit marks a link its page asks not to follow.
const noFollowBit = 0x80

func kindByte(l schema.PageLink) byte {
	var b byte
	for i, k := range linkKinds {
		if k == l.Kind {
			b = byte(i)
		}
	}
	if l.NoFollow {
		b |= noFollowBit
	}
	return b
}

// kindOf reads a byte of pages.link_kinds; empty for one of a later version.
func kindOf(b byte) schema.LinkKind {
	if i := int(b &^ noFollowBit); i < len(linkKinds) {
		return linkKinds[i]
	}
	return ""
}

// linkList is a page's links as columns, in its order.
type linkList struct {
	ids    []*int64 // null where not known
	kinds  []byte
	hashes [][]byte // of those not known; nil where all are
}

// pageStatement writes a page under its claim; with told the links' ids come back.
func pageStatement(id int64, p schema.Page, links linkList) (sql string, args []any, told bool) {
	args = pageArgs(id, p, links)
	if links.hashes == nil {
		return pageInsert, args, false
	}
	return pageInsertResolving, append(args, links.hashes), true
}

// pageArgs are pageInsert's, and the first of pageInsertResolving's.
func pageArgs(id int64, p schema.Page, links linkList) []any {
	final := p.FinalURL
	if final == p.URL {
		final = ""
	}
	inspected := p.InspectedAt
	if inspected.IsZero() {
		inspected = time.Now()
	}
	t := p.Timing
	return []any{id, int64(p.ContentHash), p.WireBytes, p.Bytes, inspected, int32Of(p.Words), int32Of(p.Elements), int32Of(p.Requests), int32Of(p.RefusedCalls),
		microseconds(t.DNSMS), microseconds(t.ConnectMS), microseconds(t.TLSMS), microseconds(t.TTFBMS), microseconds(t.BodyMS), microseconds(t.LoadMS),
		int16Of(p.Status), string(p.Outcome), string(p.Reason), text(final), text(p.MediaType), text(p.Charset), text(p.Protocol), text(p.Encoding),
		text(p.Title), text(p.Description), text(p.Canonical), hopsOrNil(p.Redirects), mapOrNil(p.Sharing), languagesOrNil(p.Languages),
		texts(p.RobotsTags), texts(p.Notes), int64(p.Structure), measuredOrNil(p), links.ids, links.kinds, text(p.BlockedBy)}
}

func hopsOrNil(hops []schema.Hop) any {
	if len(hops) == 0 {
		return nil
	}
	out := make([]schema.Hop, len(hops))
	for i, h := range hops {
		out[i] = schema.Hop{URL: text(h.URL), Status: h.Status}
	}
	return out
}

func mapOrNil(m map[string]string) any {
	if len(m) == 0 {
		return nil
	}
	return textMap(m)
}

func languagesOrNil(l schema.Languages) any {
	if l.HTML == "" && l.Header == "" && len(l.Hreflang) == 0 {
		return nil
	}
	return schema.Languages{HTML: text(l.HTML), Header: text(l.Header), Hreflang: textMap(l.Hreflang)}
}

// measured is the column of the same name.
type measured struct {
	Speed  *schema.Speed  `json:"speed,omitempty"`
	Weight *schema.Weight `json:"weight,omitempty"`

	TrackersBy schema.TrackersBy `json:"trackers_by,omitempty"`
}

func measuredOrNil(p schema.Page) any {
	m := measured{p.Speed, p.Weight, p.TrackersBy}
	if m == (measured{}) {
		return nil
	}
	return m
}

// Pages lists a scan's pages with their findings, without their links.
func (s *Store) Pages(ctx context.Context, scanID string, f schema.PageFilter, r schema.Range) ([]schema.Page, error) {
	after, err := rowAfter(r)
	if err != nil {
		return nil, err
	}
	rows, err := s.pool.Query(ctx, pageList, scanID, after, string(f.Outcome), r.Limit)
	if err != nil {
		return nil, told("list pages", err)
	}
	pages, err := pgx.CollectRows(rows, scanPage)
	if err != nil {
		return nil, told("list pages", err)
	}
	ids := make([]int64, len(pages))
	for i := range pages {
		ids[i] = pages[i].ID
	}
	found, err := s.findingsOfPages(ctx, ids)
	for i := range pages {
		pages[i].ScanID = scanID
		pages[i].Findings = found[pages[i].ID]
	}
	return pages, told("list findings of pages", err)
}

func scanPage(row pgx.CollectableRow) (schema.Page, error) {
	var v schema.Page
	var hash, structure int64
	var dns, connect, tls, ttfb, body, load int32
	var languages *schema.Languages
	var figures *measured
	err := row.Scan(&v.ID, &v.URL, &v.Depth, &hash, &v.WireBytes, &v.Bytes, &v.InspectedAt, &v.Words, &v.Elements, &v.Requests, &v.RefusedCalls,
		&dns, &connect, &tls, &ttfb, &body, &load, &v.Status, &v.Outcome, &v.Reason, &v.FinalURL, &v.MediaType, &v.Charset,
		&v.Protocol, &v.Encoding, &v.Title, &v.Description, &v.Canonical, &v.Redirects, &v.Sharing, &languages, &v.RobotsTags, &v.Notes, &v.BlockedBy, &structure, &figures)
	v.ContentHash, v.Structure = uint64(hash), uint64(structure)
	v.InspectedAt = v.InspectedAt.UTC()
	v.Timing = schema.Timing{DNSMS: milliseconds(dns), ConnectMS: milliseconds(connect), TLSMS: milliseconds(tls),
		TTFBMS: milliseconds(ttfb), BodyMS: milliseconds(body), LoadMS: milliseconds(load)}
	if v.FinalURL == "" {
		v.FinalURL = v.URL
	}
	if figures != nil {
		v.Speed, v.Weight, v.TrackersBy = figures.Speed, figures.Weight, figures.TrackersBy
	}
	if languages != nil {
		v.Languages = *languages
	}
	return v, err
}
