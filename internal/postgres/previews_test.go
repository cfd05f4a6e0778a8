package postgres_test

import (
	"testing"
	"time"

	"visite/schema"
)

func drawing() *schema.Preview {
	p := schema.Preview{Width: 1366, Height: 900, Ground: 0xffff, Boxes: []schema.PreviewBox{{Kind: schema.PreviewText, PreviewPlace: schema.PreviewPlace{X: 8, Y: 8, Width: 100, Height: 18}, Colour: 0x000f}}}
	p.Sound()
	p.Mark("main > img", schema.PreviewPlace{X: 8, Y: 40, Width: 300, Height: 200})
	return &p
}

func (w world) previews(scan schema.Scan) []schema.ListedPreview {
	w.t.Helper()
	list, err := w.Previews(w.ctx, scan.ID)
	must(w.t, err)
	return list
}

func (w world) rows(table string) (n int) {
	w.t.Helper()
	must(w.t, w.pool.QueryRow(w.ctx, map[string]string{"previews": `SELECT count(*) FROM previews`, "pages": `SELECT count(*) FROM pages`}[table]).Scan(&n))
	return n
}

// proves R-23: previews are recorded only while the site's owner has them switched
// on, are nobody's to read once that is over, and are deleted then.
func TestPreviewsLastAsLongAsTheirSwitch(t *testing.T) {
	w := newWorld(t)
	scan := w.running(100)
	_, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("http://127.0.0.1:8080/a"), fromLink("http://127.0.0.1:8080/b"), fromLink("http://127.0.0.1:8080/c")})
	must(t, err)
	visit := func(ticket string) schema.Claim {
		c := w.claim(scan, ticket)
		page := analysed(c.URL)
		page.Preview = drawing()
		w.record(c, page)
		return c
	}
	turn := func(until time.Time) {
		must(t, w.SwitchPreviews(w.ctx, w.site.ID, schema.PreviewSwitch{Until: until}))
	}
	off := visit("t0")
	equal(t, "recorded while off", w.rows("previews"), 0)

	tomorrow := time.Now().Add(24 * time.Hour).Truncate(time.Microsecond).UTC()
	turn(tomorrow)
	on := visit("t1")
	list := w.previews(scan)
	if len(list) != 1 || list[0].PageID != on.ID || !list[0].Until.Equal(tomorrow) || len(list[0].Boxes) != 1 || list[0].Boxes[0] != drawing().Boxes[0] || list[0].Places["main > img"].Y != 40 {
		t.Fatalf("previews %+v", list)
	}
	again, err := w.Scan(w.ctx, scan.ID)
	must(t, err)
	equal(t, "the scan knows", again.Previews, true)
	_, err = w.Preview(w.ctx, scan.ID, off.ID)
	wantRefusal(t, err, schema.RefusalNotFound, "preview-not-found")
	_, err = w.Preview(w.ctx, "another", on.ID)
	wantRefusal(t, err, schema.RefusalNotFound, "preview-not-found")
	n, err := w.ForgetPreviews(w.ctx)
	must(t, err)
	equal(t, "deleted before their time", n, 0)

	// The time passes: not to be read from that moment on, and deleted by the next round.
	_, err = w.pool.Exec(w.ctx, `UPDATE sites SET previews_until = now() - interval '1 second' WHERE id = $1`, w.site.ID)
	must(t, err)
	equal(t, "read after their time", len(w.previews(scan)), 0)
	visit("t2")
	equal(t, "recorded after their time", w.rows("previews"), 1)
	turn(tomorrow) // what expired does not come back
	equal(t, "left after a new switch", w.rows("previews"), 0)

	visit("t3")
	equal(t, "recorded again", w.rows("previews"), 1)
	_, err = w.pool.Exec(w.ctx, `UPDATE sites SET previews_until = now() - interval '1 second' WHERE id = $1`, w.site.ID)
	must(t, err)
	n, err = w.ForgetPreviews(w.ctx)
	must(t, err)
	equal(t, "deleted after their time", n, 1)
	equal(t, "pages left", w.rows("pages"), 4)
	turn(time.Time{})
	site, err := w.Site(w.ctx, w.workspace.ID, w.site.ID)
	must(t, err)
	equal(t, "switched on", site.Previews.On(time.Now()), false)
}

// proves R-23: a page that is recorded while previews are being switched off leaves
// none behind.
func TestNoPreviewIsLeftByASwitchUnderWay(t *testing.T) {
	w := newWorld(t)
	scan := w.running(100)
	must(t, w.SwitchPreviews(w.ctx, w.site.ID, schema.PreviewSwitch{Until: time.Now().Add(24 * time.Hour)}))
	c := w.claim(scan, "t0")
	page := analysed(c.URL)
	page.Preview = drawing()

	switching, err := w.pool.Begin(w.ctx) // what SwitchPreviews does, stopped before its end
	must(t, err)
	defer func() { _ = switching.Rollback(w.ctx) }()
	_, err = switching.Exec(w.ctx, `UPDATE sites SET previews_until = NULL WHERE id = $1`, w.site.ID)
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- w.RecordPage(w.ctx, c, page, nil) }()
	for held := false; !held; { // until the recording waits for the switch
		select {
		case err := <-done:
			t.Fatalf("recorded (%v) with %d previews while the switch was under way", err, w.rows("previews"))
		case <-time.After(10 * time.Millisecond):
		}
		must(t, w.pool.QueryRow(w.ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&held))
	}
	must(t, switching.Commit(w.ctx))
	must(t, <-done)
	equal(t, "previews", w.rows("previews"), 0)
	equal(t, "pages", w.rows("pages"), 1)
}

// Of one scan, and of one template, only so many are asked for.
func TestPreviewsOfAScanAreBounded(t *testing.T) {
	w := newWorld(t)
	scan := w.running(1000)
	c := w.claim(scan, "t0")
	wanted := func(want bool) {
		t.Helper()
		got, err := w.PreviewWanted(w.ctx, c)
		must(t, err)
		equal(t, "wanted", got, want)
	}
	wanted(false)
	must(t, w.SwitchPreviews(w.ctx, w.site.ID, schema.PreviewSwitch{Until: time.Now().Add(time.Hour)}))
	wanted(true)
	add := func(n, template int) {
		_, err := w.pool.Exec(w.ctx, `INSERT INTO previews (page_id, scan, template_hash, drawing)
SELECT 1000000 + $3 * 100 + i, f.scan, f.template_hash + $3, '{}' FROM frontier f, generate_series(1, $2) i WHERE f.address_id = $1`, c.ID, n, template)
		must(t, err)
	}
	add(schema.PreviewsATemplate-1, 0)
	wanted(true)
	add(schema.PreviewsAScan-schema.PreviewsATemplate, 1)
	wanted(true)
	add(1, 2)
	wanted(false)
	_, err := w.pool.Exec(w.ctx, `DELETE FROM previews WHERE page_id >= 1000100`)
	must(t, err)
	wanted(true)
	_, err = w.pool.Exec(w.ctx, `UPDATE previews SET page_id = page_id + 50`)
	must(t, err)
	add(1, 0)
	wanted(false)
}
