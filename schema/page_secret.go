package schema

import (
	"net/url"
	"strings"
)

// WithoutSecrets is the page as it may be recorded: every address it names goes
// through RecordedAddress (S-24, R-23). The page's own address stays, by which it
// is found again. Links have been through it where they were gathered.
func (p Page) WithoutSecrets() Page {
	u, err := url.Parse(p.URL)
	if err != nil {
		u = &url.URL{}
	}
	host := HostKey(u)
	record := func(address string) string {
		if address == "" || address == p.URL {
			return address
		}
		return RecordedAddress(address, host)
	}
	p.FinalURL, p.Canonical = record(p.FinalURL), record(p.Canonical)
	if len(p.Redirects) > 0 {
		hops := make([]Hop, len(p.Redirects))
		for i, h := range p.Redirects {
			hops[i] = Hop{URL: record(h.URL), Status: h.Status}
		}
		p.Redirects = hops
	}
	p.Sharing = mapValues(p.Sharing, func(value string) string {
		if strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "//") {
			return record(value)
		}
		return value
	})
	p.Languages.Hreflang = mapValues(p.Languages.Hreflang, record)
	return p
}

func mapValues(m map[string]string, f func(string) string) map[string]string {
	if len(m) == 0 {
		return m
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = f(v)
	}
	return out
}
