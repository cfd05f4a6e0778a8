package challenge

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/schema"
)

const (
	ordinaryLinks  = 3   // links to the site's own pages: no challenge has a menu
	ordinaryFields = 2   // fields a person fills in beside a widget
	plainWords     = 200 // a page with so many is one, unless it bears a challenge's mark
	wordyChallenge = 500 // some explain themselves at length; none so long
	shortWords     = 100
	soon           = 15 // seconds: a challenge loads itself again within it
)

// figures are what a document is like, without its text.
type figures struct {
	refusing bool // the status is one that challenges come with
	okay     bool // 200
	words    int
	ownLinks int
	fields   int // text fields, choices and passwords in forms
	bare     bool
	title    bool // a title only challenges have
	phrase   bool // a heading or title that asks to prove one is human
	widget   bool // a known CAPTCHA element
	noIndex  bool
	reload   bool // loads itself again, soon
}

func read(c *page.Content) figures {
	status := c.Doc.Facts.Status
	f := figures{okay: status == 200 || status == 0, words: c.Words}
	f.refusing = slices.Contains(refusingStatuses, status)
	for _, l := range c.Links {
		if l.Kind == schema.LinkAnchor && l.InScope && l.Err == nil && l.URL != c.Doc.Address() {
			f.ownLinks++
		}
	}
	for _, id := range c.Controls {
		if c.Tree.Ancestor(id, atom.Form) != dom.None && isField(c.Tree, id) {
			f.fields++
		}
	}
	title := strings.ToLower(strings.TrimSpace(c.Title))
	f.title = isChallengeTitle(title)
	f.phrase = asksForHuman(title)
	for _, id := range c.Headings {
		f.phrase = f.phrase || asksForHuman(strings.ToLower(page.Collapse(c.Tree.InnerText(id, 300))))
	}
	nav := false
	c.Tree.Visit(func(id dom.ID) bool {
		n := c.Tree.Node(id)
		nav = nav || (n.Kind == dom.Element && n.Atom == atom.Nav)
		f.widget = f.widget || (n.Kind == dom.Element && isWidget(c.Tree, id))
		return true
	}, func(dom.ID) {})
	f.bare = f.ownLinks == 0 && !nav && f.fields < ordinaryFields
	for _, d := range c.Robots {
		name := strings.ToLower(d.String())
		f.noIndex = f.noIndex || strings.Contains(name, "noindex") || strings.Contains(name, "none")
	}
	for _, r := range c.Refreshes {
		f.reload = f.reload || (r.Seconds <= soon && (r.Raw == "" || r.URL == c.Doc.Address()))
	}
	return f
}

// refusingStatuses are what challenges come with, beside 200.
var refusingStatuses = []int{202, 401, 403, 405, 429, 503}

// ordinary tells that a document holds what a page of a site holds.
func (f figures) ordinary(words int) bool {
	return f.ownLinks >= ordinaryLinks || f.words >= words || f.fields >= ordinaryFields
}

// likely weighs how a document is built. A refusal without a word that it checks
// who is asking is an error page, and one that loads itself again is a page under
// maintenance.
func (f figures) likely(marked bool) bool {
	signs := 0
	for _, sign := range []bool{f.refusing, f.words < shortWords, f.bare, f.noIndex, f.reload} {
		if sign {
			signs++
		}
	}
	speaks := f.title || f.phrase
	if f.okay { // a widget on a short page is no proof
		return f.bare && f.words < plainWords && (f.title || (f.phrase && (f.widget || marked)) || ((f.widget || marked) && f.noIndex && signs >= 3))
	}
	return f.refusing && signs >= 2 && (speaks || f.widget || marked)
}

func isField(t *dom.Tree, id dom.ID) bool {
	if !t.Is(id, atom.Input) {
		return true
	}
	kind, _ := t.Attr(id, "type")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "hidden", "submit", "button", "image", "reset", "checkbox", "radio":
		return false
	}
	return true
}

// isWidget recognises the element a CAPTCHA is drawn in. Its script alone stands
// on many pages that never show one.
func isWidget(t *dom.Tree, id dom.ID) bool {
	class, _ := t.Attr(id, "class")
	for _, name := range strings.Fields(class) {
		switch name {
		case "cf-turnstile", "h-captcha", "g-recaptcha", "frc-captcha", "px-captcha":
			return true
		}
	}
	if t.Node(id).Data == "altcha-widget" {
		return true
	}
	if own, _ := t.Attr(id, "id"); own == "px-captcha" || own == "sec-if-cpt-container" {
		return true
	}
	if !t.Is(id, atom.Iframe) {
		return false
	}
	source, _ := t.Attr(id, "src")
	for _, from := range []string{"challenges.cloudflare.com/", "hcaptcha.com/", "/recaptcha/api2/bframe", "captcha-delivery.com/", "arkoselabs.com/"} {
		if strings.Contains(source, from) {
			return true
		}
	}
	return false
}
