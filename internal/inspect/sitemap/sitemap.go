// Package sitemap reads sitemaps as sites really serve them: the XML of
// sitemaps.org, plain or gzip whatever the name says, indexes, text files, RSS
// and Atom feeds (contract S-50). It judges bytes in memory and does nothing
// else.
package sitemap

import (
	"bufio"
	"bytes"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"visite/schema"
)

// The limits of the sitemaps.org protocol.
const (
	MaxEntries = 50_000
	MaxBytes   = 50 << 20 // decompressed
)

// Kind is what a body turned out to be. Closed list.
type Kind string

const (
	KindUnknown Kind = ""       // no sitemap
	KindURLSet  Kind = "urlset" // sitemaps.org, pages
	KindIndex   Kind = "index"  // sitemaps.org, other sitemaps
	KindText    Kind = "text"   // one address a line
	KindRSS     Kind = "rss"
	KindAtom    Kind = "atom"
)

// Problem is a fault of the sitemap, without any of its text. Closed list.
type Problem string

const (
	ProblemEmpty        Problem = "empty"
	ProblemNotSitemap   Problem = "not_a_sitemap"
	ProblemGzip         Problem = "gzip_broken"     // what came before the break is kept
	ProblemXML          Problem = "xml_broken"      // what came before the break is kept
	ProblemCharset      Problem = "unknown_charset" // read as UTF-8
	ProblemTooLarge     Problem = "too_large"       // over MaxBytes
	ProblemTooMany      Problem = "too_many_entries"
	ProblemTooDeep      Problem = "too_deep"       // nested beyond reason
	ProblemLocMissing   Problem = "loc_missing"    // an entry without an address
	ProblemLocRelative  Problem = "loc_relative"   // resolved against the sitemap's own address
	ProblemLocUnusable  Problem = "loc_unusable"   // not a web address, or undecodable
	ProblemLastModified Problem = "lastmod_format" // not a W3C date
)

// Entry is a page a sitemap names.
type Entry struct {
	Loc     string    // absolute, normalised as schema.NormalizeAddress does
	LastMod time.Time // UTC; zero where missing or unreadable
}

// Result is what a sitemap says.
type Result struct {
	Kind      Kind
	Pages     []Entry   // in the file's order, at most MaxEntries together with Children
	Children  []string  // sitemaps an index names, normalised
	Problems  []Problem // each once, in the order met
	Truncated bool      // a limit cut the rest off
}

// Parse reads a sitemap. It never fails: what can be read is kept, Problems tell
// the rest. base is the sitemap's own address and may be nil.
func Parse(body []byte, base *url.URL) Result { return parse(body, base, MaxBytes) }

// parse reads at most that many octets, decompressed.
func parse(body []byte, base *url.URL, most int64) Result {
	p := &parser{base: base}
	if len(bytes.TrimSpace(body)) == 0 {
		p.note(ProblemEmpty)
		return p.result
	}
	in := open(body, most)
	text := bufio.NewReaderSize(in.text(p), headBytes)
	if head, _ := text.Peek(headBytes); bytes.IndexByte(head, '<') >= 0 {
		p.readXML(text)
	} else {
		p.readText(text)
	}
	p.conclude(in)
	return p.result
}

type parser struct {
	base   *url.URL
	result Result
	broken bool // the XML ended badly
}

var (
	errEnough      = errors.New("sitemap: limit reached")
	errUndecodable = errors.New("sitemap: octets that are no characters")
)

// conclude names the cause of a break once: a cut or broken stream breaks the
// XML too.
func (p *parser) conclude(in *stream) {
	switch {
	case in.over():
		p.result.Truncated = true
		p.note(ProblemTooLarge)
	case in.err != nil:
		p.note(ProblemGzip)
	case p.broken:
		p.note(ProblemXML)
	}
	if p.result.Kind == KindUnknown && len(p.result.Problems) == 0 {
		p.note(ProblemNotSitemap)
	}
}

func (p *parser) note(problem Problem) {
	for _, known := range p.result.Problems {
		if known == problem {
			return
		}
	}
	p.result.Problems = append(p.result.Problems, problem)
}

// add takes an entry; errEnough where no more fit.
func (p *parser) add(loc, modified string, child bool) error {
	loc = strings.TrimSpace(loc)
	if loc == "" {
		p.note(ProblemLocMissing)
		return nil
	}
	address, err := p.resolve(loc)
	if err != nil {
		p.note(ProblemLocUnusable)
		return nil
	}
	if len(p.result.Pages)+len(p.result.Children) == MaxEntries {
		p.result.Truncated = true
		p.note(ProblemTooMany)
		return errEnough
	}
	if child {
		p.result.Children = append(p.result.Children, address)
		return nil
	}
	at, ok := parseDate(strings.TrimSpace(modified))
	if !ok {
		p.note(ProblemLastModified)
	}
	p.result.Pages = append(p.result.Pages, Entry{Loc: address, LastMod: at})
	return nil
}

func (p *parser) resolve(loc string) (string, error) {
	if strings.ContainsRune(loc, utf8.RuneError) {
		return "", errUndecodable
	}
	address, err := schema.NormalizeAddress(loc, nil)
	if errors.Is(err, schema.ErrAddressRelative) && p.base != nil {
		p.note(ProblemLocRelative)
		return schema.NormalizeAddress(loc, p.base)
	}
	return address, err
}

// dates are the forms of the W3C's note on dates, and those of RSS.
var dates = []string{
	time.RFC3339, "2006-01-02", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01", "2006", time.RFC1123Z, time.RFC1123,
}

// parseDate reads a date; nothing is a date too, the zero one.
func parseDate(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, true
	}
	for _, form := range dates {
		if at, err := time.Parse(form, s); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

// readText reads a text sitemap: an absolute address a line, nothing else.
func (p *parser) readText(in *bufio.Reader) {
	for {
		line, tooLong, err := in.ReadLine()
		for more := tooLong; more && err == nil; {
			_, more, err = in.ReadLine()
		}
		text := strings.TrimSpace(string(line))
		switch {
		case text == "":
		case tooLong || !isAbsolute(text):
			p.note(ProblemLocUnusable)
		default:
			if p.add(text, "", false) != nil {
				err = errEnough
			}
		}
		if err != nil {
			break
		}
	}
	if len(p.result.Pages) == 0 {
		p.result.Problems = nil
		return // prose, JSON, an error message
	}
	p.result.Kind = KindText
}

func isAbsolute(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
