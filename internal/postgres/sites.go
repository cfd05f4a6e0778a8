package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"visite/schema"
)

const (
	siteUpsert = `INSERT INTO sites (id, workspace_id, url, host, loopback) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (workspace_id, url) DO UPDATE SET loopback = EXCLUDED.loopback
RETURNING id, workspace_id, url, host, loopback, created_at, previews_until`
	siteSelect = `SELECT id, workspace_id, url, host, loopback, created_at, previews_until FROM sites WHERE workspace_id = $1 AND id = $2`
	siteList   = `SELECT id, workspace_id, url, host, loopback, created_at, previews_until FROM sites
WHERE workspace_id = $1 AND ($2 = '' OR id < $2 COLLATE "C") ORDER BY id DESC LIMIT $3`
)

// UpsertSite finds or makes the workspace's site of this origin; whether it
// listens on this machine is as last resolved.
func (s *Store) UpsertSite(ctx context.Context, workspaceID, url, host string, loopback bool) (schema.Site, error) {
	rows, err := s.pool.Query(ctx, siteUpsert, ulid.Make().String(), workspaceID, text(url), text(host), loopback)
	if err != nil {
		return schema.Site{}, told("record site", err)
	}
	site, err := pgx.CollectExactlyOneRow(rows, scanSite)
	return site, told("record site", err)
}

// Site reads one of the workspace's sites.
func (s *Store) Site(ctx context.Context, workspaceID, siteID string) (schema.Site, error) {
	rows, err := s.pool.Query(ctx, siteSelect, workspaceID, siteID)
	if err != nil {
		return schema.Site{}, told("read site", err)
	}
	site, err := pgx.CollectExactlyOneRow(rows, scanSite)
	return site, told("read site", notFound("site", err))
}

// Sites lists the workspace's sites, newest first.
func (s *Store) Sites(ctx context.Context, workspaceID string, r schema.Range) ([]schema.Site, error) {
	rows, err := s.pool.Query(ctx, siteList, workspaceID, text(r.After), r.Limit)
	if err != nil {
		return nil, told("list sites", err)
	}
	sites, err := pgx.CollectRows(rows, scanSite)
	return sites, told("list sites", err)
}

func scanSite(row pgx.CollectableRow) (schema.Site, error) {
	var v schema.Site
	var until *time.Time
	err := row.Scan(&v.ID, &v.WorkspaceID, &v.URL, &v.Host, &v.Loopback, &v.CreatedAt, &until)
	v.Previews.Until = timeOf(until)
	return v, err
}
