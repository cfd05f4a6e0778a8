package page

import (
	"strings"

	"visite/internal/inspect/dom"
)

// Directive is one wish a page has for robots: "noindex", "max-snippet:0".
type Directive struct {
	Node  dom.ID // dom.None for one from a header
	Agent string // lower case; empty: all robots
	Name  string // lower case
	Value string // lower case, after the colon
}

// String is how a directive is recorded: "noindex", "googlebot: noindex".
func (d Directive) String() string {
	s := d.Name
	if d.Value != "" {
		s += ":" + d.Value
	}
	if d.Agent != "" {
		s = d.Agent + ": " + s
	}
	return s
}

// maxDirectives bounds what is kept of one page.
const maxDirectives = 50

// robotsNames are the meta names that speak to robots besides "robots".
var robotsNames = map[string]bool{"googlebot": true, "googlebot-news": true, "googlebot-image": true, "bingbot": true, "msnbot": true, "slurp": true,
	"duckduckbot": true, "yandex": true, "yandexbot": true, "baiduspider": true, "applebot": true, "seznambot": true, "petalbot": true,
	"google-extended": true, "gptbot": true, "ccbot": true, "facebookexternalhit": true, "twitterbot": true}

// valued are the directives with a value after a colon.
var valued = map[string]bool{"max-snippet": true, "max-image-preview": true, "max-video-preview": true, "unavailable_after": true}

// directives are all other known ones.
var directives = map[string]bool{"all": true, "index": true, "follow": true, "none": true, "noindex": true, "nofollow": true, "noarchive": true,
	"nocache": true, "nosnippet": true, "noodp": true, "noydir": true, "notranslate": true, "noimageindex": true, "indexifembedded": true,
	"noai": true, "noimageai": true}

func isRobotsName(name string) bool { return name == "robots" || robotsNames[name] }

func (c *Content) robotsMeta(m Meta) {
	agent := m.Name
	if agent == "robots" {
		agent = ""
	}
	c.addDirectives(m.Node, agent, m.Content)
}

// robotsHeader reads one X-Robots-Tag value; a leading "name:" that is no
// directive addresses one robot. What names nothing like a robot is passed over.
func (c *Content) robotsHeader(value string) {
	name, rest, ok := strings.Cut(value, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	if !ok || valued[name] || strings.ContainsAny(name, " ,") {
		c.addDirectives(dom.None, "", value)
		return
	}
	if robotsNames[name] || isBotName(name) {
		c.addDirectives(dom.None, name, rest)
	}
}

func isBotName(s string) bool {
	return len(s) <= 30 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" &&
		(strings.Contains(s, "bot") || strings.Contains(s, "spider") || strings.Contains(s, "crawler"))
}

// addDirectives keeps the known directives of a list. Others are left out: what
// stands there could be anything.
func (c *Content) addDirectives(id dom.ID, agent, list string) {
	for part := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !directives[name] && !valued[name] || len(c.Robots) >= maxDirectives {
			continue
		}
		if len(value) > 40 || directives[name] {
			value = ""
		}
		c.Robots = append(c.Robots, Directive{Node: id, Agent: agent, Name: name, Value: value})
	}
}
