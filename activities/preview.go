package activities

import (
	"context"

	"visite/internal/inspect"
	"visite/schema"
)

// previewFor is what asks the browser for a preview of a claimed page; nil where
// none is to be made (contract R-23): only the site's owner can have them, and
// only of so many pages. The places to mark are those of the findings that will be
// recorded, so the page is judged once for them while its tab is still open.
func (p *Pages) previewFor(ctx context.Context, scan schema.Scan, claim schema.Claim, pass Pass) (func(Rendered) []string, error) {
	if !scan.Previews || scan.Basis.Kind != schema.BasisOwn {
		return nil, nil
	}
	wanted, err := p.Store.PreviewWanted(ctx, claim)
	if err != nil || !wanted {
		return nil, err
	}
	return func(r Rendered) []string {
		page, _ := inspect.Page(documentOf(scan, pass, r), scan.ScopeHost)
		return selectorsOf(page)
	}, nil
}

// selectorsOf lists the places a page's findings name, each once, gravest first.
func selectorsOf(page schema.Page) []string {
	var out []string
	known := map[string]bool{"": true}
	for rank := len(schema.Severities) - 1; rank >= 0; rank-- {
		for _, f := range page.Findings {
			if f.Severity.Rank() == rank && !known[f.Selector] {
				known[f.Selector] = true
				out = append(out, f.Selector)
			}
		}
	}
	return out
}
