package activities

import (
	"context"
	"slices"
	"testing"

	"visite/schema"
)

// askedStore answers whether a preview is wanted and counts the questions.
type askedStore struct {
	ScanStore
	wanted bool
	asked  int
}

func (s *askedStore) PreviewWanted(context.Context, schema.Claim) (bool, error) {
	s.asked++
	return s.wanted, nil
}

// A preview is asked for only where the site's owner has them switched on and
// ordered the scan; otherwise not even the database is asked.
//
// proves R-23
func TestOnlyAnOwnersSwitchBringsPreviews(t *testing.T) {
	own, permitted := schema.Basis{Kind: schema.BasisOwn}, schema.Basis{Kind: schema.BasisPermission, Party: "Example Ltd"}
	for name, c := range map[string]struct {
		scan         schema.Scan
		wanted       bool
		asked, drawn bool
	}{
		"off":             {scan: schema.Scan{Basis: own}, wanted: true},
		"on":              {scan: schema.Scan{Basis: own, Previews: true}, wanted: true, asked: true, drawn: true},
		"on, and enough":  {scan: schema.Scan{Basis: own, Previews: true}, asked: true},
		"another's order": {scan: schema.Scan{Basis: permitted, Previews: true}, wanted: true},
		"a free analysis": {scan: schema.Scan{Basis: schema.Basis{Kind: schema.BasisNone}, Cause: schema.CauseFree, Previews: true}, wanted: true},
	} {
		store := &askedStore{wanted: c.wanted}
		preview, err := (&Pages{Store: store}).previewFor(t.Context(), c.scan, schema.Claim{}, nil)
		if err != nil || (preview != nil) != c.drawn || (store.asked > 0) != c.asked {
			t.Errorf("%s: drawn %v, asked %d times, %v", name, preview != nil, store.asked, err)
		}
	}
}

func TestPlacesAreMarkedOnceGravestFirst(t *testing.T) {
	at := func(selector string, severity schema.Severity) schema.Finding {
		return schema.Finding{Selector: selector, Severity: severity}
	}
	page := schema.Page{Findings: []schema.Finding{at("p", schema.SeverityInfo), at("", schema.SeverityCritical), at("img", schema.SeverityMinor), at("a", schema.SeverityCritical), at("img", schema.SeveritySerious)}}
	if got := selectorsOf(page); !slices.Equal(got, []string{"a", "img", "p"}) {
		t.Errorf("%q", got)
	}
}
