package endtoend_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// faulty is a page with a fault to find.
func faulty(path string) fixturesite.File {
	return plain(path, `<img src="/picture.png" width="9" height="9">`)
}

// What a report sums up, in figures and to a person, is the same whether or not some pages of the site could
// not be loaded: their number is all that tells of them.
//
// proves S-41, S-42
func TestPagesThatCannotBeLoadedDoNotCount(t *testing.T) {
	t.Parallel()
	d := deployWith(t, map[string]string{"patient": patient})
	pages := []fixturesite.File{faulty("/one"), faulty("/two"), plain("/three", "")}
	home := `<a href="/one">one</a> <a href="/two">two</a> <a href="/three">three</a>`
	whole := fixturesite.New(append(pages, plain("/", home))...).Start(t)
	partly := fixturesite.New(append(pages, plain("/", home+` <a href="/dropped">a</a> <a href="/garbled">b</a> <a href="/silent">c</a> <a href="/refused">d</a>`))...)
	partly.Handle("/dropped", fixturesite.Drop())
	partly.Handle("/garbled", fixturesite.Garbled())
	partly.Handle("/silent", fixturesite.Silent())
	partly.Handle("/refused", fixturesite.Refusing(-1, http.StatusTooManyRequests, "1", nil))
	partly.Start(t)

	sum := func(site *fixturesite.Site, failing int) (findings []string) {
		s := d.scan(order{"url": site.URL("/"), "engine": "http", "profile": "patient"})
		if s = d.finish(s.ID, 2*time.Minute); s.State != "finished" {
			t.Fatalf("ended %s (%s)", s.State, s.StateReason)
		}
		if s.Progress.Analysed != 4 || s.Progress.NotAnalysed != failing {
			t.Errorf("%d pages analysed and %d not, want 4 and %d", s.Progress.Analysed, s.Progress.NotAnalysed, failing)
		}
		for _, p := range d.report(s.ID).Pages {
			if p.Outcome == "not_analysed" && len(p.Findings) > 0 {
				t.Errorf("%s was not analysed and has findings", p.URL)
			}
			for _, f := range p.Findings {
				findings = append(findings, fmt.Sprint(strings.TrimPrefix(p.URL, site.URL("/")), f))
			}
		}
		findings = append(findings, fmt.Sprint("counted ", s.Progress.Findings))
		findings = append(findings, scoresOf(t, d, s.ID))
		slices.Sort(findings)
		_, raw := d.request(http.MethodGet, "/v1/scans/"+s.ID+"/report", d.token, nil, "Accept", "text/html")
		_, mend, found := strings.Cut(string(raw), `<section id="mend"`)
		mend, _, closed := strings.Cut(mend, "</section>")
		if !found || !closed {
			t.Fatal("the report has no section on what to mend")
		}
		lines := strings.Split(strings.ReplaceAll(mend, strings.TrimPrefix(site.URL(""), "http://"), ""), "\n")
		slices.Sort(lines) // two pages at once: which is recorded first is chance
		return append(findings, lines...)
	}
	want, got := sum(whole, 0), sum(partly, 4)
	if !slices.Equal(got, want) || len(want) < 3 {
		t.Errorf("with pages that failed:\n%s\nwithout:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// scoresOf is the key "scores" of a scan's report without its former scans.
func scoresOf(t *testing.T, d *deployment, scan string) string {
	t.Helper()
	_, raw := d.request(http.MethodGet, "/v1/scans/"+scan+"/report", d.token, nil, "Accept", "application/json")
	var doc struct {
		Scores *struct {
			Overall, Analysed, Known int
			Categories               []map[string]any
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil || doc.Scores == nil {
		t.Fatalf("no scores in the report (%v)", err)
	}
	if doc.Scores.Analysed != 4 || doc.Scores.Known != 4 || doc.Scores.Overall >= 100 {
		t.Errorf("scores %+v, want those of 4 pages with faults", *doc.Scores)
	}
	return fmt.Sprintf("%+v", *doc.Scores)
}
