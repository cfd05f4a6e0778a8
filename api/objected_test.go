package api_test

import (
	"testing"

	"visite/schema"
)

// proves C-43: no customer's order is taken for a host that has asked us to stay
// away, until the one who asked takes it back; other wishes are the door's to keep.
func TestNoOrderForAHostThatObjects(t *testing.T) {
	e := newVisitedEdge(t)
	token, other := e.workspace("one"), e.workspace("two")
	ctx := t.Context()
	_, err := e.ledger.AddObjection(ctx, schema.Objection{Host: "localhost:4000", Kind: schema.ObjectionSlower, Factor: 2})
	check(t, err)
	stop, err := e.ledger.AddObjection(ctx, schema.Objection{Host: "localhost", Kind: schema.ObjectionStop})
	check(t, err)
	for _, customer := range []string{token, other} {
		p := e.order(customer, map[string]any{"url": "http://localhost:4000/"}).problem(403, "host-objected")
		if f := fieldOf(t, p); f.Pointer != "/url" {
			t.Errorf("field %+v", f)
		}
	}
	if started := e.scans.starts(); len(started) != 0 {
		t.Errorf("%d workflows were started", len(started))
	}
	check(t, e.ledger.WithdrawObjection(ctx, stop.ID))
	e.order(token, map[string]any{"url": "http://localhost:4000/"}).want(202, nil)
}
