package robots

import (
	"bufio"
	"encoding/json"
	"io"
	"iter"
	"time"
)

// Explanation is the verdict on one address with what it rests on, as one JSON
// line. Keys are only ever added.
type Explanation struct {
	URL        string   `json:"url"`
	Allow      bool     `json:"allow"`
	Group      string   `json:"group"`         // user-agent values that decided, "*", or "" for none
	Rule       string   `json:"rule"`          // "Disallow: /x", or "" where no rule spoke
	Line       int      `json:"line"`          // of the rule, from 1; 0 for none
	CrawlDelay *float64 `json:"crawl_delay_s"` // null where none is given
	StarAllow  bool     `json:"star_allow"`    // what the * group alone would say (contract R-01)
	Source     string   `json:"source"`        // where the rules came from
}

// Explain judges one address and says why.
func (r *Rules) Explain(rawURL, source string) Explanation {
	d := r.Decide(rawURL)
	e := Explanation{
		URL: d.URL, Allow: d.Allow, Group: d.Group, Rule: d.Rule, Line: d.Line,
		StarAllow: d.StarAllow, Source: source,
	}
	if r.hasDelay {
		seconds := float64(r.delay) / float64(time.Second)
		e.CrawlDelay = &seconds
	}
	return e
}

// Explain writes one JSON line an address. source names where the file came
// from: a path, "-", or an address with its outcome.
func Explain(w io.Writer, tokens []string, file *File, source string, urls iter.Seq[string]) error {
	rules := file.For(tokens)
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for u := range urls {
		if err := lines.Encode(rules.Explain(u, source)); err != nil {
			return err
		}
	}
	return out.Flush()
}
