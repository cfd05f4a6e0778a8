package schema

import (
	"strings"
	"testing"
)

func TestPathShape(t *testing.T) {
	for in, want := range map[string]string{
		"https://a.test/": "/", "https://a.test": "/", "https://a.test/about": "/*", "https://a.test/about/": "/*", "https://a.test/blog/a-day": "/blog/*",
		"https://a.test/Blog/2": "/blog/*", "https://a.test/2026/05/x.html": "/*/*/*.html", "https://a.test/de/shop/mug/red": "/de/shop/*/*", "https://a.test/v1.25": "/*",
		"https://a.test/list?page=2": "/*?", "https://a.test/?q=x": "/?", "https://a.test/a/" + strings.Repeat("b/", 50): "/a/b/*/*/*/*/*/*", "%zz": "?",
	} {
		if got := PathShape(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestSelectorShape(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "main > ul > li:nth-child(3) > a": "main > ul > li > a", "tr:nth-of-type(2n+1):last-child td": "tr td", "#post-123 .card.sc-a1b2c > img": "#post-* .card.sc-a* > img",
		"h1": "h1", "div.col-6 h2": "div.col-* h2", "input[type=\"text\"]": "input[type=\"text\"]",
	} {
		if got := SelectorShape(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// The name holds over pages of a template, places of one shape and versions of
// the engine; it tells rules, outcomes, places and templates apart.
func TestFingerprint(t *testing.T) {
	f := Finding{Rule: "image-alt", Engine: "axe-core 4.14.1", Outcome: FindingFailed, Selector: "li:nth-child(1) > img", Severity: SeverityCritical, Detail: "x"}
	const page = "https://a.test/blog/one"
	name := Fingerprint(f, page)
	if len(name) != 16 || strings.Trim(name, "0123456789abcdef") != "" {
		t.Fatalf("%q", name)
	}
	same := f
	same.Engine, same.Selector, same.Severity, same.Detail, same.Help = "axe-core 5.0.0", "li:nth-child(9) > img", SeveritySerious, "y", "z"
	if got := Fingerprint(same, "https://a.test/blog/two"); got != name {
		t.Errorf("%q for the same item, want %q", got, name)
	}
	for what, change := range map[string]func(*Finding) string{
		"rule":     func(f *Finding) string { f.Rule = "label"; return page },
		"outcome":  func(f *Finding) string { f.Outcome = FindingNeedsReview; return page },
		"place":    func(f *Finding) string { f.Selector = "header > img"; return page },
		"template": func(*Finding) string { return "https://a.test/shop/one" },
	} {
		other := f
		if at := change(&other); Fingerprint(other, at) == name {
			t.Errorf("another %s has the same name", what)
		}
	}
}

// A third party is one item on all pages; another one is another, and so is what
// is said of it by another rule. Figures after its name do not count.
func TestFingerprintOfASubject(t *testing.T) {
	f := Finding{Rule: "cookie-before-consent", Category: CategoryPrivacy, Outcome: FindingFailed, Detail: "_ga (Google Analytics), lasts 400 days"}
	name := Fingerprint(f, "https://a.test/blog/one")
	older, other, elsewhere := f, f, f
	older.Detail = "_ga (Google Analytics), lasts 399 days"
	other.Detail = "_fbp (Facebook), lasts 400 days"
	elsewhere.Rule = "cookie-after-refusal"
	if Fingerprint(f, "https://a.test/shop/x/y") != name || Fingerprint(older, "https://a.test/") != name {
		t.Error("one third party is several items")
	}
	if Fingerprint(other, "https://a.test/blog/one") == name || Fingerprint(elsewhere, "https://a.test/blog/one") == name {
		t.Error("several are one")
	}
	f.Category = CategorySecurity
	if Subject(f) != "" {
		t.Error("a finding about a place has a subject")
	}
}
