package seo

import (
	"errors"
	"strings"

	"golang.org/x/text/language"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

func languageRules() []rule.Rule {
	return []rule.Rule{
		of("lang-region", schema.SeverityMinor, "The page's language code has a malformed or unknown part",
			"Write language and country as BCP 47 has them, for example \"en-GB\" (not \"en-UK\") or \"de-AT\" (not \"de_AT\").",
			rule.Standard, "BCP 47 (RFC 5646)", langRegion),
		of("hreflang-invalid", schema.SeverityModerate, "A language version has an unknown language code",
			"Write hreflang as a language of ISO 639-1, optionally with a script or a country of ISO 3166-1, or x-default.",
			rule.SearchEngine, googleHreflang, hreflangInvalid),
		of("hreflang-address", schema.SeverityModerate, "A language version has no usable address",
			"Put the full address of the other version into the href.", rule.SearchEngine, googleHreflang, hreflangAddress),
		of("hreflang-conflict", schema.SeverityModerate, "One language code names different addresses",
			"Name one address for each language code.", rule.SearchEngine, googleHreflang, hreflangConflict),
		of("hreflang-self", schema.SeverityMinor, "The language versions do not include the page itself",
			"Let each version list all versions, itself among them.", rule.SearchEngine, googleHreflang, hreflangSelf),
		of("hreflang-relative", schema.SeverityInfo, "A language version's address is relative",
			"Write hreflang addresses with scheme and host.", rule.SearchEngine, googleHreflang, hreflangRelative),
		of("hreflang-canonical", schema.SeverityModerate, "A page with language versions calls another page canonical",
			"Let each language version name itself as canonical; another language's page is no duplicate.", rule.SearchEngine, googleHreflang, hreflangCanonical),
	}
}

// validTag reports whether a language tag is well formed and made of codes that
// exist. The parser mends some mistakes silently (en-UK, de_AT), so what it made
// of the tag must be what was written, and a region must be a country.
func validTag(raw string, regionMustBeCountry bool) bool {
	raw = strings.TrimSpace(raw)
	tag, err := language.Raw.Parse(raw)
	if err != nil || !strings.EqualFold(tag.String(), raw) {
		return false
	}
	_, _, region := tag.Raw()
	if region.Canonicalize() != region { // UK is reserved; the country is GB
		return false
	}
	return !regionMustBeCountry || region.String() == "ZZ" || region.IsCountry()
}

// langRegion leaves unknown languages to the accessibility rule and asks for
// the rest of the tag. Regions by number (es-419) are in order here.
func langRegion(c *page.Content) []rule.Hit {
	lang, _ := c.Tree.Attr(c.Tree.HTMLRoot, "lang")
	lang = strings.TrimSpace(lang)
	primary, _, more := strings.Cut(strings.ReplaceAll(lang, "_", "-"), "-")
	if !more {
		return nil
	}
	if _, err := language.ParseBase(primary); err != nil || validTag(lang, false) {
		return nil
	}
	return []rule.Hit{{Node: c.Tree.HTMLRoot, Detail: code(lang)}}
}

func hreflangInvalid(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, h := range c.Hreflangs {
		if strings.EqualFold(h.Code, "x-default") || validTag(h.Code, true) {
			continue
		}
		hits = append(hits, rule.Hit{Node: h.Node, Detail: code(h.Code)})
	}
	return hits
}

// code is a language code as it may be shown: whatever else stands there is not.
func code(s string) string {
	if len(s) > 35 || strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return ""
	}
	return s
}

func hreflangAddress(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, h := range c.Hreflangs {
		if h.Err != nil || strings.TrimSpace(h.Raw) == "" {
			hits = append(hits, rule.Hit{Node: h.Node, Detail: code(h.Code)})
		}
	}
	return hits
}

func hreflangConflict(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	address, told := map[string]string{}, map[string]bool{}
	for _, h := range c.Hreflangs {
		name := strings.ToLower(h.Code)
		if h.URL == "" || name == "" {
			continue
		}
		if known, ok := address[name]; ok && known != h.URL && !told[name] {
			told[name] = true
			hits = append(hits, rule.Hit{Node: h.Node, Detail: code(h.Code)})
		}
		if _, ok := address[name]; !ok {
			address[name] = h.URL
		}
	}
	return hits
}

// hreflangSelf accepts the page's own address and the one it calls canonical.
func hreflangSelf(c *page.Content) []rule.Hit {
	if len(c.Hreflangs) == 0 || !c.Complete() || c.LinksCut {
		return nil
	}
	own := map[string]bool{schema.AddressKey(c.URL): true}
	for _, k := range c.Canonicals {
		if k.URL != "" {
			own[schema.KeyOf(k.URL)] = true
		}
	}
	for _, h := range c.Hreflangs {
		if h.Err != nil || own[schema.KeyOf(h.URL)] {
			return nil
		}
	}
	return []rule.Hit{{Node: c.Hreflangs[0].Node}}
}

// hreflangRelative takes the links of the markup; those of a header are written
// by servers, which know their own name.
func hreflangRelative(c *page.Content) []rule.Hit {
	for _, h := range c.Hreflangs {
		if h.URL == "" || h.Node == dom.None {
			continue
		}
		if _, err := schema.NormalizeAddress(h.Raw, nil); errors.Is(err, schema.ErrAddressRelative) {
			return []rule.Hit{{Node: h.Node, Detail: code(h.Code)}}
		}
	}
	return nil
}

// hreflangCanonical is about a page that is a language version and names another
// one of them. Duplicates that repeat the markup of the page they name do not list
// themselves.
func hreflangCanonical(c *page.Content) []rule.Hit {
	u, at := only(c)
	if u == nil || len(c.Hreflangs) == 0 || schema.HostKey(u) != schema.HostKey(c.URL) || u.EscapedPath() == c.URL.EscapedPath() {
		return nil
	}
	own, canonical := schema.AddressKey(c.URL), schema.KeyOf(at.URL)
	ownListed, canonicalListed := false, false
	for _, h := range c.Hreflangs {
		if h.URL != "" {
			key := schema.KeyOf(h.URL)
			ownListed, canonicalListed = ownListed || key == own, canonicalListed || key == canonical
		}
	}
	if own == canonical || !ownListed || !canonicalListed {
		return nil
	}
	return []rule.Hit{{Node: at.Node, Detail: schema.RedactAddress(at.URL)}}
}
