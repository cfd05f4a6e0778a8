package inspect

import (
	"slices"
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/performance"
	"visite/internal/inspect/privacy"
	"visite/schema"
)

// What is kept at most of what a page says of itself, in characters and entries.
const (
	maxTitle       = 300
	maxDescription = 500
	maxSharing     = 30
	maxSharingText = 300
	maxLanguage    = 35
)

// describe records figures and what the page says of itself (contract C-59, C-60).
func describe(p *schema.Page, c *page.Content) {
	p.Charset, p.Words, p.ContentHash, p.Elements = c.Charset.Name, c.Words, c.Hash, c.Tree.Elements
	p.Structure = page.Structure(c.Tree)
	p.Title, p.Description = page.Clean(c.Title, maxTitle), page.Clean(c.Description, maxDescription)
	p.Sharing = sharing(c)
	p.Languages = languages(c)
	for _, d := range c.Robots {
		if s := d.String(); !slices.Contains(p.RobotsTags, s) {
			p.RobotsTags = append(p.RobotsTags, s)
		}
	}
	for _, k := range c.Canonicals {
		if k.InHead && k.URL != "" {
			p.Canonical = k.URL
			break
		}
	}
}

// measure records how fast the page was and what it weighs, where a browser saw it,
// and how trackers were told.
func measure(p *schema.Page, c *page.Content) {
	p.TrackersBy = privacy.ToldBy(c)
	if o := c.Doc.Observed; o != nil {
		p.Speed, p.Weight = o.Speed, performance.Weigh(c)
	}
}

// sharing takes Open Graph and card data, the first of equal names.
func sharing(c *page.Content) map[string]string {
	var out map[string]string
	for _, m := range c.Metas {
		if !strings.HasPrefix(m.Name, "og:") && !strings.HasPrefix(m.Name, "twitter:") {
			continue
		}
		if _, twice := out[m.Name]; twice || len(out) >= maxSharing || !isPlainName(m.Name) {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[m.Name] = page.Clean(m.Content, maxSharingText)
	}
	return out
}

func isPlainName(s string) bool {
	return s != "" && len(s) <= 60 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789:_-.") == ""
}

func languages(c *page.Content) schema.Languages {
	var l schema.Languages
	lang, _ := c.Tree.Attr(c.Tree.HTMLRoot, "lang")
	l.HTML = languageCodes(lang, "")
	if header := c.Doc.Header("Content-Language"); len(header) > 0 {
		l.Header = languageCodes(header[0], ", ")
	}
	for _, h := range c.Hreflangs {
		code := strings.ToLower(h.Code)
		if h.URL == "" || len(code) > maxLanguage || !isPlainName(code) || len(l.Hreflang) >= schema.HreflangMost {
			continue
		}
		if l.Hreflang == nil {
			l.Hreflang = map[string]string{}
		}
		if _, twice := l.Hreflang[code]; !twice {
			l.Hreflang[code] = h.URL
		}
	}
	return l
}

// languageCodes is a language marking as it may be recorded: codes, right or
// wrong, but no prose.
func languageCodes(s, separators string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxLanguage || strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_"+separators) != "" {
		return ""
	}
	return s
}
