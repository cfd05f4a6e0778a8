package schema

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Profile is the identity and the limits we visit with (contract R-02). It is
// data: shipped in deployments/profiles, snapshotted into each scan.
type Profile struct {
	Name       string     `json:"name" yaml:"name"`
	Product    string     `json:"product" yaml:"product"`
	Version    string     `json:"version" yaml:"version"`
	Info       string     `json:"info" yaml:"info"`       // the page that explains us; named in every User-Agent (S-02)
	Contact    string     `json:"contact" yaml:"contact"` // e-mail address or URL a visited site can turn to
	UserAgents UserAgents `json:"user_agents" yaml:"user_agents"`
	Tokens     []string   `json:"robots_tokens" yaml:"robots_tokens"` // product tokens for robots.txt, all apply together
	Limits     Limits     `json:"limits" yaml:"limits"`
	// Free offers the free analysis of one page; nil where the profile does not.
	Free *FreePolicy `json:"free_analysis,omitempty" yaml:"free_analysis"`
	// LoopbackOnly marks a profile whose pace is freer than the contract's: the
	// door lets it out to this machine's own addresses only.
	LoopbackOnly bool `json:"loopback_only,omitempty" yaml:"loopback_only"`
}

// UserAgents are templates: {chrome} is the ordinary User-Agent of the browser
// really used, {info} the explaining page.
type UserAgents struct {
	Browser string `json:"browser" yaml:"browser"` // pages and their files (S-03, S-04)
	Client  string `json:"client" yaml:"client"`   // robots.txt, sitemaps, links, http engine (S-07)
}

// Limits bound how we visit. Contract rows beside each.
type Limits struct {
	PagesAtOnce     int           `json:"pages_at_once" yaml:"pages_at_once"`             // per host over all customers
	VisitsPerIP     int           `json:"visits_per_ip" yaml:"visits_per_ip"`             // 4
	PauseMin        time.Duration `json:"pause_min" yaml:"pause_min"`                     // 250ms
	PauseFactor     float64       `json:"pause_factor" yaml:"pause_factor"`               // 4 x response time
	UnverifiedPages int           `json:"unverified_pages" yaml:"unverified_pages"`       // a site and day: 3
	RetryAfterMin   time.Duration `json:"retry_after_min" yaml:"retry_after_min"`         // S-34: 3s
	RetryAfterMax   time.Duration `json:"retry_after_max" yaml:"retry_after_max"`         // S-34: 30s, only decides about reloading
	RetryAfterNone  time.Duration `json:"retry_after_default" yaml:"retry_after_default"` // S-35: 5s
	StopAfter       int           `json:"stop_after" yaml:"stop_after"`                   // S-43: 3 pages in a row
}

// ContractLimits are the limits the contract promises; a profile for the open
// web may be stricter, never freer.
func ContractLimits() Limits {
	return Limits{
		PagesAtOnce: 2, VisitsPerIP: 4, PauseMin: 250 * time.Millisecond, PauseFactor: 4, UnverifiedPages: 3,
		RetryAfterMin: 3 * time.Second, RetryAfterMax: 30 * time.Second, RetryAfterNone: 5 * time.Second, StopAfter: 3,
	}
}

// BrowserUserAgent is the User-Agent of a browser visit, chrome being the
// browser's own ordinary one up to "Safari/537.36".
func (p Profile) BrowserUserAgent(chrome string) string {
	return p.expand(p.UserAgents.Browser, chrome)
}

// ClientUserAgent is the User-Agent of everything the browser does not send.
func (p Profile) ClientUserAgent() string { return p.expand(p.UserAgents.Client, "") }

func (p Profile) expand(template, chrome string) string {
	info := p.Info
	if info == "" {
		info = p.Contact
		if strings.Contains(info, "@") && !strings.Contains(info, ":") {
			info = "mailto:" + info
		}
	}
	return strings.NewReplacer("{chrome}", chrome, "{info}", info).Replace(template)
}

// Validate reports everything that is wrong with a profile at once.
func (p Profile) Validate() error {
	var errs []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("profile %q: "+format, append([]any{p.Name}, args...)...))
		}
	}
	need(p.Name != "", "name is missing")
	need(p.Product != "", "product is missing")
	need(len(p.Tokens) > 0, "robots_tokens needs at least one product token")
	for _, ua := range []string{p.UserAgents.Browser, p.UserAgents.Client} {
		need(strings.Contains(ua, p.Product), "user agent %q does not name the product %q", ua, p.Product)
		need(strings.Contains(ua, "{info}") || strings.Contains(ua, "+http"), "user agent %q names no explaining page; add {info}", ua)
	}
	least := ContractLimits()
	l := p.Limits
	need(l.PagesAtOnce >= 1, "limits.pages_at_once must be at least 1")
	need(l.VisitsPerIP >= 1, "limits.visits_per_ip must be at least 1")
	need(l.PauseMin >= 0 && l.PauseFactor >= 0, "limits.pause_min and pause_factor must not be negative")
	need(l.StopAfter >= 1, "limits.stop_after must be at least 1")
	for _, fault := range p.Free.faults(l) {
		need(false, "%s", fault)
	}
	if !p.LoopbackOnly {
		need(l.PagesAtOnce <= least.PagesAtOnce, "limits.pages_at_once may be %d at most", least.PagesAtOnce)
		need(l.VisitsPerIP <= least.VisitsPerIP, "limits.visits_per_ip may be %d at most", least.VisitsPerIP)
		need(l.PauseMin >= least.PauseMin, "limits.pause_min must be at least %s", least.PauseMin)
		need(l.PauseFactor >= least.PauseFactor, "limits.pause_factor must be at least %g", least.PauseFactor)
		need(l.UnverifiedPages >= 1 && l.UnverifiedPages <= least.UnverifiedPages, "limits.unverified_pages must be 1 to %d", least.UnverifiedPages)
		need(l.RetryAfterMin >= least.RetryAfterMin, "limits.retry_after_min must be at least %s", least.RetryAfterMin)
		need(l.RetryAfterMax <= least.RetryAfterMax, "limits.retry_after_max may be %s at most", least.RetryAfterMax)
		need(l.RetryAfterNone >= least.RetryAfterNone, "limits.retry_after_default must be at least %s", least.RetryAfterNone)
		need(l.StopAfter <= least.StopAfter, "limits.stop_after may be %d at most", least.StopAfter)
	}
	return errors.Join(errs...)
}
