package robots

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

const site = "https://shop.example"

// proves S-26, S-29, S-30, S-31, S-46, S-47, C-02, C-63, R-01
func TestDecide(t *testing.T) {
	both := []string{"HerbBot", "Herb"}
	for _, c := range []struct {
		name   string
		robots string
		tokens []string
		path   string
		allow  bool
	}{
		{"a rule before any agent is lost, the rest counts", "Disallow: /\nUser-agent: *\nDisallow: /a\n", nil, "/b", true},
		{"a delay before any agent is lost, the rest counts", "Crawl-delay: 9\nUser-agent: *\nDisallow: /a\n", nil, "/a", false},
		{"an odd delay does not spoil the file", "User-agent: *\nCrawl-delay: soon\nDisallow: /a\n", nil, "/a", false},
		{"raw umlaut in the rule, escaped in the address", "User-agent: *\nDisallow: /größe\n", nil, "/gr%C3%B6%c3%9fe/xl", false},
		{"escaped in the rule, raw in the address", "User-agent: *\nDisallow: /gr%c3%b6%C3%9Fe\n", nil, "/größe", false},
		{"escaped letter cannot dodge", "User-agent: *\nDisallow: /kasse\n", nil, "/k%61sse", false},
		{"brackets escaped beside an umlaut", "User-agent: *\nDisallow: /öl(kalt)\n", nil, "/%C3%B6l%28kalt%29", false},
		{"escaped slash is no slash", "User-agent: *\nDisallow: /a/b\n", nil, "/a%2Fb", true},
		{"escaped ampersand is no ampersand", "User-agent: *\nDisallow: /*&x\n", nil, "/?a%26x", true},
		{"escaped star stands for itself", "User-agent: *\nDisallow: /5%2A\n", nil, "/5-sterne", true},
		{"escaped star matches a star", "User-agent: *\nDisallow: /5%2a\n", nil, "/5*/zimmer", false},
		{"escaped dollar is no anchor", "User-agent: *\nDisallow: /%24\n", nil, "/$5", false},
		{"a lone percent sign matches escapes", "User-agent: *\nDisallow: /*%\n", nil, "/a%20b", false},
		{"group token is whole, not a prefix of ours", "User-agent: Her\nAllow: /\n\nUser-agent: *\nDisallow: /\n", both, "/", false},
		{"group token is whole, ours is not its prefix", "User-agent: HerbBotNews\nAllow: /\n\nUser-agent: *\nDisallow: /\n", both, "/", false},
		{"tokens compare case apart", "User-agent: hERBbOT\nDisallow: /\n", both, "/", false},
		{"version behind the token", "User-agent: Herb/2.1 (x)\nDisallow: /\n", both, "/", false},
		{"token only at the head of the value", "User-agent: Mozilla (Herb)\nDisallow: /\n", both, "/", true},
		{"last group without rules allows all", "User-agent: *\nDisallow: /\nUser-agent: Herb", both, "/", true},
		{"empty Disallow ends the list of agents", "User-agent: Herb\nDisallow:\nUser-agent: x\nDisallow: /\n", both, "/", true},
		{"empty Disallow frees from the star", "User-agent: herb\nDisallow:\n\nUser-agent: *\nDisallow: /\n", both, "/", true},
		{"empty Disallow takes no other rule back", "User-agent: *\nDisallow: /a\nDisallow:\n", nil, "/a", false},
		{"Crawl-delay leaves the list of agents open", "User-agent: Herb\nCrawl-delay: 2\nUser-agent: x\nDisallow: /\n", both, "/", false},
		{"unknown keys leave the list of agents open", "User-agent: Herb\nNoindex: /q\nSitemap: /s.xml\nUser-agent: x\nDisallow: /\n", both, "/", false},
		{"blank before the colon", "User-agent\t: *\nDisallow  : /a\n", nil, "/a", false},
		{"comment glued to the value", "User-agent: *#we\nDisallow: /a#b\n", nil, "/ac", false},
		{"Disallow then Allow, equal: Allow", "User-agent: *\nDisallow: /a\nAllow: /a\n", nil, "/a", true},
		{"Allow then Disallow, equal: Allow", "User-agent: *\nAllow: /*b\nDisallow: /ab\nDisallow: /\n", nil, "/ab", true},
		{"equal after normalisation: Allow", "User-agent: *\nDisallow: /%61\nAllow: /a\n", nil, "/a", true},
		{"anchored rule starts at the first octet", "User-agent: *\nDisallow: /end$\n", nil, "/week/end", true},
		{"anchor includes the query", "User-agent: *\nDisallow: /end$\n", nil, "/end?x", true},
		{"inner dollar is plain", "User-agent: *\nDisallow: /a$b\n", nil, "/a$bc", false},
		{"two dollars: one plain, one anchor", "User-agent: *\nDisallow: /a$$\n", nil, "/a$", false},
		{"bare star", "User-agent: *\nDisallow: *\n", nil, "/", false},
		{"star and dollar alone", "User-agent: *\nDisallow: *$\n", nil, "/x?y", false},
		{"wildcard needs each piece in order", "User-agent: *\nDisallow: /*x*y*z\n", nil, "/zyx", true},
		{"pieces do not overlap", "User-agent: *\nDisallow: /*aba*ba$\n", nil, "/aba", true},
		{"head and tail do not overlap", "User-agent: *\nDisallow: /ab*ba$\n", nil, "/aba", true},
		{"leftmost then last", "User-agent: *\nDisallow: /*ab*b$\n", nil, "/xabxab", false},
		{"weight is octets of the rule", "User-agent: *\nAllow: /a.b.c.x\nDisallow: /*b.c.\n", nil, "/a.b.c.x", true},
		{"a trailing star adds its octet", "User-agent: *\nAllow: /a\nDisallow: /a*\n", nil, "/a", false},
		{"weight counts escapes, not characters", "User-agent: *\nAllow: /ö\nDisallow: /*?a=b\n", nil, "/ö?a=b", true},
		{"robots.txt under Disallow: /", "User-agent: *\nDisallow: /\n", nil, "/robots.txt", true},
		{"robots.txt with a query is another address", "User-agent: *\nDisallow: /\n", nil, "/robots.txt?v=2", false},
		{"both tokens' groups are merged, first", "User-agent: Herb\nDisallow: /a\nUser-agent: HerbBot\nDisallow: /b\n", both, "/a", false},
		{"both tokens' groups are merged, second", "User-agent: Herb\nDisallow: /a\nUser-agent: HerbBot\nDisallow: /b\n", both, "/b", false},
		{"star is off where one token is named", "User-agent: *\nDisallow: /\nUser-agent: HerbBot\nDisallow: /b\n", both, "/a", true},
		{"longest over merged groups", "User-agent: Herb\nDisallow: /\nUser-agent: HerbBot\nAllow: /news\n", both, "/news/1", true},
		{"two star groups", "User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", nil, "/a", false},
		{"star with a word behind it", "User-agent: * all\nDisallow: /\n", nil, "/", false},
		{"star glued to a word names nobody", "User-agent: *bot\nDisallow: /\n", nil, "/", true},
		{"no-break space behind the star", "User-agent: *\xA0\r\nDisallow: /\r\n", nil, "/", false},
		{"half a character is not cut", "User-agent: *\nDisallow: /voil\u00e0\n", nil, "/voil%C3", true},
		{"missing colon", "User-agent *\nDisallow /a:b\n", nil, "/a:b", false},
		{"prose is no rule", "User-agent: *\nDisallow all the bots\n", nil, "/all", true},
		{"common misspelling", "Useragent: *\nDissallow: /a\n", nil, "/a", false},
		{"Disallow without slash", "User-agent: *\nDisallow: a/\n", nil, "/a/b", false},
		{"Allow without slash frees nothing", "User-agent: *\nDisallow: /\nAllow: a/\n", nil, "/a/b", false},
		{"an address as rule", "User-agent: *\nDisallow: https://shop.example/a\n", nil, "/a", true},
		{"HTML is no rule", "<html><p>Disallow: /</p>\n<script>x = {allow: 1}</script>", nil, "/", true},
		{"markup glued to the star names nobody", "User-agent: *<br>\nDisallow: /<br>\n", nil, "/", true},
		{"CR ends a line", "User-agent: *\rDisallow: /a\rDisallow: /b\r", nil, "/b", false},
		{"the line separator does not", "User-agent: *\nDisallow: /x\u2028Disallow: /b\n", nil, "/b", true},
		{"UTF-8 mark", "\uFEFFUser-agent: *\nDisallow: /a\n", nil, "/a", false},
		{"part of a mark", "\xEF\xBBUser-agent: *\nDisallow: /a\n", nil, "/a", false},
		{"mark in the middle, from joined files", "Sitemap: /s.xml\n\uFEFFUser-agent: *\nDisallow: /a\n", nil, "/a", false},
		{"UTF-16 with mark", "\xFF\xFE" + spread("User-agent: *\nDisallow: /a\n"), nil, "/a", false},
		{"UTF-16 without mark", spread("User-agent: *\nDisallow: /a\n"), nil, "/a", false},
		{"NUL octets", "User-agent: *\n\x00Dis\x00allow: /a\x00\n", nil, "/a", false},
		{"Latin-1 octet", "User-agent: *\nDisallow: /caf\xE9\n", nil, "/caf%e9", false},
		{"blank inside a rule", "User-agent: *\nDisallow: /a b\n", nil, "/a%20b", false},
		{"the rule is not cut at the blank", "User-agent: *\nDisallow: /a b\n", nil, "/a", true},
		{"empty file", "", nil, "/", true},
		{"case of the path counts", "User-agent: *\nDisallow: /A\n", nil, "/a", true},
		{"query is part of the match", "User-agent: *\nDisallow: /*?*sort=\n", nil, "/l?p=1&sort=x", false},
		{"dot segments, resolved", "User-agent: *\nDisallow: /intern/\n", nil, "/x/../intern/a", false},
		{"dot segments, escaped", "User-agent: *\nDisallow: /intern/\n", nil, "/x/%2e%2E/intern/a", false},
		{"dot segments, as written", "User-agent: *\nDisallow: /x/\n", nil, "/x/../a", false},
		{"a hidden file is no dot segment", "User-agent: *\nDisallow: /a/\n", nil, "/.well-known/a", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tokens := c.tokens
			if tokens == nil {
				tokens = []string{"visitor"}
			}
			f := Parse([]byte(c.robots))
			if d := f.Decide(tokens, site+c.path); d.Allow != c.allow {
				t.Errorf("%q for %s: allow %v, rule %q", c.robots, c.path, d.Allow, d.Rule)
			}
			if d := f.Decide(tokens, c.path); d.Allow != c.allow {
				t.Errorf("%q for the bare path %s: allow %v", c.robots, c.path, d.Allow)
			}
		})
	}
}

// spread writes ASCII as UTF-16, little end first.
func spread(s string) string { return strings.Join(strings.Split(s, ""), "\x00") + "\x00" }

func TestDecideOnPartsOfAnAddress(t *testing.T) {
	f := Parse([]byte("User-agent: *\nDisallow: /a?b\nDisallow: /$\n"))
	for address, allow := range map[string]bool{
		"http://someone@shop.example:8080/a?b#c": false,
		"https://shop.example":                   false,
		"https://shop.example#top":               false,
		"https://shop.example?x":                 true,
		"https://shop.example/a#?b":              true,
		"HTTPS://SHOP.EXAMPLE/a?b":               false,
		" /a?b ":                                 false,
		"/go?to=https://shop.example/a?b":        true,
		"":                                       false,
	} {
		if d := f.Decide([]string{"x"}, address); d.Allow != allow || d.URL != address {
			t.Errorf("%q: allow %v, url %q", address, d.Allow, d.URL)
		}
	}
}

// proves R-01, S-30, S-31
func TestDecisionStatesWhatItRestsOn(t *testing.T) {
	f := Parse([]byte("# house rules\r\nUser-agent: *\r\nDisallow: /\r\n\r\nUSER-AGENT: Herb/1.0\r\nuser-agent: other\r\ndisallow :  /a b # why\r\n" +
		"User-agent: HERBBOT\r\nAllow: /a b/c\r\nCrawl-delay: 2.5\r\nUser-agent: herbbot\r\nDisallow: /z"))
	tokens := []string{"HerbBot", "Herb"}
	for path, want := range map[string]schema.RobotsDecision{
		"/a%20b":   {Allow: false, Rule: "Disallow: /a b", Line: 7},
		"/a%20b/c": {Allow: true, Rule: "Allow: /a b/c", Line: 9},
		"/z":       {Allow: false, Rule: "Disallow: /z", Line: 12},
		"/q":       {Allow: true},
	} {
		want.URL, want.Group, want.CrawlDelay = path, "Herb/1.0, HERBBOT", 2500*time.Millisecond
		if got := f.Decide(tokens, path); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", path, got, want)
		}
	}
	got := f.Decide([]string{"stranger"}, "/q")
	if want := (schema.RobotsDecision{URL: "/q", Group: "*", Rule: "Disallow: /", Line: 3}); got != want {
		t.Errorf("stranger:\n got %+v\nwant %+v", got, want)
	}
	if got := Parse(nil).Decide(tokens, "/q"); got != (schema.RobotsDecision{URL: "/q", Allow: true, StarAllow: true}) {
		t.Errorf("empty file: %+v", got)
	}
	if got := f.Decide(tokens, "/robots.txt"); !got.Allow || !got.StarAllow || got.Rule != "" {
		t.Errorf("robots.txt: %+v", got)
	}
}

func TestEqualRulesStateTheFirstLine(t *testing.T) {
	f := Parse([]byte("User-agent: *\nDisallow: /*b\nDisallow: /ab\nDisallow: /%61b\n"))
	if d := f.Decide([]string{"x"}, "/ab"); d.Line != 2 {
		t.Errorf("line %d, want 2", d.Line)
	}
	f = Parse([]byte("User-agent: *\nDisallow: /ab\nAllow: /%61b\nAllow: /ab\n"))
	if d := f.Decide([]string{"x"}, "/ab"); d.Line != 3 || d.Rule != "Allow: /%61b" {
		t.Errorf("line %d %q, want 3", d.Line, d.Rule)
	}
}

func TestStatedTextsAreBoundedAndValid(t *testing.T) {
	f := Parse([]byte("User-agent: x " + strings.Repeat("y", 5000) + "\nDisallow: /\xFF" + strings.Repeat("z", 5000) + "\n"))
	d := f.Decide([]string{"x"}, "/%FF"+strings.Repeat("z", 5000))
	if d.Allow || len(d.Rule) > 1020 || len(d.Group) > 1000 || !strings.HasPrefix(d.Rule, "Disallow: /\uFFFDz") {
		t.Errorf("rule of %d octets, group of %d, allow %v", len(d.Rule), len(d.Group), d.Allow)
	}
}

// proves C-52
func TestCrawlDelay(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"0": 0, "5": 5 * time.Second, "2.3": 2300 * time.Millisecond, ".5": 500 * time.Millisecond, "3.": 3 * time.Second,
		"1e1": 10 * time.Second, "2E-1": 200 * time.Millisecond, "4e": 4 * time.Second, "7s": 7 * time.Second, "8 seconds": 8 * time.Second,
		"86400": 24 * time.Hour, "1e400": maxDelay, "99999999999999999999999999": maxDelay,
	} {
		got, ok := Parse([]byte("User-agent: *\nCrawl-delay: " + value + "\n")).CrawlDelay([]string{"x"})
		if !ok || got != want {
			t.Errorf("%q: %v %v, want %v", value, got, ok, want)
		}
	}
	for _, value := range []string{"", "-3", "+3", "x", "0,5", "1,000", ".", "e1", "NaN", "Inf"} {
		if got, ok := Parse([]byte("User-agent: *\nCrawl-delay: " + value + "\n")).CrawlDelay([]string{"x"}); ok {
			t.Errorf("%q: %v, want none", value, got)
		}
	}
}

// proves C-52
func TestCrawlDelayOfGroups(t *testing.T) {
	f := Parse([]byte("User-agent: a\nCrawl-delay: 1\nCrawl-delay: 3\nUser-agent: b\nUser-agent: c\nCrawl-delay: 5\nUser-agent: d\nDisallow: /\n" +
		"User-agent: e\nCrawl-delay: 6\nUser-agent: f\nDisallow: /\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 9\nDisallow: /\nUser-agent: b\nCrawl-delay: 4\n"))
	for token, want := range map[string]time.Duration{"a": 3, "b": 5, "c": 5, "d": -1, "e": 6, "f": 2, "g": 9, "a b": 3} {
		got, ok := f.CrawlDelay([]string{token})
		if want < 0 {
			if ok {
				t.Errorf("%s: %v, want none", token, got)
			}
			continue
		}
		if !ok || got != want*time.Second {
			t.Errorf("%s: %v %v, want %v s", token, got, ok, int(want))
		}
	}
	if got, _ := f.CrawlDelay([]string{"a", "e"}); got != 6*time.Second {
		t.Errorf("two tokens: %v, want the longest", got)
	}
}

// proves S-50
func TestSitemaps(t *testing.T) {
	f := Parse([]byte("Sitemap: https://cdn.example/s.xml#x\nUser-agent: *\nsite-map: /own.xml\nSitemap: own.xml\nSitemap:\nSitemap: ftp://x/y\n" +
		"Sitemap: javascript:alert(1)\nSitemap: https://\nSitemap https://shop.example/bare.xml\nDisallow: /a\nSitemap: http://[bad\n"))
	base, _ := url.Parse("https://shop.example/robots.txt")
	want := []string{"https://cdn.example/s.xml", "https://shop.example/own.xml", "https://shop.example/bare.xml"}
	if got := f.Sitemaps(base); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	want = []string{"https://cdn.example/s.xml", "https://shop.example/bare.xml"}
	if got := f.Sitemaps(nil); !reflect.DeepEqual(got, want) {
		t.Errorf("without base: %q", got)
	}
	if f.Decide([]string{"x"}, "/a").Allow {
		t.Error("a Sitemap line ended the group")
	}
}

// proves S-26, R-03
func TestBodyLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		end   int // where the line "Disallow: /a" with its LF ends
		allow bool
	}{
		{"at 500 KiB", 500 << 10, false},
		{"at the limit", MaxBody, false},
		{"LF just behind the limit", MaxBody + 1, false},
		{"cut", MaxBody + 2, true},
		{"behind", MaxBody + 4096, true},
	} {
		head := "User-agent: *\nDisallow: /never\n"
		rule := "Disallow: /a\n"
		body := head + strings.Repeat("#", c.end-len(head)-len(rule)-1) + "\n" + rule + strings.Repeat("# more\n", 20000)
		f := Parse([]byte(body))
		if got := f.Decide([]string{"x"}, "/a").Allow; got != c.allow {
			t.Errorf("%s: /a allow %v", c.name, got)
		}
		if !f.Decide([]string{"x"}, "/b").Allow || f.Decide([]string{"x"}, "/never").Allow {
			t.Errorf("%s: other addresses judged wrong", c.name)
		}
	}
}

// proves S-27, S-28
func TestOfCopy(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /a\n")
	for outcome, allow := range map[schema.RobotsOutcome]bool{schema.RobotsParse: false, schema.RobotsAllowAll: true, schema.RobotsDenyAll: false, "": false} {
		f := Of(schema.RobotsCopy{Outcome: outcome, Body: body})
		if got := f.Decide([]string{"x"}, "/a").Allow; got != allow {
			t.Errorf("%q: /a allow %v", outcome, got)
		}
		if got := f.Decide([]string{"x"}, "/b").Allow; got != (outcome == schema.RobotsParse || outcome == schema.RobotsAllowAll) {
			t.Errorf("%q: /b allow %v", outcome, got)
		}
		if !f.Decide([]string{"x"}, "/robots.txt").Allow {
			t.Errorf("%q: robots.txt itself denied", outcome)
		}
	}
}

func TestExplain(t *testing.T) {
	f := Parse([]byte("User-agent: Herb\nDisallow: /a<b>&\nCrawl-delay: 1.5\n"))
	var out strings.Builder
	err := Explain(&out, []string{"herb"}, f, "-", func(yield func(string) bool) {
		_ = yield(site+"/a<b>&c") && yield("/x")
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"url":"https://shop.example/a<b>&c","allow":false,"group":"Herb","rule":"Disallow: /a<b>&","line":2,"crawl_delay_s":1.5,"star_allow":true,"source":"-"}
{"url":"/x","allow":true,"group":"Herb","rule":"","line":0,"crawl_delay_s":1.5,"star_allow":true,"source":"-"}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if err := Explain(&out, []string{"x"}, f, "f", func(yield func(string) bool) { yield("/") }); err != nil {
		t.Fatal(err)
	}
	if want := `{"url":"/","allow":true,"group":"","rule":"","line":0,"crawl_delay_s":null,"star_allow":true,"source":"f"}` + "\n"; out.String() != want {
		t.Errorf("no group: got %s", out.String())
	}
}
