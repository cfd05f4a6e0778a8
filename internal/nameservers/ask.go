package nameservers

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// Servers are the name servers to ask. Without any, everything stays unknown.
type Servers struct {
	Addresses []string      // "address:port", the first that answers counts
	Within    time.Duration // for one answer of one of them; 3 s where zero
}

const (
	resolvConf  = "/etc/resolv.conf"
	serversMost = 2
	udpSize     = 1232 // DNS flag day 2020: what passes without fragments
)

// System are the name servers the machine itself asks. The error says why they
// are not known.
func System() (*Servers, error) {
	conf, err := dns.ClientConfigFromFile(resolvConf)
	if err != nil {
		return &Servers{}, fmt.Errorf("read which name servers to ask: %w", err)
	}
	s := &Servers{}
	for _, server := range conf.Servers[:min(len(conf.Servers), serversMost)] {
		s.Addresses = append(s.Addresses, net.JoinHostPort(server, conf.Port))
	}
	return s, nil
}

// answer is what name servers said to one question.
type answer struct {
	known     bool // they answered, be it that there is nothing
	missing   bool // there is no such name
	failed    bool // they could not tell (SERVFAIL)
	authentic bool // they have checked signatures, and these hold
	records   []dns.RR
}

// look is one look at a name: a run of questions with a common end.
type look struct {
	*Servers
	ctx    context.Context
	heard  bool // somebody answered once
	silent bool // nobody ever answered: nothing further is asked
}

func (l *look) ask(name string, kind uint16) answer { return l.question(name, kind, false) }

// question asks one question of each server in turn until one answers. unchecked
// has a validating resolver pass on what it would withhold.
func (l *look) question(name string, kind uint16, unchecked bool) answer {
	if _, ok := dns.IsDomainName(name); !ok {
		return answer{}
	}
	m := new(dns.Msg).SetQuestion(dns.Fqdn(name), kind)
	m.SetEdns0(udpSize, true)
	m.AuthenticatedData, m.CheckingDisabled = true, unchecked // RFC 6840 section 5.7
	heard, failed := false, false
	for _, server := range l.Addresses {
		if l.silent || l.ctx.Err() != nil {
			return answer{}
		}
		r := l.exchange(m, server)
		if r == nil {
			continue
		}
		heard = true
		switch r.Rcode {
		case dns.RcodeSuccess, dns.RcodeNameError:
			a := answer{known: true, missing: r.Rcode == dns.RcodeNameError, authentic: r.AuthenticatedData}
			for _, rr := range r.Answer {
				if rr.Header().Rrtype == kind { // whatever name an alias leads to
					a.records = append(a.records, rr)
				}
			}
			return a
		case dns.RcodeServerFailure:
			failed = true
		}
	}
	l.heard = l.heard || heard
	l.silent = !l.heard
	return answer{failed: failed}
}

// exchange gives one server's answer to a question, nil for none; what does not
// fit into a datagram is asked for over TCP (RFC 7766).
func (l *look) exchange(m *dns.Msg, server string) *dns.Msg {
	for _, network := range []string{"udp", "tcp"} {
		client := dns.Client{Net: network, Timeout: l.Within, UDPSize: udpSize}
		if client.Timeout == 0 {
			client.Timeout = 3 * time.Second
		}
		r, _, err := client.ExchangeContext(l.ctx, m, server)
		if err != nil || len(r.Question) != 1 || !strings.EqualFold(r.Question[0].Name, m.Question[0].Name) || r.Question[0].Qtype != m.Question[0].Qtype {
			return nil
		}
		if !r.Truncated {
			return r
		}
	}
	return nil
}

// texts are the text records of a name, each put together.
func (l *look) texts(name string) (texts []string, known bool) {
	a := l.ask(name, dns.TypeTXT)
	for _, rr := range a.records {
		if t, ok := rr.(*dns.TXT); ok {
			texts = append(texts, strings.Join(t.Txt, ""))
		}
	}
	return texts, a.known
}
