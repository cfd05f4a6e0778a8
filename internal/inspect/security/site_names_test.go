package security

import (
	"slices"
	"testing"

	"visite/schema"
)

// soundNames is a name of which name servers say only good.
func soundNames() schema.DNSFacts {
	return schema.DNSFacts{
		State: schema.LookDone, CAA: schema.RecordPresent, DNSSEC: schema.DNSSECSigned, IPv6: schema.RecordPresent, MX: schema.RecordPresent,
		SPF:   schema.SPFFacts{State: schema.RecordPresent, Records: 1, Valid: true, All: "~", Lookups: 10, Complete: true},
		DMARC: schema.DMARCFacts{State: schema.RecordPresent, Records: 1, Valid: true, Policy: "quarantine"},
	}
}

func TestNameChecks(t *testing.T) {
	tried := map[string]bool{}
	for name, c := range map[string]struct {
		change func(*schema.SiteProbe)
		want   string
		detail string
	}{
		"sound":              {func(*schema.SiteProbe) {}, "", ""},
		"no CAA":             {func(p *schema.SiteProbe) { p.DNS.CAA = schema.RecordAbsent }, "caa-missing", ""},
		"CAA unknown":        {func(p *schema.SiteProbe) { p.DNS.CAA = "" }, "", ""},
		"unsigned":           {func(p *schema.SiteProbe) { p.DNS.DNSSEC = schema.DNSSECUnsigned }, "dnssec-missing", ""},
		"signed wrongly":     {func(p *schema.SiteProbe) { p.DNS.DNSSEC = schema.DNSSECBogus }, "dnssec-bogus", ""},
		"signatures unknown": {func(p *schema.SiteProbe) { p.DNS.DNSSEC = "" }, "", ""},
		"IPv4 only":          {func(p *schema.SiteProbe) { p.DNS.IPv6, p.IPv6.State = schema.RecordAbsent, schema.LookNotApplicable }, "ipv6-missing", ""},
		"IPv6 refused":       {func(p *schema.SiteProbe) { p.IPv6.Answers = false }, "ipv6-refused", ""},
		"IPv6 silent":        {func(p *schema.SiteProbe) { p.IPv6 = schema.IPv6Facts{State: schema.LookUnknown} }, "", ""},
		"no SPF":             {func(p *schema.SiteProbe) { p.DNS.SPF = schema.SPFFacts{State: schema.RecordAbsent} }, "spf-missing", ""},
		"SPF unknown":        {func(p *schema.SiteProbe) { p.DNS.SPF = schema.SPFFacts{} }, "", ""},
		"SPF unreadable":     {func(p *schema.SiteProbe) { p.DNS.SPF.Valid = false }, "spf-invalid", "a term that cannot be read or followed"},
		"two SPF records": {func(p *schema.SiteProbe) {
			p.DNS.SPF = schema.SPFFacts{State: schema.RecordPresent, Records: 2, Complete: true}
		}, "spf-invalid", "2 records"},
		"SPF asks too much":    {func(p *schema.SiteProbe) { p.DNS.SPF.Lookups, p.DNS.SPF.Valid = 11, false }, "spf-invalid", "more than 10 look-ups"},
		"SPF not followed":     {func(p *schema.SiteProbe) { p.DNS.SPF.Complete = false }, "", ""},
		"SPF led elsewhere":    {func(p *schema.SiteProbe) { p.DNS.SPF.All, p.DNS.SPF.Complete = "redirect", false }, "", ""},
		"SPF open":             {func(p *schema.SiteProbe) { p.DNS.SPF.All = "+" }, "spf-open", "+all"},
		"SPF neutral":          {func(p *schema.SiteProbe) { p.DNS.SPF.All = "?" }, "spf-open", "?all"},
		"SPF without end":      {func(p *schema.SiteProbe) { p.DNS.SPF.All = "" }, "spf-open", "no all"},
		"no DMARC":             {func(p *schema.SiteProbe) { p.DNS.DMARC = schema.DMARCFacts{State: schema.RecordAbsent} }, "dmarc-missing", ""},
		"DMARC unknown":        {func(p *schema.SiteProbe) { p.DNS.DMARC = schema.DMARCFacts{} }, "", ""},
		"DMARC without policy": {func(p *schema.SiteProbe) { p.DNS.DMARC.Policy, p.DNS.DMARC.Valid = "", false }, "dmarc-invalid", "no policy"},
		"two DMARC records":    {func(p *schema.SiteProbe) { p.DNS.DMARC = schema.DMARCFacts{State: schema.RecordPresent, Records: 2} }, "dmarc-invalid", "2 records"},
		"DMARC watches":        {func(p *schema.SiteProbe) { p.DNS.DMARC.Policy = "none" }, "dmarc-none", "none"},
		"nothing was answered": {func(p *schema.SiteProbe) {
			p.DNS, p.IPv6 = schema.DNSFacts{State: schema.LookUnknown}, schema.IPv6Facts{}
		}, "", ""},
		"a site without a name": {func(p *schema.SiteProbe) {
			p.DNS, p.IPv6 = schema.DNSFacts{State: schema.LookNotApplicable}, schema.IPv6Facts{}
		}, "", ""},
		"a domain without mail": {func(p *schema.SiteProbe) {
			p.DNS.MX, p.DNS.SPF, p.DNS.DMARC = schema.RecordAbsent, schema.SPFFacts{State: schema.RecordAbsent}, schema.DMARCFacts{State: schema.RecordAbsent}
		}, "", ""},
		"mail unknown": {func(p *schema.SiteProbe) {
			p.DNS.MX, p.DNS.SPF, p.DNS.DMARC = "", schema.SPFFacts{State: schema.RecordAbsent}, schema.DMARCFacts{State: schema.RecordAbsent}
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := sound()
			c.change(f.Probe)
			_, findings := JudgeSite(f)
			var ids []string
			for _, x := range findings {
				ids = append(ids, x.Rule)
				tried[x.Rule] = true
			}
			if c.want == "" && len(ids) > 0 || c.want != "" && (!slices.Equal(ids, []string{c.want}) || findings[0].Detail != c.detail) {
				t.Errorf("fails %v (%+v), want %q with %q", ids, findings, c.want, c.detail)
			}
		})
	}
	for _, r := range nameRules {
		if !tried[r.ID] {
			t.Errorf("rule %s has no failing case", r.ID)
		}
	}
}
