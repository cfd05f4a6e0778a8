package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"
)

// Fingerprint names the item a finding belongs to: what one mend of a template
// would mend. It is made of the rule, the outcome, the shape of the place and the
// shape of the page's path, and so is the same in every scan of the site,
// whichever page shows the fault and however the engine is versioned: 16 hex
// digits. Of a finding with a subject it is made of that in place of both shapes.
func Fingerprint(f Finding, pageURL string) string { return FingerprintIn(f, PathShape(pageURL)) }

// FingerprintIn is Fingerprint for a page whose PathShape is known.
func FingerprintIn(f Finding, template string) string {
	place := SelectorShape(f.Selector) + "\x00" + template
	if subject := Subject(f); subject != "" {
		place = "subject\x00" + subject
	}
	sum := sha256.Sum256([]byte("1\x00" + f.Rule + "\x00" + string(f.Outcome) + "\x00" + place))
	return hex.EncodeToString(sum[:8])
}

// HiddenName stands in a finding's detail for the name of a cookie or storage key
// that may hold more than a name.
const HiddenName = "a name that is not shown"

// Subject is whom or what a finding about privacy names: a third party, a cookie.
// It is one and the same on each page of the site, and told apart from others on
// one page. Empty for findings about a place.
func Subject(f Finding) string {
	if f.Category != CategoryPrivacy {
		return ""
	}
	subject, _, _ := strings.Cut(f.Detail, ", ")
	if strings.HasPrefix(subject, HiddenName) {
		return "" // several things may hide behind it
	}
	return subject
}

// PathShape is what the paths of pages of one template have in common: the
// folders stay, the last part becomes *, and so does every part with a digit or
// of over 30 characters. "/blog/a-day" is "/blog/*", "/2026/05/x.html" is
// "/*/*/*.html", "/about" is "/*". Folders below the second become * as well.
// A query counts, its contents do not.
func PathShape(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?"
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) == 1 && parts[0] == "" {
		return "/" + queryShape(u)
	}
	for i, part := range parts {
		switch {
		case i == len(parts)-1:
			parts[i] = "*" + extension(part)
		case i > 1 || len(part) > 30 || strings.ContainsFunc(part, unicode.IsDigit):
			parts[i] = "*"
		default:
			parts[i] = strings.ToLower(part)
		}
	}
	const deepest = 8 // an endless path is one shape
	return "/" + strings.Join(parts[:min(len(parts), deepest)], "/") + queryShape(u)
}

func queryShape(u *url.URL) string {
	if u.RawQuery == "" {
		return ""
	}
	return "?"
}

// extension is a file's, ".html"; empty for what only looks like one.
func extension(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 1 || len(name)-i > 6 || strings.ContainsFunc(name[i+1:], func(r rune) bool { return !unicode.IsLetter(r) }) {
		return ""
	}
	return strings.ToLower(name[i:])
}
