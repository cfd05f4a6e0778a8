package site

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// build makes facts by hand: pages get ids from 1 on in order, links from 1 on.
type build struct{ f schema.SiteFacts }

const host = "https://shop.example"

func (b *build) page(path string, status int, change ...func(*schema.PageFacts)) int64 {
	p := schema.PageFacts{ID: int64(len(b.f.Pages) + 1), URL: host + path, FinalURL: host + path, Status: status,
		Outcome: schema.OutcomeAnalysed, Via: schema.ViaLink}
	p.Title, p.Description, p.ContentHash = "title of "+path, "about "+path, uint64(len(b.f.Pages)+100)
	if status >= 400 {
		p.Outcome, p.Reason = schema.OutcomeErrorAnswer, schema.ReasonErrorStatus
		p.Title, p.Description, p.ContentHash = "", "", 0
	}
	for _, c := range change {
		c(&p)
	}
	b.f.Pages = append(b.f.Pages, p)
	return p.ID
}

func (b *build) link(address string, page int64, from ...int64) int64 {
	l := schema.LinkFacts{ID: int64(len(b.f.Links) + 1), URL: address, InScope: len(address) > len(host) && address[:len(host)] == host,
		Page: page, FoundOn: from, Pages: len(from)}
	b.f.Links = append(b.f.Links, l)
	return l.ID
}

func outcome(o schema.Outcome, r schema.Reason) func(*schema.PageFacts) {
	return func(p *schema.PageFacts) { p.Outcome, p.Reason = o, r }
}

func movedTo(path string, hops int) func(*schema.PageFacts) {
	return func(p *schema.PageFacts) {
		p.Outcome, p.FinalURL, p.Redirects = schema.OutcomeDuplicate, host+path, hops
		p.Title, p.Description, p.ContentHash = "", "", 0
	}
}

func canonical(path string) func(*schema.PageFacts) {
	return func(p *schema.PageFacts) { p.Canonical = host + path }
}

// told lists findings as "page rule: detail".
func told(v schema.SiteVerdicts) []string {
	var out []string
	for _, f := range v.Findings {
		s := fmt.Sprintf("%d %s", f.PageID, f.Finding.Rule)
		if f.Finding.Detail != "" {
			s += ": " + f.Finding.Detail
		}
		out = append(out, s)
	}
	return out
}

func expect(t *testing.T, b *build, want ...string) schema.SiteVerdicts {
	t.Helper()
	v := Judge(b.f, "shop.example")
	if got := told(v); !slices.Equal(got, want) {
		t.Errorf("findings\n got %q\nwant %q", got, want)
	}
	return v
}

func TestLinkVerdicts(t *testing.T) {
	notLoaded := func(r schema.Reason) func(*schema.PageFacts) { return outcome(schema.OutcomeNotAnalysed, r) }
	cases := []struct {
		name    string
		status  int
		change  func(*schema.PageFacts)
		verdict schema.LinkVerdict
	}{
		{"loaded", 200, func(*schema.PageFacts) {}, schema.LinkOK},
		{"a file", 200, outcome(schema.OutcomeNotPage, schema.ReasonMediaType), schema.LinkOK},
		{"not found", 404, func(*schema.PageFacts) {}, schema.LinkBroken},
		{"gone", 410, func(*schema.PageFacts) {}, schema.LinkBroken},
		{"a file not found", 404, outcome(schema.OutcomeNotPage, schema.ReasonMediaType), schema.LinkBroken},
		{"server error", 500, func(*schema.PageFacts) {}, schema.LinkBroken},
		{"teapot", 418, func(*schema.PageFacts) {}, schema.LinkBroken},
		{"unauthorised", 401, func(*schema.PageFacts) {}, schema.LinkRefused},
		{"forbidden", 403, func(*schema.PageFacts) {}, schema.LinkRefused},
		{"too many requests", 429, func(*schema.PageFacts) {}, schema.LinkRefused},
		{"robots refused in its own way", 999, func(*schema.PageFacts) {}, schema.LinkRefused},
		{"password", 401, outcome(schema.OutcomePasswordWall, ""), schema.LinkRefused},
		{"challenge", 403, outcome(schema.OutcomeBlocked, schema.ReasonChallenge), schema.LinkRefused},
		{"robots.txt", 0, outcome(schema.OutcomeDisallowed, schema.ReasonRobots), schema.LinkDisallowed},
		{"left the site", 301, outcome(schema.OutcomeRedirected, ""), schema.LinkRedirects},
		{"timeout", 0, notLoaded(schema.ReasonTimeout), schema.LinkUnchecked},
		{"connection", 0, notLoaded(schema.ReasonConnection), schema.LinkUnchecked},
		{"refused for now", 503, notLoaded(schema.ReasonRefusedForNow), schema.LinkUnchecked},
		{"scan stopped", 0, notLoaded(schema.ReasonStopped), schema.LinkUnchecked},
		{"no such name", 0, notLoaded(schema.ReasonNameNotFound), schema.LinkBroken},
		{"loop", 302, notLoaded(schema.ReasonRedirectLoop), schema.LinkBroken},
		{"too many redirects", 302, notLoaded(schema.ReasonTooManyRedirects), schema.LinkBroken},
	}
	for _, c := range cases {
		b := &build{}
		from := b.page("/", 200)
		target := b.page("/target", c.status, c.change)
		b.link(host+"/target", target, from)
		v := Judge(b.f, "shop.example")
		if len(v.Links) != 1 || v.Links[0].Verdict != c.verdict || v.Links[0].ID != 1 {
			t.Errorf("%s: %+v, want %s", c.name, v.Links, c.verdict)
		}
		if broken := slices.ContainsFunc(v.Findings, func(f schema.SiteFinding) bool { return f.Finding.Rule == LinkBroken && f.PageID == from }); broken != (c.verdict == schema.LinkBroken) {
			t.Errorf("%s: broken link told: %v", c.name, broken)
		}
	}
	b := &build{}
	from := b.page("/", 200)
	b.link("https://other.example/", 0, from)
	b.link(host+"/not-loaded", 0, from)
	for _, l := range expect(t, b).Links {
		if l.Verdict != schema.LinkUnchecked || l.Status != 0 {
			t.Errorf("%+v", l)
		}
	}
}

func TestBrokenLinksShowWhereTheyStand(t *testing.T) {
	b := &build{}
	one, two := b.page("/", 200), b.page("/two", 200)
	broken := b.page("/gone", 404, func(p *schema.PageFacts) { p.URL = host + "/gone?id=secret" })
	loop := b.page("/loop", 302, outcome(schema.OutcomeNotAnalysed, schema.ReasonRedirectLoop))
	errorPage := b.page("/error", 500)
	b.link(host+"/gone?id=secret", broken, one, two, errorPage)
	b.link(host+"/loop", loop, two)
	b.link(host+"/error", errorPage, one)
	v := expect(t, b,
		"1 link-broken: 404 https://shop.example/gone?id=*", "2 link-broken: 404 https://shop.example/gone?id=*",
		"2 link-broken: 302 https://shop.example/loop (redirect_loop)", "1 link-broken: 500 https://shop.example/error")
	f := v.Findings[0].Finding
	if f.Category != schema.CategoryLinks || f.Severity != schema.SeveritySerious || f.Outcome != schema.FindingFailed || f.Help == "" || f.Engine != "visite" {
		t.Errorf("finding %+v", f)
	}
}

// Empty path segments are significant: //News may be missing where /News is there.
func TestDoubleSlashIsAnAddressOfItsOwn(t *testing.T) {
	b := &build{}
	from, there, missing := b.page("/", 200), b.page("/News", 200), b.page("//News", 404)
	b.link(host+"/News", there, from)
	b.link(host+"//News", missing, from)
	v := expect(t, b, "1 link-broken: 404 https://shop.example//News")
	if v.Links[0].Verdict != schema.LinkOK || v.Links[1].Verdict != schema.LinkBroken {
		t.Errorf("%+v", v.Links)
	}
}

func TestRedirects(t *testing.T) {
	b := &build{}
	from := b.page("/", 200)
	old := b.page("/old", 200, movedTo("/new?x=1", 1))
	b.page("/new?x=1", 200, func(p *schema.PageFacts) { p.Redirects = 1 }) // recorded from the same load
	older := b.page("/older", 200, movedTo("/new?x=1", 2))
	lost := b.page("/lost", 404, movedTo("/gone", 1))
	b.page("/gone", 404)
	away := b.page("/away", 301, func(p *schema.PageFacts) {
		p.Outcome, p.FinalURL = schema.OutcomeRedirected, "https://blog.example.org/"
	})
	b.link(host+"/old", old, from)
	b.link(host+"/older", older, from)
	b.link(host+"/lost", lost, from)
	b.link(host+"/away", away, from)
	b.link(host+"/new?x=1", 3, from)
	v := expect(t, b,
		"1 link-to-redirect: https://shop.example/old to https://shop.example/new?x=*",
		"1 redirect-chain: 2 redirects, https://shop.example/older to https://shop.example/new?x=*",
		"1 link-broken: 404 https://shop.example/lost",
		"1 link-to-redirect: https://shop.example/away to https://blog.example.org/")
	want := []schema.LinkVerdict{schema.LinkRedirects, schema.LinkRedirects, schema.LinkBroken, schema.LinkRedirects, schema.LinkOK}
	for i, l := range v.Links {
		if l.Verdict != want[i] {
			t.Errorf("link %d: %s, want %s", i+1, l.Verdict, want[i])
		}
	}
}

// Faults at addresses that no page links to show at the address itself.
func TestFaultsTheSiteNamesItself(t *testing.T) {
	from := func(v schema.Via) func(*schema.PageFacts) { return func(p *schema.PageFacts) { p.Via = v } }
	b := &build{}
	b.page("/", 200, movedTo("/home", 2), from(schema.ViaSeed))
	b.page("/gone", 404, from(schema.ViaSitemap))
	b.page("/refused", 403, from(schema.ViaSitemap))
	b.page("/loop", 302, outcome(schema.OutcomeNotAnalysed, schema.ReasonRedirectLoop), from(schema.ViaSitemap))
	b.page("/late", 0, outcome(schema.OutcomeNotAnalysed, schema.ReasonTimeout), from(schema.ViaSitemap))
	b.page("/linked", 404)
	home := b.page("/home", 200)
	both := b.page("/both", 404, from(schema.ViaSitemap))
	b.link(host+"/both", both, home)
	expect(t, b, "7 link-broken: 404 https://shop.example/both", "1 redirect-chain: 2 redirects, https://shop.example/ to https://shop.example/home",
		"2 error-answer: 404", "4 redirect-fault: redirect_loop")
}

func TestDuplicates(t *testing.T) {
	same := func(title, description string, hash uint64) func(*schema.PageFacts) {
		return func(p *schema.PageFacts) { p.Title, p.Description, p.ContentHash = title, description, hash }
	}
	b := &build{}
	b.page("/a", 200, same("One", "D", 7))
	b.page("/b?id=1", 200, same("ONE", "d", 8))
	b.page("/c", 200, same("Two", "", 9))
	b.page("/d", 200, same("Two", "", 9))
	b.page("/e", 200, same("Two", "", 10), canonical("/c"))
	b.page("/f", 200, same("Two", "", 11), func(p *schema.PageFacts) { p.RobotsTags = []string{"noindex"} })
	b.page("/g", 200, same("", "", 0))
	b.page("/h", 200, same("", "", 0))
	expect(t, b,
		"3 content-duplicate: 2 pages, another is https://shop.example/d", "4 content-duplicate: 2 pages, another is https://shop.example/c",
		"1 title-duplicate: 2 pages, another is https://shop.example/b?id=*", "2 title-duplicate: 2 pages, another is https://shop.example/a",
		"1 description-duplicate: 2 pages, another is https://shop.example/b?id=*", "2 description-duplicate: 2 pages, another is https://shop.example/a")
}

// A host without and with its slash is one page; /faq and /faq/ are two.
func TestOnePageIsNoDuplicateOfItself(t *testing.T) {
	b := &build{}
	b.page("", 200, func(p *schema.PageFacts) { p.Title, p.ContentHash = "Home", 5 })
	b.page("/", 200, func(p *schema.PageFacts) { p.Title, p.ContentHash = "Home", 5 })
	b.page("/?utm_source=x", 200, func(p *schema.PageFacts) { p.Title, p.ContentHash = "Home", 5 })
	b.page("/faq", 200, func(p *schema.PageFacts) { p.ContentHash = 6 })
	b.page("/faq/", 200, func(p *schema.PageFacts) { p.ContentHash = 6 })
	expect(t, b, "4 address-variants: 2 pages, another is https://shop.example/faq/", "5 address-variants: 2 pages, another is https://shop.example/faq")
}

func TestCanonicals(t *testing.T) {
	b := &build{}
	b.page("/ok", 200, canonical("/ok"))
	b.page("/a", 200, canonical("/gone"))
	b.page("/b", 200, canonical("/old"))
	b.page("/c", 200, canonical("/secret"))
	b.page("/d", 200, canonical("/ok"))
	b.page("/e", 200, canonical("/never-loaded"))
	b.page("/gone", 410)
	b.page("/old", 200, movedTo("/ok", 1))
	b.page("/secret", 200, func(p *schema.PageFacts) { p.RobotsTags = []string{"none"} })
	b.page("/f", 200, canonical("/late"))
	b.page("/late", 0, outcome(schema.OutcomeNotAnalysed, schema.ReasonTimeout))
	b.link(host+"/gone", 7, 2, 5) // page 2 has it as its canonical address, page 5 as an ordinary link
	b.link(host+"/old", 8, 3)
	expect(t, b,
		"5 link-broken: 410 https://shop.example/gone", "2 canonical-broken: 410 https://shop.example/gone", "3 canonical-redirect: https://shop.example/old to https://shop.example/ok",
		"4 canonical-noindex: https://shop.example/secret")
}

func TestOrphans(t *testing.T) {
	site := func(change func(*build)) *build {
		b := &build{}
		home := b.page("/", 200)
		linked := b.page("/linked", 200, func(p *schema.PageFacts) { p.Via = schema.ViaSitemap })
		b.page("/orphan", 200, func(p *schema.PageFacts) { p.Via = schema.ViaSitemap })
		b.link(host+"/linked", linked, home)
		b.link(host+"/logo.png", 0, home)
		change(b)
		return b
	}
	expect(t, site(func(*build) {}), "3 orphan-page")
	expect(t, site(func(b *build) { b.link(host+"/unseen", 0, 1) }))
	expect(t, site(func(b *build) { b.page("/late", 0, outcome(schema.OutcomeNotAnalysed, schema.ReasonTimeout)) }))
	expect(t, site(func(b *build) { b.page("/closed", 0, outcome(schema.OutcomeDisallowed, schema.ReasonRobots)) }))
}

func TestEveryRuleIsUsed(t *testing.T) {
	for _, r := range Rules() {
		if infoOf(r.ID).Title == "" {
			t.Errorf("rule %s is not listed", r.ID)
		}
	}
	if got := Judge(schema.SiteFacts{}, "shop.example"); len(got.Links) != 0 || len(got.Findings) != 0 {
		t.Errorf("an empty site: %+v", got)
	}
}

func TestJudgingTwiceGivesTheSame(t *testing.T) {
	f := large(500)
	if !reflect.DeepEqual(Judge(f, "shop.example"), Judge(f, "shop.example")) {
		t.Error("two judgements differ")
	}
}

// large is a site where every page links to the next and a tenth is broken.
func large(n int) schema.SiteFacts {
	b := &build{}
	for i := range n {
		status := 200
		if i%10 == 9 {
			status = 404
		}
		id := b.page(fmt.Sprintf("/page/%d", i), status, func(p *schema.PageFacts) { p.Title = fmt.Sprintf("title %d", i/2) })
		b.link(fmt.Sprintf("%s/page/%d", host, i), id, max(1, id-1), 1)
	}
	return b.f
}

func BenchmarkJudge(b *testing.B) {
	f := large(3000)
	for b.Loop() {
		Judge(f, "shop.example")
	}
}

// Only an address of the sitemap can be taken out of it.
func TestRemedyOfAnErrorFitsItsOrigin(t *testing.T) {
	b := &build{}
	b.page("/", 404, func(p *schema.PageFacts) { p.Via = schema.ViaSeed })
	b.page("/gone", 404, func(p *schema.PageFacts) { p.Via = schema.ViaSitemap })
	v := expect(t, b, "1 error-answer: 404", "2 error-answer: 404")
	for i, want := range []string{"Make the page answer with a success status.", "Make the page answer, or take its address out of the sitemap."} {
		if f := v.Findings[i].Finding; f.Help != want || f.Title != "An address that the site itself names answers with an error" {
			t.Errorf("page %d: %q, %q, want the remedy %q", i+1, f.Title, f.Help, want)
		}
	}
}

// What the checks of other servers know is the verdict, with its date; where they
// know nothing, the link says why.
// proves C-12, C-14, C-15, C-16
func TestLinksToOtherServers(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	foreign := func(address string, c *schema.LinkCheck, change func(*schema.LinkFacts)) (schema.LinkVerdictOf, []string) {
		b := &build{}
		from := b.page("/", 200)
		b.link(address, 0, from)
		b.f.Links[0].Navigable, b.f.Links[0].Check = true, c
		if change != nil {
			change(&b.f.Links[0])
		}
		v := Judge(b.f, "shop.example")
		return v.Links[0], told(v)
	}
	for name, c := range map[string]struct {
		address string
		check   *schema.LinkCheck
		change  func(*schema.LinkFacts)
		want    schema.LinkVerdictOf
		told    string
	}{
		"ok":        {"https://other.example/a", &schema.LinkCheck{Verdict: schema.LinkOK, Status: 200, CheckedAt: at}, nil, schema.LinkVerdictOf{Verdict: schema.LinkOK, Status: 200, CheckedAt: at}, ""},
		"broken":    {"https://other.example/a", &schema.LinkCheck{Verdict: schema.LinkBroken, Status: 404, CheckedAt: at}, nil, schema.LinkVerdictOf{Verdict: schema.LinkBroken, Status: 404, CheckedAt: at}, "1 link-broken-elsewhere: 404 https://other.example/a, checked on 2030-01-02"},
		"no name":   {"https://other.example/a", &schema.LinkCheck{Verdict: schema.LinkBroken, Reason: schema.ReasonNameNotFound, CheckedAt: at}, nil, schema.LinkVerdictOf{Verdict: schema.LinkBroken, Reason: schema.ReasonNameNotFound, CheckedAt: at}, "1 link-broken-elsewhere: https://other.example/a (name_not_found), checked on 2030-01-02"},
		"redirects": {"https://other.example/a", &schema.LinkCheck{Verdict: schema.LinkRedirects, Status: 301, Target: "https://other.example/b", CheckedAt: at}, nil, schema.LinkVerdictOf{Verdict: schema.LinkRedirects, Status: 301, Target: "https://other.example/b", CheckedAt: at}, ""},
		"robots":    {"https://other.example/a", &schema.LinkCheck{Verdict: schema.LinkDisallowed, Reason: schema.ReasonRobots, CheckedAt: at}, nil, schema.LinkVerdictOf{Verdict: schema.LinkDisallowed, Reason: schema.ReasonRobots, CheckedAt: at}, ""},
		"resting":   {"https://other.example/a", &schema.LinkCheck{NextAt: at}, nil, schema.LinkVerdictOf{Verdict: schema.LinkUnchecked, Reason: schema.ReasonServerResting, NextAt: at}, ""},
		"pending":   {"https://other.example/a", &schema.LinkCheck{}, nil, schema.LinkVerdictOf{Verdict: schema.LinkUnchecked, Reason: schema.ReasonCheckPending}, ""},
		"query":     {"https://other.example/?q=*", nil, nil, schema.LinkVerdictOf{Verdict: schema.LinkUnchecked, Reason: schema.ReasonQueryNotKept}, ""},
		"a file":    {"https://other.example/a.png", nil, func(l *schema.LinkFacts) { l.Navigable = false }, schema.LinkVerdictOf{Verdict: schema.LinkUnchecked, Reason: schema.ReasonPageFile}, ""},
	} {
		got, findings := foreign(c.address, c.check, c.change)
		c.want.ID = 1
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		if text := strings.Join(findings, "; "); text != c.told {
			t.Errorf("%s: told %q, want %q", name, text, c.told)
		}
	}
}

// Links of one name are wrong where the pages behind them are known to differ.
func TestLinksOfOneName(t *testing.T) {
	b := &build{}
	home := b.page("/", 200)
	b.page("/one", 200)
	b.page("/two", 200)
	b.page("/copy", 200, func(p *schema.PageFacts) { p.ContentHash, p.Canonical = b.f.Pages[1].ContentHash, host+"/one" })
	b.page("/moved", 200, movedTo("/one", 1))
	b.page("/gone", 404)
	for _, l := range b.f.Pages {
		b.link(l.URL, l.ID, home)
	}
	before := len(Judge(b.f, "shop.example").Findings)
	pair := func(rule, first, second string) {
		b.f.SameNames = append(b.f.SameNames, schema.SameName{PageID: home, Rule: rule, Selector: "a", First: host + first, Second: host + second})
	}
	pair(schema.RuleLinkSameName, "/one", "/two")
	pair(schema.RuleLinkSameName, "/one", "/copy")
	pair(schema.RuleLinkSameName, "/one", "/moved")
	pair(schema.RuleLinkSameName, "/one", "/gone")
	pair(schema.RuleLinkSameName, "/one", "/never-read")
	pair(schema.RuleLinkSameNameAlone, "/moved", "/two")
	v := Judge(b.f, "shop.example")
	got := []string{}
	for _, f := range v.Findings[before:] {
		got = append(got, fmt.Sprintf("%s %s %s %v", f.Finding.Rule, f.Finding.Outcome, f.Finding.Detail, f.Finding.ACTRules))
	}
	want := []string{
		"link-same-name-other-page failed " + host + "/one and " + host + "/two [fd3a94 b20e66]",
		"link-same-name-other-page-alone failed " + host + "/moved and " + host + "/two [b20e66]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
