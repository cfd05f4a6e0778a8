package robots

import (
	"net/url"
	"strings"
	"sync"
	"time"

	"visite/schema"
)

// MaxBody is how many octets of a robots.txt count, after content coding is
// undone. RFC 9309 section 2.5 asks for at least 500 KiB.
const MaxBody = 512 << 10

const (
	maxSitemaps = 1000 // Sitemap lines handed on
	maxCached   = 8    // token sets a File keeps compiled
)

// File is a parsed robots.txt. It does not change and may be used by several
// goroutines at once.
type File struct {
	groups   []group
	sitemaps []string
	denyAll  bool

	mu       sync.Mutex
	compiled map[string]*Rules
}

// group is a run of user-agent lines and the lines they govern (RFC 9309
// section 2.1).
type group struct {
	agents []agent
	rules  []line
	delays []delay
}

type agent struct {
	value string // as written
	token string // lower case; empty: names nobody
	star  bool
}

// line is an Allow or Disallow line that is not empty.
type line struct {
	allow  bool
	number int
	value  string // as written
}

// delay is a Crawl-delay line with the agents it holds for, by their places in
// the group: those named directly above it, or all where rules stand between.
type delay struct {
	from, to int
	pause    time.Duration
}

// Parse reads a robots.txt. It never fails: lines it cannot use are skipped
// (RFC 9309 section 2.3.1.5). Of a body longer than MaxBody the rest is
// ignored, and so is the line the limit cuts in two.
func Parse(body []byte) *File {
	f := &File{}
	open := false // the last group still takes user-agent lines
	for number, text := range lines(decodeText(cutBody(body))) {
		key, value := record(text)
		switch key {
		case keyAgent:
			if !open {
				f.groups = append(f.groups, group{})
				open = true
			}
			g := &f.groups[len(f.groups)-1]
			g.agents = append(g.agents, newAgent(value))
		case keyAllow, keyDisallow:
			open = false // an empty rule ends the list of agents too
			f.addRule(line{allow: key == keyAllow, number: number, value: value})
		case keyDelay:
			f.addDelay(value, open)
		case keySitemap:
			if value != "" && len(f.sitemaps) < maxSitemaps {
				f.sitemaps = append(f.sitemaps, value)
			}
		}
	}
	return f
}

// Of is the File a kept copy stands for: its rules, no rules for allow_all, and
// a complete disallow for everything else (RFC 9309 section 2.3.1).
func Of(c schema.RobotsCopy) *File {
	switch c.Outcome {
	case schema.RobotsParse:
		return Parse(c.Body)
	case schema.RobotsAllowAll:
		return &File{}
	}
	return &File{denyAll: true}
}

// addRule puts a rule into the last group. Rules before any user-agent line are
// nobody's (section 2.2.2), an Allow that does not begin with a slash or a star
// frees nothing.
func (f *File) addRule(l line) {
	if len(f.groups) == 0 || l.value == "" {
		return
	}
	if l.allow && l.value[0] != '/' && l.value[0] != '*' {
		return
	}
	g := &f.groups[len(f.groups)-1]
	g.rules = append(g.rules, l)
}

// addDelay puts a Crawl-delay into the last group. While the group's list of
// agents is open (the line does not end it, RFC 9309 section 2.2.4), an earlier
// delay has its own agents. Delays for the same agents become one, the longest.
func (f *File) addDelay(value string, open bool) {
	pause, ok := parseDelay(value)
	if !ok || len(f.groups) == 0 {
		return
	}
	g := &f.groups[len(f.groups)-1]
	d := delay{to: len(g.agents), pause: pause}
	if n := len(g.delays); n > 0 {
		last := &g.delays[n-1]
		if open && last.to < d.to {
			d.from = last.to
		} else if open {
			d.from = last.from
		}
		if last.from == d.from && last.to == d.to {
			last.pause = max(last.pause, pause)
			return
		}
	}
	g.delays = append(g.delays, d)
}

// Empty reports whether the file says nothing at all: no group, no sitemap.
func (f *File) Empty() bool { return !f.denyAll && len(f.groups) == 0 && len(f.sitemaps) == 0 }

// Sitemaps lists the addresses of the Sitemap lines, absolute, http or https,
// each once, in the file's order, at most 1,000. base resolves relative ones
// and may be nil.
func (f *File) Sitemaps(base *url.URL) []string {
	var out []string
	seen := make(map[string]bool)
	for _, value := range f.sitemaps {
		address, err := schema.NormalizeAddress(strings.ToValidUTF8(value, "\uFFFD"), base)
		if err != nil || seen[address] {
			continue
		}
		seen[address] = true
		out = append(out, address)
	}
	return out
}

// CrawlDelay is the longest Crawl-delay that holds for the tokens; false where
// none is given. At most a year.
func (f *File) CrawlDelay(tokens []string) (time.Duration, bool) {
	return f.For(tokens).CrawlDelay()
}

// Decide judges an address for a bot that answers to all the tokens. See
// Rules.Decide.
func (f *File) Decide(tokens []string, rawURL string) schema.RobotsDecision {
	return f.For(tokens).Decide(rawURL)
}

// For compiles the rules that hold for the tokens. The File keeps the result,
// so that asking again is cheap.
func (f *File) For(tokens []string) *Rules {
	key := strings.ToLower(strings.Join(tokens, "\n"))
	f.mu.Lock()
	defer f.mu.Unlock()
	if r, ok := f.compiled[key]; ok {
		return r
	}
	r := compile(f, tokens)
	if f.compiled == nil {
		f.compiled = make(map[string]*Rules)
	}
	if len(f.compiled) < maxCached {
		f.compiled[key] = r
	}
	return r
}
