package privacy

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// How links to an imprint and to a privacy notice are called, in their text or
// their address.
var (
	imprintWords = regexp.MustCompile(`(?i)impressum|imprint|anbieterkennzeichnung|aviso[-_ ]*legal|avisolegal|legal[-_ ]*notice|informaci[oó]n[-_ ]*legal|notas?[-_ ]*legal`)
	privacyWords = regexp.MustCompile(`(?i)datenschutz|data[-_ ]*protection|privacy|privacidad|protecci[oó]n[-_ ]*de[-_ ]*datos|privatsph|dsgvo|gdpr|rgpd`)
)

// German and Spanish law ask for an imprint and a privacy notice on every site of
// a business, one step from everywhere.
func owesImprint(c *page.Content) bool {
	lang, _ := c.Tree.Attr(c.Tree.HTMLRoot, "lang")
	lang, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(lang)), "-")
	host := strings.ToLower(c.URL.Hostname())
	top := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case lang == "de" || lang == "es":
		return true
	case top == "de" || top == "at" || top == "ch" || top == "es":
		return true
	}
	return false
}

// owesNotice: whoever asks for personal data says what becomes of it, everywhere.
func owesNotice(c *page.Content) bool {
	if owesImprint(c) {
		return true
	}
	if len(personalForms(c)) > 0 {
		return true
	}
	for _, p := range parties(c) {
		if p.class == classTracker || p.class == classMeasure || p.list != "" {
			return true
		}
	}
	return false
}

func missing(owes func(*page.Content) bool, words *regexp.Regexp) func(*page.Content) []rule.Hit {
	return func(c *page.Content) []rule.Hit {
		if !c.Complete() || c.LinksCut || c.Words == 0 || !owes(c) || words.MatchString(c.URL.Path) {
			return nil
		}
		for _, id := range c.Anchors {
			href, _ := c.Tree.Attr(id, "href")
			label, _ := c.Tree.Attr(id, "aria-label")
			if words.MatchString(c.Tree.InnerText(id, 300)) || words.MatchString(label) || words.MatchString(pathOf(href)) {
				return nil
			}
		}
		return rule.Page("")
	}
}

// pathOf is an address without what only looks like its place.
func pathOf(href string) string {
	u, err := url.Parse(strings.TrimSpace(href))
	if err != nil {
		return ""
	}
	return u.Path + "#" + u.Fragment
}

// openForms finds forms of an unencrypted page that ask for personal data and are
// sent unencrypted. Those of encrypted pages are form-insecure's.
func openForms(c *page.Content) []rule.Hit {
	if c.Secure() || local(strings.ToLower(c.URL.Hostname())) {
		return nil
	}
	var hits []rule.Hit
	personal := personalForms(c)
	for _, id := range c.Forms {
		if !personal[id] {
			continue
		}
		action, _ := c.Tree.Attr(id, "action")
		to := c.Base
		if strings.TrimSpace(action) == "" {
			to = c.URL
		} else if a, err := schema.ParseAddress(action, c.Base); err == nil {
			to = &url.URL{Scheme: a.Scheme}
		}
		if to != nil && to.Scheme == "http" {
			hits = append(hits, rule.Hit{Node: id})
		}
	}
	return hits
}

// personalForms are the forms that ask for a password, a way to reach somebody, or
// a text that people write. One pass: a page may have as many forms as controls.
func personalForms(c *page.Content) map[dom.ID]bool {
	forms := map[dom.ID]bool{}
	if len(c.Forms) == 0 {
		return forms
	}
	for _, id := range c.Controls {
		if !personal(c, id) {
			continue
		}
		if form := c.Tree.Ancestor(id, atom.Form); form != dom.None {
			forms[form] = true
		}
	}
	return forms
}

func personal(c *page.Content, control dom.ID) bool {
	kind, _ := c.Tree.Attr(control, "type")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "password", "email", "tel":
		return true
	}
	fill, _ := c.Tree.Attr(control, "autocomplete")
	for token := range strings.FieldsSeq(strings.ToLower(fill)) {
		switch token {
		case "name", "given-name", "family-name", "email", "tel", "street-address", "postal-code", "bday", "username", "cc-number":
			return true
		}
	}
	return false
}
