package robots

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A second implementation for comparison, written from RFC 9309 and sharing no
// code with the first: it decides on a model, from which the file's text is
// generated, and matches by a table over pattern and path.

type modelRule struct {
	allow   bool
	value   string
	symbols []int // of the value, see refPattern
}

type modelGroup struct {
	agents []string
	rules  []modelRule
}

const refStar, refEnd = -1, -2

// refPattern turns a rule into symbols: octets of the normal form, stars, end.
func refPattern(value string) (symbols []int) {
	for i, piece := range strings.Split(value, "*") {
		if i > 0 {
			symbols = append(symbols, refStar)
		}
		for _, c := range []byte(refOctets(strings.TrimSuffix(piece, "$"))) {
			symbols = append(symbols, int(c))
		}
		if strings.HasSuffix(piece, "$") {
			symbols = append(symbols, []int{'%', '2', '4'}...)
		}
	}
	if strings.HasSuffix(value, "$") {
		symbols = append(symbols[:len(symbols)-3], refEnd)
	}
	return symbols
}

// refOctets gives each octet its one form: unreserved ones bare, reserved ones
// as they were written, the rest escaped.
func refOctets(s string) string {
	var out bytes.Buffer
	for s != "" {
		octet, n := s[0], 1
		if len(s) >= 3 && octet == '%' && refHex(s[1:3]) {
			value, _ := strconv.ParseUint(s[1:3], 16, 8)
			octet, n = byte(value), 3
		}
		bare := strings.IndexByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!'()[]", octet) >= 0
		if reserved := strings.IndexByte("/?:@&=+,;#", octet) >= 0; bare || reserved && n == 1 || octet == '%' && n == 1 {
			out.WriteByte(octet)
		} else {
			fmt.Fprintf(&out, "%%%02X", octet)
		}
		s = s[n:]
	}
	return out.String()
}

func refHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

// refMatch fills reach[j]: the symbols read so far can match exactly path[:j].
func refMatch(symbols []int, path string) bool {
	reach, next := make([]bool, len(path)+1), make([]bool, len(path)+1)
	reach[0] = true
	for _, s := range symbols {
		for j := range reach {
			switch {
			case s == refEnd:
				next[j] = reach[j] && j == len(path)
			case s == refStar:
				next[j] = reach[j] || j > 0 && next[j-1]
			default:
				next[j] = j > 0 && reach[j-1] && int(path[j-1]) == s
			}
		}
		reach, next = next, reach
	}
	return slices.Contains(reach, true)
}

// refDecide is RFC 9309 section 2.2 on the model.
func refDecide(groups []modelGroup, tokens []string, path string) bool {
	if path = refOctets(path); path == "/robots.txt" {
		return true
	}
	named := func(g modelGroup, want []string) bool {
		for _, a := range g.agents {
			for _, w := range want {
				if strings.EqualFold(a, w) {
					return true
				}
			}
		}
		return false
	}
	merge := func(want []string) (rules []modelRule, found bool) {
		for _, g := range groups {
			if named(g, want) {
				rules, found = append(rules, g.rules...), true
			}
		}
		return rules, found
	}
	rules, found := merge(tokens)
	if !found {
		rules, _ = merge([]string{"*"})
	}
	most, allow := -1, true
	for _, r := range rules {
		if len(r.symbols) < most || !refMatch(r.symbols, path) {
			continue
		}
		if len(r.symbols) > most {
			most, allow = len(r.symbols), r.allow
		} else {
			allow = allow || r.allow
		}
	}
	return allow
}

func pick(rnd *rand.Rand, choices ...string) string { return choices[rnd.IntN(len(choices))] }

// randomPath draws from few pieces, so that rules and addresses meet often.
func randomPath(rnd *rand.Rand, extra ...string) string {
	pieces := append([]string{"a", "b", "ab", "/", "%61", "%2f", "%2F", "ö", "%C3%b6", "?", "&", "=", "(", "%28", ",", "%2C", "%", "%2A", "%24", "-", "x"}, extra...)
	var b strings.Builder
	b.WriteByte('/')
	for range rnd.IntN(7) {
		b.WriteString(pick(rnd, pieces...))
	}
	return b.String()
}

func randomModel(rnd *rand.Rand) []modelGroup {
	groups := make([]modelGroup, 1+rnd.IntN(4))
	for i := range groups {
		for range 1 + rnd.IntN(2) {
			groups[i].agents = append(groups[i].agents, pick(rnd, "*", "alpha", "beta", "Alphabet", "gam-ma", "GAM"))
		}
		for range 1 + rnd.IntN(4) {
			value := randomPath(rnd, "*", "*", "**", "$")
			if rnd.IntN(6) == 0 {
				value = "*" + value[1:]
			}
			if rnd.IntN(4) == 0 {
				value += "$"
			}
			groups[i].rules = append(groups[i].rules, modelRule{rnd.IntN(2) == 0, value, refPattern(value)})
		}
	}
	return groups
}

// randomText writes the model down in one of the many ways that mean the same.
func randomText(rnd *rand.Rand, groups []modelGroup) []byte {
	var b bytes.Buffer
	blank := func() string { return pick(rnd, "", "", " ", "\t ", "  ") }
	end := func() string {
		return blank() + pick(rnd, "", "", "#c", " # Allow: /") + pick(rnd, "\n", "\r\n", "\r", "\n\n") +
			pick(rnd, "", "", "", "Noindex: /a\n", "# Disallow: /\n", "Sitemap: /s.xml\n", "words\n")
	}
	put := func(key, value string) {
		if rnd.IntN(3) == 0 {
			key = strings.ToUpper(key)
		}
		b.WriteString(blank() + key + blank() + ":" + blank() + value + end())
	}
	b.WriteString(pick(rnd, "", "\uFEFF", "Disallow: /\n", "Crawl-delay: 3\n"))
	for _, g := range groups {
		for _, a := range g.agents {
			suffix := ""
			if a != "*" {
				suffix = pick(rnd, "", "/1.0", " x")
			}
			put("User-agent", a+suffix)
		}
		for _, r := range g.rules {
			put(map[bool]string{true: "Allow", false: "Disallow"}[r.allow], r.value)
		}
	}
	return b.Bytes()
}

// proves S-26, S-30, S-31
func TestRandomDecisionsAgreeWithReference(t *testing.T) {
	decisions := 1_000_000
	if testing.Short() {
		decisions = 50_000
	}
	rnd := rand.New(rand.NewPCG(9309, 2022))
	denied := 0
	for n := 0; n < decisions; {
		groups := randomModel(rnd)
		text := randomText(rnd, groups)
		f := Parse(text)
		for range 10 {
			tokens := [][]string{{"alpha"}, {"beta", "GAM-MA"}, {"alphabet", "alpha"}, {"delta"}}[rnd.IntN(4)]
			for range 10 {
				n++
				path := randomPath(rnd, "*", "$", "/robots.txt")
				want := refDecide(groups, tokens, path)
				if got := f.Decide(tokens, path); got.Allow != want {
					t.Fatalf("%q\n%q for %v: allow %v by %q, reference says %v", text, path, tokens, got.Allow, got.Rule, want)
				}
				if !want {
					denied++
				}
			}
		}
	}
	if denied < decisions/10 || denied > decisions*9/10 {
		t.Errorf("%d of %d denied: the draw tests little", denied, decisions)
	}
}

// judgeByReference judges by the parsed file's own lines, matched by the table.
func judgeByReference(f *File, tokens []string, path string) bool {
	var groups []modelGroup
	for _, g := range f.groups {
		var m modelGroup
		for _, a := range g.agents {
			if a.star {
				m.agents = append(m.agents, "*")
			} else if a.token != "" {
				m.agents = append(m.agents, a.token)
			}
		}
		for _, l := range g.rules {
			value := l.value
			if value[0] != '/' && value[0] != '*' {
				value = "/" + value
			}
			m.rules = append(m.rules, modelRule{l.allow, value, refPattern(value)})
		}
		groups = append(groups, m)
	}
	return refDecide(groups, tokens, path)
}

func FuzzDecide(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /*a*b$\nAllow: /%61\n"), "bot", "/aab")
	f.Add([]byte("\xFF\xFEU\x00"), "x", "https://h/%2e%2e/?#")
	f.Add([]byte("user-agent: x\rcrawl-delay: 1e9\r\nallow /\n"), "X", "/$*%")
	f.Fuzz(func(t *testing.T, body []byte, token, address string) {
		start := time.Now()
		file := Parse(body)
		rules := file.For([]string{token})
		d := rules.Decide(address)
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("took %v for %d octets", took, len(body))
		}
		switch {
		case (d.Rule == "") != (d.Line == 0):
			t.Errorf("rule %q on line %d", d.Rule, d.Line)
		case d.Line != 0 && d.Allow != strings.HasPrefix(d.Rule, "Allow: "):
			t.Errorf("allow %v by %q", d.Allow, d.Rule)
		case d.CrawlDelay < 0 || d.CrawlDelay > maxDelay:
			t.Errorf("Crawl-delay %v", d.CrawlDelay)
		case file.Decide([]string{token}, address) != d:
			t.Error("two answers to one question")
		case !file.Decide([]string{token}, "/robots.txt").Allow:
			t.Error("robots.txt itself denied")
		}
		path := normalURL(address)
		if _, dots := withoutDots(path); dots || len(body)*len(path) > 1<<16 {
			return
		}
		if ours := productToken(token); ours != "" && d.Allow != judgeByReference(file, []string{ours}, path) {
			t.Errorf("allow %v by %q, reference says otherwise", d.Allow, d.Rule)
		}
	})
}
