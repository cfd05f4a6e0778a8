package api_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"visite/api"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/internal/siteproof"
	"visite/schema"
)

var (
	_ api.Visited    = (*postgres.CourtesyStore)(nil)
	_ api.HostProofs = siteproof.Checker{}
)

// fakeNames answers for the text records given.
type fakeNames map[string][]string

func (f fakeNames) LookupTXT(_ context.Context, name string) ([]string, error) {
	return f[strings.TrimSuffix(name, ".")], nil
}

// visitedEdge is an edge with what those who are visited ask.
type visitedEdge struct {
	*edge
	ledger *postgres.CourtesyStore
	names  fakeNames
	files  map[string]string // address -> body, of proof files
	visits []schema.Visit
	later  time.Duration // the edge's clock is ahead by so much
}

func newVisitedEdge(t *testing.T, change ...func(*api.Options)) *visitedEdge {
	t.Helper()
	v := &visitedEdge{ledger: postgres.NewCourtesyStore(pgtest.DB(t)), names: fakeNames{}, files: map[string]string{}}
	change = append([]func(*api.Options){func(o *api.Options) {
		o.Visited, o.LedgerDays = v.ledger, 90
		o.Now = func() time.Time { return time.Now().Add(v.later) }
		o.HostProofs = siteproof.Checker{Resolver: v.names, Visit: v.visit}
	}}, change...)
	v.edge = newEdge(t, change...)
	return v
}

// visit stands in for the door.
func (v *visitedEdge) visit(_ context.Context, visit schema.Visit, _ int64) (int, []byte, schema.Admission, error) {
	v.visits = append(v.visits, visit)
	granted := schema.Admission{Kind: schema.AdmissionGranted}
	if body, ok := v.files[visit.URL]; ok {
		return http.StatusOK, []byte(body), granted, nil
	}
	return http.StatusNotFound, nil, granted, nil
}

// sent writes requests of ours into the ledger, as scans of somebody would.
func (v *visitedEdge) sent(at time.Time, host string, addresses ...string) {
	v.t.Helper()
	var lines []schema.LedgerLine
	for _, address := range addresses {
		lines = append(lines, schema.LedgerLine{
			At: at, ScanID: "scan-of-" + customerWord, WorkspaceID: "workspace-of-" + customerWord, Host: host, Method: http.MethodGet, URL: schema.RedactAddress(address),
			Purpose: schema.PurposePage, Cause: schema.CauseScan, Profile: "visite",
		})
	}
	ids, _, err := v.ledger.BeginLines(v.t.Context(), lines)
	check(v.t, err)
	for i, id := range ids {
		if id <= 0 {
			v.t.Fatalf("line %d was not written: %d", i, id)
		}
	}
}

// customerWord must never be seen by those who are visited.
const customerWord = "zanzibar"

// form posts a form as a browser without scripts does.
func (e *edge) form(path string, values url.Values, headers ...string) answer {
	e.t.Helper()
	return e.call(http.MethodPost, path, "", values.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

// rest lets a minute go by for whoever counts questions.
func (v *visitedEdge) rest() { v.later = v.later + time.Minute }
