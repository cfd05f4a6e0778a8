package robots

import (
	"slices"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

// compile chooses the groups: all that name any of the tokens, merged; where
// none does, those of the star (RFC 9309 section 2.2.1, contract R-01).
func compile(f *File, tokens []string) *Rules {
	wanted := make(map[string]bool, len(tokens))
	for _, t := range tokens {
		if t = productToken(t); t != "" {
			wanted[t] = true
		}
	}
	isOurs := func(a agent) bool { return wanted[a.token] }
	isStar := func(a agent) bool { return a.star }

	r := &Rules{denyAll: f.denyAll}
	ours, stars := f.choose(isOurs), f.choose(isStar)
	decides := isOurs
	if len(ours) == 0 {
		ours, decides = stars, isStar
	}
	r.group = agentValues(ours, decides)
	r.delay, r.hasDelay = longestDelay(ours, decides)
	r.star = newRuleSet(stars)
	r.own = r.star
	if !slices.Equal(ours, stars) {
		r.own = newRuleSet(ours)
	}
	return r
}

func (f *File) choose(names func(agent) bool) []*group {
	var out []*group
	for i := range f.groups {
		if slices.ContainsFunc(f.groups[i].agents, names) {
			out = append(out, &f.groups[i])
		}
	}
	return out
}

// agentValues states who was named, each name once, the star without what
// stands behind it.
func agentValues(groups []*group, names func(agent) bool) string {
	var out []string
	seen := make(map[string]bool)
	length := 0
	for _, g := range groups {
		for _, a := range g.agents {
			if !names(a) {
				continue
			}
			value := stated(a.value)
			if a.star {
				value = "*"
			}
			if name := strings.ToLower(value); !seen[name] && length < maxStated {
				seen[name] = true
				out = append(out, value)
				length += len(value)
			}
		}
	}
	return strings.Join(out, ", ")
}

func longestDelay(groups []*group, names func(agent) bool) (longest time.Duration, found bool) {
	for _, g := range groups {
		for _, d := range g.delays {
			if slices.ContainsFunc(g.agents[d.from:d.to], names) {
				longest, found = max(longest, d.pause), true
			}
		}
	}
	return longest, found
}

func newRuleSet(groups []*group) *ruleSet {
	b := builder{set: &ruleSet{}, byWeight: make(map[int]*class), known: make(map[string]int)}
	for _, g := range groups {
		for _, l := range g.rules {
			b.add(l)
		}
	}
	slices.SortFunc(b.set.classes, func(a, b *class) int { return b.weight - a.weight })
	for _, c := range b.set.classes {
		if len(c.names) > 0 {
			c.plain = libraryGroup(c.names)
		}
	}
	return b.set
}

type builder struct {
	set      *ruleSet
	byWeight map[int]*class
	known    map[string]int // normal form to rule: equal rules are one
}

func (b *builder) add(l line) {
	text, anchored := normalRule(l.value)
	name := text
	if anchored {
		name += "$"
	}
	if at, ok := b.known[name]; ok {
		if l.allow && !b.set.lines[at].allow {
			b.set.lines[at] = l // Allow wins between equal rules
		}
		return
	}
	at := len(b.set.lines)
	b.known[name] = at
	b.set.lines = append(b.set.lines, l)
	c := b.class(len(name))
	if anchored || strings.IndexByte(text, '*') >= 0 {
		c.patterns = append(c.patterns, newPattern(at, text, anchored))
		b.set.patterns++
		return
	}
	c.names[text] = at
}

func (b *builder) class(weight int) *class {
	c := b.byWeight[weight]
	if c == nil {
		c = &class{weight: weight, names: make(map[string]int)}
		b.byWeight[weight] = c
		b.set.classes = append(b.set.classes, c)
	}
	return c
}

// libraryGroup gives the library one canonical group of rules of equal length,
// all as Disallow: it is asked whether one of them matches, the precedence is
// ours. In normal form they hold nothing it could take for a blank, a comment,
// a wildcard or an anchor.
func libraryGroup(names map[string]int) *robotstxt.Group {
	var text strings.Builder
	text.WriteString("User-agent: *\n")
	for path := range names {
		text.WriteString("Disallow: ")
		text.WriteString(path)
		text.WriteByte('\n')
	}
	data, err := robotstxt.FromString(text.String())
	if err != nil {
		return nil // not to be expected; the table of names then decides alone
	}
	return data.FindGroup("*")
}
