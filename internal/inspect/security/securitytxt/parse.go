// Package securitytxt reads security.txt (RFC 9116). What the file says stays in
// memory; figures, a date and closed words leave.
package securitytxt

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"visite/schema"
)

// Path is where the file stands (RFC 9116 section 3). Limit is how many of its
// bytes are read.
const (
	Path  = "/.well-known/security.txt"
	Limit = 32 << 10
)

// Faults of a file, as recorded. A closed list.
const (
	NoContact      = "no_contact"       // section 2.5.3: at least one
	BadContact     = "contact_invalid"  // no mailto:, tel: or https: address
	NoExpires      = "no_expires"       // section 2.5.5: exactly one
	ManyExpires    = "several_expires"  // likewise
	BadExpires     = "expires_invalid"  // no date of RFC 3339
	ManyLanguages  = "several_language" // section 2.5.8: at most one
	NotPlainText   = "not_plain_text"   // section 3: text/plain
	NotUTF8        = "not_utf8"         // section 3
	InsecureFields = "insecure_address" // an http: address in a field of addresses
)

// Parse reads a file that answered with 200. found is false where it is a page or
// something else that answers under any name.
func Parse(body []byte, mediaType string) (f schema.SecurityTxtFacts, found bool) {
	text := strings.TrimPrefix(string(body), "\ufeff")
	if mediaType == "text/html" || looksLikeMarkup(text) {
		return f, false
	}
	p := parser{}
	for line := range strings.Lines(text) {
		p.line(strings.TrimSpace(line))
	}
	if p.fields == 0 {
		return f, false
	}
	if mediaType != "text/plain" {
		p.fault(NotPlainText)
	}
	if !utf8.ValidString(text) {
		p.fault(NotUTF8)
	}
	return p.facts(), true
}

func looksLikeMarkup(text string) bool {
	head := bytes.ToLower([]byte(strings.TrimSpace(text[:min(len(text), 512)])))
	return bytes.HasPrefix(head, []byte("<")) || bytes.Contains(head, []byte("<html"))
}

type parser struct {
	fields, contacts, expires, languages int
	date                                 time.Time
	signed                               bool
	faults                               []string
}

func (p *parser) fault(word string) {
	if !slices.Contains(p.faults, word) {
		p.faults = append(p.faults, word)
	}
}

// line takes one line: a field, a comment, or a part of a signature (section 2.3).
func (p *parser) line(line string) {
	if line == "-----BEGIN PGP SIGNED MESSAGE-----" {
		p.signed = true
		return
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok || strings.HasPrefix(line, "#") || strings.ContainsAny(name, " \t") {
		return
	}
	value = strings.TrimSpace(value)
	switch strings.ToLower(name) {
	case "contact":
		p.contacts++
		p.contact(value)
	case "expires":
		p.expires++
		at, err := time.Parse(time.RFC3339, strings.ToUpper(value))
		if err != nil {
			p.fault(BadExpires)
		}
		p.date = at
	case "preferred-languages":
		p.languages++
	case "encryption", "acknowledgments", "canonical", "policy", "hiring", "csaf":
		if strings.HasPrefix(strings.ToLower(value), "http:") {
			p.fault(InsecureFields)
		}
	default:
		return
	}
	p.fields++
}

func (p *parser) contact(value string) {
	value = strings.ToLower(value)
	switch {
	case strings.HasPrefix(value, "http:"):
		p.fault(InsecureFields)
	case !strings.HasPrefix(value, "mailto:") && !strings.HasPrefix(value, "tel:") && !strings.HasPrefix(value, "https:"):
		p.fault(BadContact)
	}
}

func (p *parser) facts() schema.SecurityTxtFacts {
	if p.contacts == 0 {
		p.fault(NoContact)
	}
	switch {
	case p.expires == 0:
		p.fault(NoExpires)
	case p.expires > 1:
		p.fault(ManyExpires)
	}
	if p.languages > 1 {
		p.fault(ManyLanguages)
	}
	f := schema.SecurityTxtFacts{Found: true, Contacts: p.contacts, Signed: p.signed, Faults: p.faults}
	if !slices.Contains(p.faults, BadExpires) {
		f.Expires = p.date.UTC()
	}
	if p.expires == 0 {
		f.Expires = time.Time{}
	}
	return f
}
