package nameservers

import (
	"context"
	"strings"
	"time"

	"github.com/miekg/dns"

	"visite/schema"
)

const (
	lookWithin = 20 * time.Second // for all questions about a site together
	labelsMost = 8                // names asked for CAA, from the host upwards
)

// Look asks about a host and its registrable domain.
func (s *Servers) Look(ctx context.Context, host, domain string) schema.DNSFacts {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	l := &look{Servers: s, ctx: ctx}
	f := schema.DNSFacts{State: schema.LookDone, IPv6: present(l.ask(host, dns.TypeAAAA)), CAA: l.caa(host), DNSSEC: l.dnssec(domain)}
	f.MX, f.NullMX = l.mx(domain)
	f.SPF = l.spf(domain)
	f.DMARC = l.dmarc(domain)
	if f == (schema.DNSFacts{State: schema.LookDone}) { // nothing was answered
		f.State = schema.LookUnknown
	}
	return f
}

func present(a answer) schema.RecordState {
	switch {
	case len(a.records) > 0:
		return schema.RecordPresent
	case a.known:
		return schema.RecordAbsent
	}
	return schema.RecordUnknown
}

// caa looks for who may issue certificates, at the host and at each name above it
// (RFC 8659 section 3).
func (l *look) caa(host string) schema.RecordState {
	name := strings.TrimSuffix(host, ".")
	for range labelsMost {
		if state := present(l.ask(name, dns.TypeCAA)); state != schema.RecordAbsent {
			return state
		}
		_, above, more := strings.Cut(name, ".")
		if !more {
			return schema.RecordAbsent
		}
		name = above
	}
	return schema.RecordUnknown
}

// dnssec believes a resolver that validates: one that vouches for the root. What
// only a resolver that checks withholds is signed wrongly.
func (l *look) dnssec(domain string) schema.DNSSECState {
	if root := l.ask(".", dns.TypeSOA); !root.known || !root.authentic {
		return schema.DNSSECUnknown
	}
	switch a := l.ask(domain, dns.TypeSOA); {
	case a.failed:
		if l.question(domain, dns.TypeSOA, true).known && l.ask(domain, dns.TypeSOA).failed { // and not a passing trouble
			return schema.DNSSECBogus
		}
	case !a.known || a.missing:
	case a.authentic:
		return schema.DNSSECSigned
	default:
		return schema.DNSSECUnsigned
	}
	return schema.DNSSECUnknown
}

// mx tells whether a domain takes mail; one whose only server is "." says that it
// does not (RFC 7505).
func (l *look) mx(domain string) (state schema.RecordState, null bool) {
	a := l.ask(domain, dns.TypeMX)
	if len(a.records) == 1 {
		if m, ok := a.records[0].(*dns.MX); ok && m.Mx == "." {
			return schema.RecordAbsent, true
		}
	}
	return present(a), false
}

// dmarc reads what is to become of mail that only claims to be of a domain
// (RFC 7489 section 6.3).
func (l *look) dmarc(domain string) schema.DMARCFacts {
	texts, known := l.texts("_dmarc." + domain)
	if !known {
		return schema.DMARCFacts{}
	}
	f := schema.DMARCFacts{State: schema.RecordAbsent}
	for _, text := range texts {
		version, rest, _ := strings.Cut(text, ";")
		name, value, _ := strings.Cut(version, "=")
		if strings.TrimSpace(name) != "v" || strings.TrimSpace(value) != "DMARC1" {
			continue
		}
		f.State = schema.RecordPresent
		if f.Records++; f.Records == 1 {
			f.Policy = dmarcPolicy(rest)
		}
	}
	if f.Records > 1 {
		f.Policy = ""
	}
	f.Valid = f.Policy != ""
	return f
}

// dmarcPolicy is the p tag where it has a value that means something.
func dmarcPolicy(tags string) string {
	for tag := range strings.SplitSeq(tags, ";") {
		name, value, _ := strings.Cut(tag, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "p") {
			continue
		}
		switch policy := strings.ToLower(strings.TrimSpace(value)); policy {
		case "none", "quarantine", "reject":
			return policy
		}
		return ""
	}
	return ""
}
