package postgres_test

import (
	"reflect"
	"testing"
	"time"

	"visite/schema"
)

// The items of a scan that ended without any kept, or with some of an older version,
// are folded when somebody asks, once: not while a visit may still record, and never
// for a scan that is gone. How its templates were looked at comes back with them.
func TestItemsAreKeptWhenSomebodyAsks(t *testing.T) {
	w := newWorld(t)
	scan := largeScan(t, w, 50)
	run := func(sql string, args ...any) {
		t.Helper()
		_, err := w.pool.Exec(w.ctx, sql, args...)
		must(t, err)
	}
	var shape string
	must(t, w.pool.QueryRow(w.ctx, `SELECT min(url) FROM addresses WHERE url LIKE '%/folder-%'`).Scan(&shape))
	run(`UPDATE pages SET notes = ARRAY[$2], measured = '{"trackers_by": "names"}' WHERE id = (SELECT id FROM addresses WHERE url = $1)`, shape, schema.NoteValidityUnchecked)
	shape = schema.PathShape(shape)
	items := func() schema.ItemFold {
		t.Helper()
		fold, err := w.Items(w.ctx, scan.ID)
		must(t, err)
		return fold
	}
	kept := func() (n int) {
		t.Helper()
		must(t, w.pool.QueryRow(w.ctx, `SELECT count(*) FROM item_folds WHERE looks IS NOT NULL`).Scan(&n))
		return n
	}
	folded := items()
	equal(t, "kept just after the end", kept(), 0)
	equal(t, "looks", folded.Templates[shape], schema.LooksUnvalidated|schema.LooksByNames)
	equal(t, "items", len(folded.Items) > 0, true)

	run(`UPDATE scans SET finished_at = finished_at - interval '1 day'`)
	items()
	equal(t, "kept", kept(), 1)
	run(`UPDATE item_folds SET looks = NULL`) // as a version before them left it
	items()
	equal(t, "kept anew", kept(), 1)
	run(`DELETE FROM findings`)
	again := items()
	if again.Left != folded.Left || !reflect.DeepEqual(again.Templates, folded.Templates) || len(again.Items) != len(folded.Items) {
		t.Errorf("%d items of %d templates are kept, %d of %d were folded", len(again.Items), len(again.Templates), len(folded.Items), len(folded.Templates))
	}
	for id, item := range folded.Items {
		if got := again.Items[id]; got == nil || got.Places != item.Places || got.Pages != item.Pages {
			t.Fatalf("kept %+v of %+v", got, item)
		}
	}
}

// A free analysis that is deleted while somebody reads its items leaves none behind.
func TestNoItemsAreKeptOfAScanThatIsGone(t *testing.T) {
	w := newWorld(t)
	scan := largeScan(t, w, 50)
	going, err := w.pool.Begin(w.ctx) // what ForgetFree does, stopped before its end
	must(t, err)
	defer func() { _ = going.Rollback(w.ctx) }()
	_, err = going.Exec(w.ctx, `DELETE FROM scans WHERE id = $1`, scan.ID)
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- w.FoldItems(w.ctx, scan.ID) }()
	for held := false; !held; { // until the keeping waits for the deletion
		select {
		case err := <-done:
			t.Fatalf("items are kept (%v) while their scan is being deleted", err)
		case <-time.After(10 * time.Millisecond):
		}
		must(t, w.pool.QueryRow(w.ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&held))
	}
	must(t, going.Commit(w.ctx))
	must(t, <-done)
	var n int
	must(t, w.pool.QueryRow(w.ctx, `SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM item_folds)`).Scan(&n))
	equal(t, "rows kept", n, 0)
}
