package robots

import (
	"strings"
	"time"

	"github.com/temoto/robotstxt"

	"visite/schema"
)

const (
	// maxSteps bounds what one decision may cost, in octets searched. Only a
	// file of tens of thousands of wildcard rules asked about an address of many
	// hundred octets comes near it; such an address is then denied.
	maxSteps = 48 << 20
	// manyPatterns is where building the set of pairs begins to pay.
	manyPatterns = 64
	// maxStated bounds the rule and group texts of a decision, in octets.
	maxStated = 1000
)

// Rules is a robots.txt as it holds for one set of product tokens. It does not
// change and may be used by several goroutines at once.
type Rules struct {
	own      *ruleSet // decides
	star     *ruleSet // what the * group alone would say
	group    string
	denyAll  bool
	delay    time.Duration
	hasDelay bool
}

// ruleSet is the merged rules of some groups, in classes of equal weight, the
// heaviest first.
type ruleSet struct {
	lines    []line
	classes  []*class
	patterns int
}

// class holds the rules of one weight: the octets of the rule in normal form
// (RFC 9309 section 2.2.2, most octets win).
type class struct {
	weight   int
	names    map[string]int // rules without wildcard by their path, which is weight octets long
	plain    *robotstxt.Group
	patterns []pattern
}

// CrawlDelay is the longest Crawl-delay that holds; false where none is given.
func (r *Rules) CrawlDelay() (time.Duration, bool) { return r.delay, r.hasDelay }

// Decide judges an address, absolute or a path with query. The heaviest rule
// that matches decides, Allow where two are equal, and no rule allows (RFC 9309
// section 2.2.2). /robots.txt itself is always allowed. An address with dot
// segments is allowed only if it is both as written and resolved, for a browser
// resolves them and a plain client may not.
func (r *Rules) Decide(rawURL string) schema.RobotsDecision {
	d := schema.RobotsDecision{URL: rawURL, Group: r.group, CrawlDelay: r.delay}
	path := normalURL(rawURL)
	if path == "/robots.txt" {
		d.Allow, d.StarAllow = true, true
		return d
	}
	if r.denyAll {
		return d
	}
	var winner line
	winner, d.Allow = r.own.judge(path)
	if r.star != r.own {
		_, d.StarAllow = r.star.judge(path)
	}
	if resolved, ok := withoutDots(path); ok {
		if d.Allow {
			winner, d.Allow = r.own.judge(resolved)
		}
		if d.StarAllow {
			_, d.StarAllow = r.star.judge(resolved)
		}
	}
	if r.star == r.own {
		d.StarAllow = d.Allow
	}
	d.Rule, d.Line = winner.stated(), winner.number
	return d
}

// judge finds the rule that decides; a zero line where none spoke.
func (s *ruleSet) judge(path string) (line, bool) {
	steps := 0
	var have *pairs
	if s.patterns > manyPatterns {
		have = newPairs(path)
	}
	for _, c := range s.classes {
		best := c.named(path)
		for i := range c.patterns {
			p := &c.patterns[i]
			if !s.better(p.rule, best) || !p.fits(path) || have != nil && !have.allow(p) {
				continue
			}
			if steps += len(path); steps > maxSteps {
				return line{}, false
			}
			if p.match(path) {
				best = p.rule
			}
		}
		if best >= 0 {
			return s.lines[best], s.lines[best].allow
		}
	}
	return line{}, true
}

// named is the rule without wildcard that matches, -1 for none. The library
// decides; the table tells which rule it was.
func (c *class) named(path string) int {
	if len(c.names) == 0 || len(path) < c.weight || c.plain != nil && c.plain.Test(path) {
		return -1
	}
	if at, ok := c.names[path[:c.weight]]; ok {
		return at
	}
	return -1
}

// better reports whether rule i would win over best, of equal weight.
func (s *ruleSet) better(i, best int) bool {
	if best < 0 {
		return true
	}
	if s.lines[i].allow != s.lines[best].allow {
		return s.lines[i].allow
	}
	return s.lines[i].number < s.lines[best].number
}

// stated is the rule as a person would look it up.
func (l line) stated() string {
	switch {
	case l.number == 0:
		return ""
	case l.allow:
		return "Allow: " + stated(l.value)
	}
	return "Disallow: " + stated(l.value)
}

// stated makes a site's words fit for JSON and databases: valid UTF-8 of
// bounded length.
func stated(value string) string {
	if len(value) > maxStated {
		value = value[:maxStated]
	}
	return strings.ToValidUTF8(value, "\uFFFD")
}
