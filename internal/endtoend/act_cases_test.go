package endtoend_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"visite/internal/fixturesite"
)

// actCase is one of the W3C's test cases for an ACT rule. The cases are read
// where they are at hand; none is part of this repository.
type actCase struct {
	Path, Rule, RuleName, Case, Expected string
}

func (c actCase) mustFail() bool { return c.Expected == "failed" }

// actFolder is where the cases are: ACT_DIR, or beside the repository.
func actFolder() string {
	if dir := os.Getenv("ACT_DIR"); dir != "" {
		return dir
	}
	if shared := os.Getenv("VISITE_SHARED"); shared != "" {
		return filepath.Join(shared, "act")
	}
	return filepath.Join("..", "..", "..", "shared", "act")
}

// actCases reads the list of cases; without it the test is skipped and says so.
func actCases(t testing.TB) []actCase {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(actFolder(), "expected.json"))
	if err != nil {
		t.Skipf("no folder of ACT test cases: %v; name one in ACT_DIR (expected.json and www/)", err)
	}
	var cases []actCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// ofRules are the cases of the rules named in a list with commas; all for none.
func ofRules(cases []actCase, list string) []actCase {
	if list == "" {
		return cases
	}
	wanted := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	return slices.DeleteFunc(slices.Clone(cases), func(c actCase) bool { return !slices.Contains(wanted, c.Rule) })
}

// actSite serves the folder, with a sitemap of the chosen cases alone and a home
// page to begin at.
func actSite(t testing.TB, cases []actCase) *fixturesite.Site {
	t.Helper()
	site := fixturesite.New()
	site.Handle("/*", http.FileServer(http.Dir(filepath.Join(actFolder(), "www"))))
	site.SetText("/", `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Test cases</title></head><body><main><h1>Test cases</h1><p>Their addresses are in the sitemap.</p></main></body></html>`)
	site.Start(t)
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, c := range cases {
		b.WriteString("<url><loc>")
		_ = xml.EscapeText(&b, []byte(site.URL(c.Path)))
		b.WriteString("</loc></url>\n")
	}
	site.SetText("/sitemap.xml", b.String()+"</urlset>")
	return site
}

// actFinding is what the table looks at of a finding.
type actFinding struct {
	PageURL  string   `json:"url"`
	Rule     string   `json:"rule"`
	Engine   string   `json:"engine"`
	Category string   `json:"category"`
	Outcome  string   `json:"outcome"`
	ACTRules []string `json:"act_rules"`
	Selector string   `json:"selector"`
}

// actCount is one ACT rule's line of the table.
type actCount struct {
	id, name                    string
	caught, must, wrong, mayNot int
}

// actTable counts, and tells each case that came out otherwise than expected.
type actTable struct {
	counts []actCount
	odd    []string
	sum    actCount
}

// count compares findings with what was expected. A case is failed where a
// finding with outcome "failed" on its page names its ACT rule.
func count(cases []actCase, address func(path string) string, findings []actFinding) actTable {
	byPage := map[string][]actFinding{}
	for _, f := range findings {
		byPage[f.PageURL] = append(byPage[f.PageURL], f)
	}
	lines := map[string]*actCount{}
	t := actTable{sum: actCount{id: "all"}}
	for _, c := range cases {
		line := lines[c.Rule]
		if line == nil {
			line = &actCount{id: c.Rule, name: c.RuleName}
			lines[c.Rule] = line
		}
		var by []string
		for _, f := range byPage[address(c.Path)] {
			if f.Outcome == "failed" && slices.Contains(f.ACTRules, c.Rule) {
				by = append(by, fmt.Sprintf("%s (%s) at %s", f.Rule, f.Engine, f.Selector))
			}
		}
		for _, l := range []*actCount{line, &t.sum} {
			l.add(c.mustFail(), len(by) > 0)
		}
		if c.mustFail() && len(by) == 0 {
			t.odd = append(t.odd, fmt.Sprintf("missed  %s  %s  %s", c.Rule, c.Case, c.Path))
		} else if !c.mustFail() && len(by) > 0 {
			t.odd = append(t.odd, fmt.Sprintf("wrong   %s  %s (%s)  %s  by %s", c.Rule, c.Case, c.Expected, c.Path, strings.Join(by, "; ")))
		}
	}
	for _, l := range lines {
		t.counts = append(t.counts, *l)
	}
	slices.SortFunc(t.counts, func(a, b actCount) int { return strings.Compare(a.id, b.id) })
	slices.Sort(t.odd)
	return t
}

func (l *actCount) add(mustFail, failed bool) {
	if mustFail {
		l.must++
		if failed {
			l.caught++
		}
		return
	}
	l.mayNot++
	if failed {
		l.wrong++
	}
}

func (t actTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %9s %9s  %s\n", "ACT rule", "caught", "wrong", "")
	for _, l := range append(t.counts, t.sum) {
		fmt.Fprintf(&b, "%-8s %4d/%-4d %4d/%-4d  %s\n", l.id, l.caught, l.must, l.wrong, l.mayNot, l.name)
	}
	return b.String()
}
