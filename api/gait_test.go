package api_test

import (
	"errors"
	"testing"
	"time"

	"visite/api"
	"visite/internal/config"
	"visite/schema"
)

var goodOrder = map[string]any{"reason": "The site's operators asked for it.", "minutes": 30, "by": "Ada"}

// proves C-47: by an operator alone, with a reason, an end and a name.
func TestABriskGaitIsOrderedByTheOperator(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "https://example.com/")
	path := "/v1/scans/" + scan.ID + "/brisk"

	var got api.BriskGait
	e.call("POST", path, bootstrap, goodOrder).want(200, &got)
	want := api.BriskGait{ID: got.ID, ScanID: scan.ID, Reason: "The site's operators asked for it.", By: "Ada", Until: time.Date(2030, 1, 1, 0, 30, 0, 0, time.UTC), CrawlDelay: true}
	if got != want || got.ID == "" {
		t.Errorf("answer %+v", got)
	}
	if want := (schema.BriskOrder{Reason: want.Reason, Minutes: 30, By: "Ada"}); len(e.scans.brisk) != 1 || e.scans.brisk[0] != want {
		t.Errorf("handed on: %+v", e.scans.brisk)
	}

	e.call("POST", path, token, goodOrder).problem(403, "operator-only")
	e.call("POST", path, "", goodOrder).problem(401, "token-missing")
	e.call("POST", path, "vst_nobody", goodOrder).problem(401, "token-unknown")
	e.call("POST", path, "another-secret-of-somebody", goodOrder).problem(401, "token-unknown")
	e.call("POST", "/v1/scans/01ARZ3NDEKTSV4RRFFQ69G5FAV/brisk", bootstrap, goodOrder).problem(404, "not-found")
	if len(e.scans.brisk) != 1 {
		t.Errorf("handed on without right: %+v", e.scans.brisk)
	}
}

func TestNoOperatorWithoutASecret(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.BootstrapToken = config.Secret("") })
	e.call("POST", "/v1/scans/01ARZ3NDEKTSV4RRFFQ69G5FAV/brisk", "some-secret", goodOrder).problem(403, "operator-off")
}

// proves C-47: what is declined is explained, goes no further, and is on record.
func TestDeclinedBriskGaitsAreRecorded(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "https://example.com/")
	path := "/v1/scans/" + scan.ID + "/brisk"
	cases := []struct {
		status        int
		code, pointer string
		order         map[string]any
	}{
		{422, "reason-missing", "/reason", map[string]any{"minutes": 30, "by": "Ada"}},
		{422, "reason-length", "/reason", map[string]any{"reason": "because", "minutes": 30, "by": "Ada"}},
		{422, "brisk-too-long", "/minutes", map[string]any{"reason": "A reason of some length.", "by": "Ada"}},
		{422, "brisk-too-long", "/minutes", map[string]any{"reason": "A reason of some length.", "minutes": 121, "by": "Ada"}},
		{422, "operator-unnamed", "/by", map[string]any{"reason": "A reason of some length.", "minutes": 120}},
	}
	for _, c := range cases {
		p := e.call("POST", path, bootstrap, c.order).problem(c.status, c.code)
		if f := fieldOf(t, p); f.Pointer != c.pointer {
			t.Errorf("%s: field %+v", c.code, f)
		}
	}
	if len(e.scans.brisk) != 0 {
		t.Fatalf("handed on: %+v", e.scans.brisk)
	}
	e.scans.briskErr = &schema.Refusal{Kind: schema.RefusalConflict, Code: "brisk-already", Detail: "The scan goes briskly already.", Remedy: "Wait until that ends."}
	e.call("POST", path, bootstrap, goodOrder).problem(409, "brisk-already")
	e.scans.briskErr = errors.New("temporal is away")
	e.call("POST", path, bootstrap, goodOrder).problem(500, "internal")
	check(t, e.store.Finish(t.Context(), scan.ID, schema.ScanFinished, ""))
	e.call("POST", path, bootstrap, goodOrder).problem(409, "scan-not-running")

	gaits, err := e.store.BriskGaits(t.Context(), scan.ID)
	check(t, err)
	var codes []string
	for _, g := range gaits {
		codes = append(codes, string(g.Outcome)+" "+g.Refusal)
	}
	want := []string{"refused reason-missing", "refused reason-length", "refused brisk-too-long", "refused brisk-too-long", "refused operator-unnamed",
		"refused brisk-already", "asked ", "refused scan-not-running"}
	if !sameStrings(codes, want) {
		t.Errorf("recorded %q", codes)
	}
}
