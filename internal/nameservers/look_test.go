package nameservers_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"visite/internal/nameservers"
	"visite/schema"
)

// zone is a resolver of the test's own: records by "name TYPE", with what it does
// beside answering.
type zone struct {
	mu      sync.Mutex
	records map[string][]string // the records' data
	signed  map[string]bool     // names it vouches for, "." for a resolver that validates
	bogus   map[string]bool     // names it withholds unless nobody checks
	broken  map[string]bool     // "name TYPE" it cannot tell
	large   map[string]bool     // "name TYPE" that come over TCP only
	asked   []string
}

// questions is how many were asked.
func (z *zone) questions() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return len(z.asked)
}

func (z *zone) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	z.mu.Lock()
	defer z.mu.Unlock()
	name, kind := strings.ToLower(strings.TrimSuffix(q.Question[0].Name, ".")), dns.TypeToString[q.Question[0].Qtype]
	key := name + " " + kind
	z.asked = append(z.asked, key)
	m := new(dns.Msg).SetReply(q)
	_, udp := w.RemoteAddr().(*net.UDPAddr)
	switch {
	case z.broken[key], z.bogus[name] && !q.CheckingDisabled:
		m.Rcode = dns.RcodeServerFailure
	case z.large[key] && udp:
		m.Truncated = true
	default:
		m.AuthenticatedData = q.AuthenticatedData && z.signed["."] && z.signed[q.Question[0].Name]
		for _, data := range z.records[key] {
			rr, err := dns.NewRR(q.Question[0].Name + " 60 IN " + kind + " " + data)
			if err != nil {
				panic(err)
			}
			m.Answer = append(m.Answer, rr)
		}
		if !z.there(name) {
			m.Rcode = dns.RcodeNameError
		}
	}
	_ = w.WriteMsg(m) // whoever asked may have gone
}

func (z *zone) there(name string) bool {
	if name == "" {
		return true
	}
	for key := range z.records {
		if n, _, _ := strings.Cut(key, " "); n == name || strings.HasSuffix(n, "."+name) {
			return true
		}
	}
	return false
}

// start serves the zone on a free port of this machine, over UDP and TCP.
func (z *zone) start(t *testing.T) *nameservers.Servers {
	t.Helper()
	var l net.Listener
	var p net.PacketConn
	for range 20 { // the same port for both
		var err error
		if l, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		if p, err = new(net.ListenConfig).ListenPacket(t.Context(), "udp", l.Addr().String()); err == nil {
			break
		}
		_ = l.Close()
	}
	if p == nil {
		t.Fatal("no port is free for both")
	}
	for _, s := range []*dns.Server{{Listener: l, Handler: z}, {PacketConn: p, Handler: z}} {
		started := make(chan struct{})
		s.NotifyStartedFunc = func() { close(started) }
		go func() { _ = s.ActivateAndServe() }() // ends with the test
		<-started
		t.Cleanup(func() { _ = s.Shutdown() })
	}
	return &nameservers.Servers{Addresses: []string{l.Addr().String()}, Within: 20 * time.Second}
}

// sound is a zone that leaves nothing to be desired.
func sound() *zone {
	return &zone{records: map[string][]string{
		"www.shop.test AAAA":   {"2001:db8::1"},
		"shop.test CAA":        {`0 issue "ca.test"`},
		"shop.test SOA":        {"ns.shop.test. hostmaster.shop.test. 1 7200 3600 1209600 3600"},
		" SOA":                 {"a.root-servers.net. nstld.verisign-grs.com. 1 1800 900 604800 86400"},
		"shop.test MX":         {"10 mx.shop.test."},
		"shop.test TXT":        {`"some-site-verification=abc"`, `"v=spf1 mx include:_spf.mail.test " "-all"`},
		"_spf.mail.test TXT":   {`"v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 a:out.mail.test ~all"`},
		"_dmarc.shop.test TXT": {`"v=DMARC1; p=reject; rua=mailto:canary@shop.test"`},
	}, signed: map[string]bool{".": true, "shop.test.": true}, bogus: map[string]bool{}, broken: map[string]bool{}, large: map[string]bool{}}
}

func good() schema.DNSFacts {
	return schema.DNSFacts{
		State: schema.LookDone, CAA: schema.RecordPresent, DNSSEC: schema.DNSSECSigned, IPv6: schema.RecordPresent, MX: schema.RecordPresent,
		SPF:   schema.SPFFacts{State: schema.RecordPresent, Records: 1, Valid: true, All: "-", Lookups: 3, Complete: true},
		DMARC: schema.DMARCFacts{State: schema.RecordPresent, Records: 1, Valid: true, Policy: "reject"},
	}
}

func TestWhatNameServersSayOfASite(t *testing.T) {
	spf := func(z *zone, record string) { z.records["shop.test TXT"] = []string{fmt.Sprintf("%q", record)} }
	dmarc := func(z *zone, records ...string) {
		z.records["_dmarc.shop.test TXT"] = nil
		for _, r := range records {
			z.records["_dmarc.shop.test TXT"] = append(z.records["_dmarc.shop.test TXT"], fmt.Sprintf("%q", r))
		}
	}
	chain := func(z *zone, n int) {
		for i := range n {
			z.records[fmt.Sprintf("s%d.test TXT", i)] = []string{fmt.Sprintf(`"v=spf1 include:s%d.test -all"`, i+1)}
		}
		z.records[fmt.Sprintf("s%d.test TXT", n)] = []string{`"v=spf1 -all"`}
		spf(z, "v=spf1 include:s0.test -all")
	}
	type facts = schema.DNSFacts
	for name, c := range map[string]struct {
		change func(*zone)
		want   func(*facts)
	}{
		"sound":                     {func(*zone) {}, func(*facts) {}},
		"large answers come by TCP": {func(z *zone) { z.large["shop.test TXT"] = true }, func(*facts) {}},
		"CAA at the host itself": {func(z *zone) {
			z.records["www.shop.test CAA"], z.records["shop.test CAA"] = z.records["shop.test CAA"], nil
		}, func(*facts) {}},
		"no CAA":                     {func(z *zone) { delete(z.records, "shop.test CAA") }, func(f *facts) { f.CAA = schema.RecordAbsent }},
		"CAA that cannot be told":    {func(z *zone) { z.broken["www.shop.test CAA"] = true }, func(f *facts) { f.CAA = schema.RecordUnknown }},
		"no IPv6":                    {func(z *zone) { z.records["www.shop.test AAAA"] = nil }, func(f *facts) { f.IPv6 = schema.RecordAbsent }},
		"IPv6 that cannot be told":   {func(z *zone) { z.broken["www.shop.test AAAA"] = true }, func(f *facts) { f.IPv6 = schema.RecordUnknown }},
		"not signed":                 {func(z *zone) { delete(z.signed, "shop.test.") }, func(f *facts) { f.DNSSEC = schema.DNSSECUnsigned }},
		"signed wrongly":             {func(z *zone) { z.bogus["shop.test"] = true }, func(f *facts) { f.DNSSEC, f.MX, f.CAA, f.SPF = schema.DNSSECBogus, "", "", schema.SPFFacts{} }},
		"the resolver does not look": {func(z *zone) { z.signed = nil }, func(f *facts) { f.DNSSEC = schema.DNSSECUnknown }},
		"a zone that fails":          {func(z *zone) { z.broken["shop.test SOA"] = true }, func(f *facts) { f.DNSSEC = schema.DNSSECUnknown }},
		"no mail":                    {func(z *zone) { delete(z.records, "shop.test MX") }, func(f *facts) { f.MX = schema.RecordAbsent }},
		"null MX":                    {func(z *zone) { z.records["shop.test MX"] = []string{"0 ."} }, func(f *facts) { f.MX, f.NullMX = schema.RecordAbsent, true }},
		"no SPF":                     {func(z *zone) { z.records["shop.test TXT"] = []string{`"v=spf10 -all"`} }, func(f *facts) { f.SPF = schema.SPFFacts{State: schema.RecordAbsent} }},
		"SPF that cannot be told":    {func(z *zone) { z.broken["shop.test TXT"] = true }, func(f *facts) { f.SPF = schema.SPFFacts{} }},
		"two SPF records": {func(z *zone) { z.records["shop.test TXT"] = []string{`"v=spf1 -all"`, `"V=SPF1 ~all"`} },
			func(f *facts) { f.SPF = schema.SPFFacts{State: schema.RecordPresent, Records: 2, Complete: true} }},
		"SPF open to all":            {func(z *zone) { spf(z, "v=spf1 +all") }, func(f *facts) { f.SPF.All, f.SPF.Lookups = "+", 0 }},
		"SPF, sign left out":         {func(z *zone) { spf(z, "v=spf1 all") }, func(f *facts) { f.SPF.All, f.SPF.Lookups = "+", 0 }},
		"SPF without an end":         {func(z *zone) { spf(z, "v=spf1 a") }, func(f *facts) { f.SPF.All, f.SPF.Lookups = "", 1 }},
		"SPF says nothing":           {func(z *zone) { spf(z, "v=spf1") }, func(f *facts) { f.SPF.All, f.SPF.Lookups = "", 0 }},
		"SPF redirects":              {func(z *zone) { spf(z, "v=spf1 redirect=_spf.mail.test") }, func(f *facts) { f.SPF.All, f.SPF.Lookups = "~", 2 }},
		"redirect beside all":        {func(z *zone) { spf(z, "v=spf1 redirect=nowhere.test ?all exp=why.test") }, func(f *facts) { f.SPF.All, f.SPF.Lookups = "?", 0 }},
		"redirect to nowhere":        {func(z *zone) { spf(z, "v=spf1 redirect=nowhere.test") }, func(f *facts) { f.SPF.All, f.SPF.Valid, f.SPF.Lookups = "redirect", false, 1 }},
		"include of nowhere":         {func(z *zone) { spf(z, "v=spf1 include:nowhere.test -all") }, func(f *facts) { f.SPF.Valid, f.SPF.Lookups = false, 1 }},
		"include that does not tell": {func(z *zone) { z.broken["_spf.mail.test TXT"] = true }, func(f *facts) { f.SPF.Lookups, f.SPF.Complete = 2, false }},
		"include by macro":           {func(z *zone) { spf(z, "v=spf1 include:%{i}.test -all") }, func(f *facts) { f.SPF.Lookups, f.SPF.Complete = 1, false }},
		"ten look-ups":               {func(z *zone) { chain(z, 9) }, func(f *facts) { f.SPF.Lookups = 10 }},
		"eleven look-ups":            {func(z *zone) { chain(z, 10) }, func(f *facts) { f.SPF.Lookups, f.SPF.Valid = 11, false }},
		"round and round":            {func(z *zone) { spf(z, "v=spf1 include:shop.test -all") }, func(f *facts) { f.SPF.Lookups, f.SPF.Valid = 11, false }},
		"after all nothing counts":   {func(z *zone) { spf(z, "v=spf1 -all include:nowhere.test a mx ptr exists:x.test") }, func(f *facts) { f.SPF.Lookups = 0 }},
		"a word SPF does not know":   {func(z *zone) { spf(z, "v=spf1 ipv4:192.0.2.1 -all") }, func(f *facts) { f.SPF.Valid, f.SPF.Lookups = false, 0 }},
		"an address out of range":    {func(z *zone) { spf(z, "v=spf1 ip4:192.0.2.256 -all") }, func(f *facts) { f.SPF.Valid, f.SPF.Lookups = false, 0 }},
		"signs and nothing":          {func(z *zone) { spf(z, "v=spf1 + - : / include: = -all") }, func(f *facts) { f.SPF.Valid, f.SPF.Lookups = false, 0 }},
		"no DMARC":                   {func(z *zone) { dmarc(z, "p=none") }, func(f *facts) { f.DMARC = schema.DMARCFacts{State: schema.RecordAbsent} }},
		"DMARC watches":              {func(z *zone) { dmarc(z, " v = DMARC1 ; P = None;") }, func(f *facts) { f.DMARC.Policy = "none" }},
		"DMARC without policy":       {func(z *zone) { dmarc(z, "v=DMARC1; rua=mailto:a@shop.test") }, func(f *facts) { f.DMARC.Policy, f.DMARC.Valid = "", false }},
		"DMARC with another word":    {func(z *zone) { dmarc(z, "v=DMARC1; p=canary") }, func(f *facts) { f.DMARC.Policy, f.DMARC.Valid = "", false }},
		"two DMARC records":          {func(z *zone) { dmarc(z, "v=DMARC1; p=none", "v=DMARC1; p=reject") }, func(f *facts) { f.DMARC = schema.DMARCFacts{State: schema.RecordPresent, Records: 2} }},
		"DMARC that cannot be told":  {func(z *zone) { z.broken["_dmarc.shop.test TXT"] = true }, func(f *facts) { f.DMARC = schema.DMARCFacts{} }},
	} {
		t.Run(name, func(t *testing.T) {
			z, want := sound(), good()
			c.change(z)
			c.want(&want)
			if got := z.start(t).Look(t.Context(), "www.shop.test", "shop.test"); got != want {
				t.Errorf("\n%+v, want\n%+v", got, want)
			}
			if n := z.questions(); n > 40 {
				t.Errorf("%d questions", len(z.asked))
			}
		})
	}
}

// Servers that do not answer, that there are none, and a look that has to end leave
// everything unknown, and are not asked on.
func TestSilenceIsNoAnswer(t *testing.T) {
	deaf, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		servers *nameservers.Servers
	}{
		"nobody answers": {t.Context(), &nameservers.Servers{Addresses: []string{deaf.LocalAddr().String()}, Within: 50 * time.Millisecond}},
		"no servers":     {t.Context(), &nameservers.Servers{}},
		"the look ends":  {ended, sound().start(t)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.servers.Look(c.ctx, "www.shop.test", "shop.test"); got != (schema.DNSFacts{State: schema.LookUnknown}) {
				t.Errorf("%+v", got)
			}
		})
	}
}
