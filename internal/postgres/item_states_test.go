package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"visite/schema"
)

// What was decided about an item holds for the site until it ends or is taken back.
func TestItemDecisionsHoldForTheSite(t *testing.T) {
	w := newWorld(t)
	other := w.newSite(w.workspace, "http://127.0.0.1:8081/", "127.0.0.1:8081", true)
	soon, past := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond), time.Now().Add(-time.Hour)
	decide := func(item string, state schema.ItemState, until time.Time) {
		t.Helper()
		d, err := w.DecideItem(w.ctx, w.site.ID, schema.ItemDecision{Item: item, State: state, Reason: "why " + item, Until: until})
		must(t, err)
		if d.State != state || state != schema.ItemOpen && d.DecidedAt.IsZero() {
			t.Errorf("decided %+v", d)
		}
	}
	name := func(i int) string { return fmt.Sprintf("%016x", i) }
	decide(name(1), schema.ItemIgnored, time.Time{})
	decide(name(1), schema.ItemAcknowledged, soon)
	decide(name(2), schema.ItemIgnored, time.Time{})
	decide(name(3), schema.ItemAcknowledged, past)
	decide(name(4), schema.ItemIgnored, time.Time{})
	decide(name(4), schema.ItemOpen, time.Time{})
	states, err := w.ItemStates(w.ctx, w.site.ID)
	must(t, err)
	for i, want := range []schema.ItemState{schema.ItemOpen, schema.ItemAcknowledged, schema.ItemIgnored, schema.ItemOpen, schema.ItemOpen} {
		equal(t, name(i), states.Of(name(i)).State, want)
	}
	equal(t, "the end", states.Of(name(1)).Until, soon)
	equal(t, "the reason", states.Of(name(1)).Reason, "why "+name(1))
	list, err := w.ItemDecisions(w.ctx, w.site.ID, schema.Range{After: name(1), Limit: 5})
	must(t, err)
	if len(list) != 2 || list[0].Item != name(2) || !list[1].Ended {
		t.Errorf("after the first: %+v", list)
	}
	none, err := w.ItemStates(w.ctx, other.ID)
	must(t, err)
	equal(t, "of another site", len(none), 0)
}

func TestItemDecisionsAreBounded(t *testing.T) {
	w := newWorld(t)
	_, err := w.pool.Exec(w.ctx, `INSERT INTO item_states (site_id, fingerprint, state, reason) SELECT $1, lpad(to_hex(g), 16, '0'), 'ignored', '' FROM generate_series(1, $2::int) g`, w.site.ID, schema.ItemsDecidedMost)
	must(t, err)
	_, err = w.DecideItem(w.ctx, w.site.ID, schema.ItemDecision{Item: "ffffffffffffffff", State: schema.ItemIgnored})
	wantRefusal(t, err, schema.RefusalConflict, "too-many-items-decided")
	_, err = w.DecideItem(w.ctx, w.site.ID, schema.ItemDecision{Item: "0000000000000001", State: schema.ItemIgnored, Reason: "again"})
	must(t, err)
}
