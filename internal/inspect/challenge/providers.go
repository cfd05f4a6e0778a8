package challenge

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// data holds the list of bot filters that the build takes from the is-antibot
// package (MIT), see internal/browser/scripts/bundle.
//
//go:embed all:data
var data embed.FS

// provider is one product of the list, with the rules that can be applied to any
// site's answer.
type provider struct {
	product string
	rules   []hint
}

// hint is one rule. It is no proof: many of these stand on pages that passed as well.
type hint struct {
	statuses []int // empty: any
	markup   bool  // found in the document itself, not in headers or cookies
	holds    func(answer) bool
}

// found is what the list says of an answer.
type found struct {
	product  string
	inMarkup bool
}

// skipped are products whose rules say nothing of a challenge: an error page of
// a content network whose own server is down.
var skipped = []string{"cloudfront"}

var providers = sync.OnceValues(loadProviders)

// hints applies the list. A mark in the document counts before one in headers.
func hints(a answer) found {
	list, err := providers()
	if err != nil { // a build without the list: what is built like a challenge is still seen
		return found{}
	}
	var byHeader found
	for _, p := range list {
		for _, h := range p.rules {
			if (len(h.statuses) > 0 && !slices.Contains(h.statuses, a.status)) || !h.holds(a) {
				continue
			}
			if h.markup {
				return found{product: p.product, inMarkup: true}
			}
			if byHeader.product == "" {
				byHeader.product = p.product
			}
		}
	}
	return byHeader
}

// listed is the list as it is written.
type listed struct {
	Providers []struct {
		Name       string `json:"name"`
		Label      string `json:"label"`
		Category   string `json:"category"`
		Detections []struct {
			Type                string       `json:"type"`
			Domain              string       `json:"domain"`
			DomainWithoutSuffix string       `json:"domainWithoutSuffix"`
			StatusCodes         []int        `json:"statusCodes"`
			Rules               []listedRule `json:"rules"`
		} `json:"detections"`
	} `json:"providers"`
}

type listedRule struct {
	Header            string   `json:"header"`
	Equals            *string  `json:"equals"`
	StartsWith        *string  `json:"startsWith"`
	Exists            bool     `json:"exists"`
	Except            *string  `json:"except"`
	OneOf             []string `json:"oneOf"`
	HeaderNamePattern string   `json:"headerNamePattern"`
	Cookie            string   `json:"cookie"`
	Contains          string   `json:"contains"`
	Regex             string   `json:"regex"`
}

func loadProviders() ([]provider, error) {
	raw, err := data.ReadFile("data/providers.json")
	if err != nil {
		return nil, fmt.Errorf("challenge: the list of bot filters is not in this build; run `make generate` and build again: %w", err)
	}
	var l listed
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, fmt.Errorf("challenge: list of bot filters: %w", err)
	}
	var out []provider
	for _, p := range l.Providers {
		if p.Category == "platform" || slices.Contains(skipped, p.Name) {
			continue
		}
		one := provider{product: p.Label}
		for _, d := range p.Detections {
			if d.Domain != "" || d.DomainWithoutSuffix != "" {
				continue // about one site
			}
			for _, r := range d.Rules {
				holds, err := r.compile(d.Type)
				if err != nil {
					return nil, fmt.Errorf("challenge: rule of %s: %w", p.Name, err)
				}
				if holds != nil {
					one.rules = append(one.rules, hint{statuses: d.StatusCodes, markup: d.Type == "html", holds: holds})
				}
			}
		}
		if len(one.rules) > 0 {
			out = append(out, one)
		}
	}
	return out, nil
}

// compile turns a rule into a test; nil for rules about addresses and statuses
// alone, which say nothing of what came.
func (r listedRule) compile(kind string) (func(answer) bool, error) {
	switch kind {
	case "headers":
		return r.header()
	case "cookies":
		if strings.HasPrefix(r.Cookie, "cf_clearance") {
			return nil, nil // means passed
		}
		return func(a answer) bool {
			return slices.ContainsFunc(a.header["Set-Cookie"], func(c string) bool { return strings.HasPrefix(c, r.Cookie) })
		}, nil
	case "html":
		if r.Contains != "" {
			part := strings.ToLower(r.Contains)
			return func(a answer) bool { return strings.Contains(a.html, part) }, nil
		}
		return allOf(r.Regex)
	}
	return nil, nil
}

func (r listedRule) header() (func(answer) bool, error) {
	if r.HeaderNamePattern != "" {
		pattern, err := regexp.Compile("(?i)" + r.HeaderNamePattern) // names come in the canonical form
		return func(a answer) bool {
			for name := range a.header {
				if pattern.MatchString(name) {
					return true
				}
			}
			return false
		}, err
	}
	return func(a answer) bool {
		value := first(a.header, r.Header)
		switch {
		case value == "":
			return false
		case r.Equals != nil:
			return value == *r.Equals
		case r.StartsWith != nil:
			return strings.HasPrefix(value, *r.StartsWith)
		case len(r.OneOf) > 0:
			return slices.Contains(r.OneOf, value)
		}
		return r.Exists && (r.Except == nil || !strings.EqualFold(value, *r.Except))
	}, nil
}

// allOf compiles an expression of the list for an engine whose time grows with
// the length of the text alone, whatever a page is made of: "^(?=[\s\S]*A)(?=[\s\S]*B)"
// becomes two expressions that have to match both.
func allOf(expression string) (func(answer) bool, error) {
	parts := []string{expression}
	if rest, ok := strings.CutPrefix(expression, "^(?=[\\s\\S]*"); ok {
		rest, ok = strings.CutSuffix(rest, ")")
		if !ok {
			return nil, fmt.Errorf("expression %q is of a kind that is not known", expression)
		}
		parts = strings.Split(rest, ")(?=[\\s\\S]*")
	}
	var all []*regexp.Regexp
	for _, part := range parts {
		// The only negative look-ahead of the list: a form's hidden answer field is no widget.
		part = strings.ReplaceAll(part, `(?!-response)`, `(?:$|[^-]|-(?:$|[^r]))`)
		one, err := lowered(part)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return func(a answer) bool {
		for _, one := range all {
			if !one.MatchString(a.html) {
				return false
			}
		}
		return true
	}, nil
}

// lowered compiles an expression for text in lower case: several times as fast
// as one that folds case.
func lowered(expression string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(strings.ReplaceAll(expression, `\/`, `/`), syntax.Perl)
	if err != nil {
		return nil, err
	}
	var lower func(*syntax.Regexp)
	lower = func(r *syntax.Regexp) {
		if r.Op == syntax.OpLiteral {
			for i := range r.Rune {
				r.Rune[i] = unicode.ToLower(r.Rune[i])
			}
		}
		for _, sub := range r.Sub {
			lower(sub)
		}
	}
	lower(tree)
	return regexp.Compile(tree.String())
}
