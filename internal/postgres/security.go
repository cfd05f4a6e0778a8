package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	securitySelect = `SELECT s.probe, s.front FROM site_security s JOIN scans c ON c.seq = s.scan WHERE c.id = $1`
	securityProbe  = `INSERT INTO site_security (scan, probe) SELECT seq, $2 FROM scans WHERE id = $1
ON CONFLICT (scan) DO UPDATE SET probe = EXCLUDED.probe`
	securityFront = `INSERT INTO site_security (scan, front) SELECT seq, $2 FROM scans WHERE id = $1
ON CONFLICT (scan) DO UPDATE SET front = EXCLUDED.front`
	securityVerdictSet = `INSERT INTO site_security (scan, verdict) VALUES ($1, $2)
ON CONFLICT (scan) DO UPDATE SET verdict = EXCLUDED.verdict`
	securityVerdict = `SELECT s.verdict FROM site_security s JOIN scans c ON c.seq = s.scan WHERE c.id = $1`
	factSecurity    = `SELECT probe, front FROM site_security WHERE scan = $1`
)

// SiteProbe reads what is known of the connections of a scan's site so far; the
// zero value where nothing is.
func (s *Store) SiteProbe(ctx context.Context, scanID string) (schema.SiteProbe, error) {
	facts, err := readSecurity(s.pool.QueryRow(ctx, securitySelect, scanID))
	if facts.Probe == nil {
		return schema.SiteProbe{}, told("read a site's connections", err)
	}
	return *facts.Probe, told("read a site's connections", err)
}

// SetSiteProbe records what is known of them.
func (s *Store) SetSiteProbe(ctx context.Context, scanID string, p schema.SiteProbe) error {
	return s.exec(ctx, "record a site's connections", securityProbe, scanID, p)
}

// SetFront records what the page a scan began at tells browsers.
func (s *Store) SetFront(ctx context.Context, scanID string, f schema.FrontSecurity) error {
	return s.exec(ctx, "record the front page's security", securityFront, scanID, f)
}

// Security reads what a site's security came to; empty before the scan's end.
func (s *Store) Security(ctx context.Context, scanID string) (schema.SiteSecurity, error) {
	var v *schema.SiteSecurity
	err := s.pool.QueryRow(ctx, securityVerdict, scanID).Scan(&v)
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && v == nil) {
		return schema.SiteSecurity{}, nil
	}
	if err != nil {
		return schema.SiteSecurity{}, told("read a site's security", err)
	}
	return *v, nil
}

// readSecurity reads probe and front; nothing where there is no row.
func readSecurity(row pgx.Row) (schema.SecurityFacts, error) {
	var f schema.SecurityFacts
	err := row.Scan(&f.Probe, &f.Front)
	if errors.Is(err, pgx.ErrNoRows) {
		return schema.SecurityFacts{}, nil
	}
	return f, err
}
