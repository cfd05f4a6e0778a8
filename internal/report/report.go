// Package report renders what is recorded of a scan: JSON, CSV, SARIF, EARL and
// JUnit for other tools, and a self-contained HTML page for people. It reads its source in stretches, so a
// scan of any size is rendered in bounded memory.
package report

import (
	"context"
	"strconv"

	"visite/schema"
)

// Source is the read side of a scan's record.
type Source interface {
	// Progress counts the scan's addresses and findings.
	Progress(ctx context.Context, scanID string) (schema.Progress, error)
	// Unlooked counts analysed pages on which some of what is looked for was not.
	Unlooked(ctx context.Context, scanID string) (schema.Unlooked, error)
	// Pages lists pages with their findings, in the order of their ids.
	Pages(ctx context.Context, scanID string, f schema.PageFilter, r schema.Range) ([]schema.Page, error)
	// Findings lists findings with the address of their page, in the order of their ids.
	Findings(ctx context.Context, scanID string, f schema.FindingFilter, r schema.Range) ([]schema.ListedFinding, error)
	// Links lists links with their verdicts, in the order of their ids.
	Links(ctx context.Context, scanID string, f schema.LinkFilter, r schema.Range) ([]schema.ListedLink, error)
	// BriskGaits lists orders of a brisk gait and what became of them, oldest first.
	BriskGaits(ctx context.Context, scanID string) ([]schema.BriskGait, error)
	// Security reads what the site's security came to; empty before the scan's end.
	Security(ctx context.Context, scanID string) (schema.SiteSecurity, error)
	// Scores reads how the site came off; nil before the scan's end and where no page was analysed.
	Scores(ctx context.Context, scanID string) (*schema.Scores, error)
	// ScoresBefore lists the site's last finished scans before it that are comparable, newest first.
	ScoresBefore(ctx context.Context, scanID string, most int) ([]schema.ScoredScan, error)
	// ItemStates reads what was decided about the site's items.
	ItemStates(ctx context.Context, siteID string) (schema.ItemStates, error)
	// Items reads what the scan's findings fold to.
	Items(ctx context.Context, scanID string) (schema.ItemFold, error)
	// Previews lists those of the scan's pages; none where the owner does not have them switched on.
	Previews(ctx context.Context, scanID string) ([]schema.ListedPreview, error)
	// HostTotals sums the scan's requests by host.
	HostTotals(ctx context.Context, scanID string) ([]schema.HostTotals, error)
}

// Options of a report.
type Options struct {
	Lang      Lang   // English where empty
	RulePages string // as in Renderer
}

// How many items are read from the source at a time.
const (
	pageStretch = 50 // a page may have thousands of findings
	itemStretch = 1000
)

// each reads a list stretch by stretch and hands every item on.
func each[T any](limit int, read func(schema.Range) ([]T, error), key func(T) int64, do func(T) error) error {
	r := schema.Range{Limit: limit}
	for {
		items, err := read(r)
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := do(item); err != nil {
				return err
			}
		}
		if len(items) < limit {
			return nil
		}
		r.After = strconv.FormatInt(key(items[len(items)-1]), 10)
	}
}

func eachPage(ctx context.Context, src Source, scanID string, do func(schema.Page) error) error {
	return each(pageStretch, func(r schema.Range) ([]schema.Page, error) {
		return src.Pages(ctx, scanID, schema.PageFilter{}, r)
	}, func(p schema.Page) int64 { return p.ID }, do)
}

func eachFinding(ctx context.Context, src Source, scanID string, do func(schema.ListedFinding) error) error {
	return each(itemStretch, func(r schema.Range) ([]schema.ListedFinding, error) {
		return src.Findings(ctx, scanID, schema.FindingFilter{}, r)
	}, func(f schema.ListedFinding) int64 { return f.ID }, do)
}

func eachLink(ctx context.Context, src Source, scanID string, f schema.LinkFilter, do func(schema.ListedLink) error) error {
	return each(itemStretch, func(r schema.Range) ([]schema.ListedLink, error) {
		return src.Links(ctx, scanID, f, r)
	}, func(l schema.ListedLink) int64 { return l.ID }, do)
}
