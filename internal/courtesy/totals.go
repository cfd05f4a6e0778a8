package courtesy

import (
	"net/url"

	"visite/schema"
)

// namedMost bounds the addresses named in a visit's totals.
const namedMost = 50

func (p *Pass) countRequest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals.Requests++
}

func (p *Pass) countBytes(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals.WireBytes += n
}

// countRefused notes a call that was not let out because of its method.
// Reports a browser sends about a page are nothing the page waits for.
func (p *Pass) countRefused(u *url.URL, report bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals.RefusedCalls++
	if !report && schema.HostKey(u) == p.own {
		p.totals.OwnRefused++
	}
}

// countDisallowed notes an own-host file that robots.txt does not allow (S-47).
func (p *Pass) countDisallowed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals.DisallowedFiles++
}

// countGivenUp notes a file that was not asked for any more because its host had
// refused files of the page (S-38).
func (p *Pass) countGivenUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals.GivenUpFiles++
}

// countInsecure notes a file an https page really asked for over http.
func (p *Pass) countInsecure(u *url.URL) {
	p.mu.Lock()
	defer p.mu.Unlock()
	address := plainAddress(u)
	for _, known := range p.totals.Insecure {
		if known == address {
			return
		}
	}
	if len(p.totals.Insecure) < namedMost {
		p.totals.Insecure = append(p.totals.Insecure, address)
	}
}

// countFailed notes an own-host file that was answered with an error.
func (p *Pass) countFailed(u *url.URL, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.totals.FailedFiles == nil {
		p.totals.FailedFiles = map[string]int{}
	}
	if len(p.totals.FailedFiles) < namedMost {
		p.totals.FailedFiles[plainAddress(u)] = status
	}
}

// plainAddress is an address without credentials and fragment.
func plainAddress(u *url.URL) string {
	plain := *u
	plain.User, plain.Fragment, plain.RawFragment = nil, "", ""
	return plain.String()
}
