package postgres

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	readingRobots = `INSERT INTO site_reading (scan, robots) SELECT seq, $2 FROM scans WHERE id = $1
ON CONFLICT (scan) DO UPDATE SET robots = EXCLUDED.robots`
	readingSitemap = `INSERT INTO site_reading (scan, sitemaps) SELECT seq, jsonb_build_object($2::text, $3::jsonb) FROM scans WHERE id = $1
ON CONFLICT (scan) DO UPDATE SET sitemaps = site_reading.sitemaps || EXCLUDED.sitemaps`
	factReading = `SELECT robots, sitemaps FROM site_reading WHERE scan = $1`
)

// SetRobotsFile records how a site's robots.txt is written.
func (s *Store) SetRobotsFile(ctx context.Context, scanID string, f schema.RobotsFile) error {
	return s.exec(ctx, "record how robots.txt is written", readingRobots, scanID, f)
}

// SetSitemapFile records what one sitemap came to; repeating changes nothing.
func (s *Store) SetSitemapFile(ctx context.Context, scanID string, f schema.SitemapFile) error {
	return s.exec(ctx, "record a sitemap", readingSitemap, scanID, text(f.URL), f)
}

func readReading(row pgx.Row) (schema.SiteReading, error) {
	var r schema.SiteReading
	var sitemaps map[string]schema.SitemapFile
	err := row.Scan(&r.Robots, &sitemaps)
	if errors.Is(err, pgx.ErrNoRows) {
		return schema.SiteReading{}, nil
	}
	for _, url := range slices.Sorted(maps.Keys(sitemaps)) {
		r.Sitemaps = append(r.Sitemaps, sitemaps[url])
	}
	return r, err
}
