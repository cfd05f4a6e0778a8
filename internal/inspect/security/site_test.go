package security

import (
	"slices"
	"testing"
	"time"

	"visite/internal/inspect/security/observatory"
	"visite/schema"
)

var looked = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// sound is a site whose connections leave nothing to be desired.
func sound() schema.SecurityFacts {
	p := &schema.SiteProbe{Host: "shop.example", At: looked}
	p.TLS = schema.TLSFacts{State: schema.LookDone, Version: "TLS 1.3", HTTP2: true, Certificate: schema.CertificateFacts{
		Chain: schema.ChainTrusted, Host: true, NotBefore: looked.AddDate(0, -1, 0), NotAfter: looked.AddDate(0, 2, 0), Key: "ECDSA 256", Sent: 2,
	}}
	p.Legacy.State = schema.LookDone
	p.DNS, p.IPv6 = soundNames(), schema.IPv6Facts{State: schema.LookDone, Answers: true}
	p.Redirect = schema.RedirectFacts{State: schema.LookDone, Outcome: schema.RedirectSecure, Hops: 1}
	p.SecurityTxt = schema.SecurityTxtFacts{State: schema.LookDone, Found: true, Contacts: 1, Expires: looked.AddDate(0, 6, 0)}
	front := Front(answer("https://shop.example/", "", "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'",
		"Strict-Transport-Security", "max-age=31536000", "X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer"))
	return schema.SecurityFacts{Front: &front, Probe: p}
}

func TestSiteChecks(t *testing.T) {
	failing := func(f schema.SecurityFacts) (ids []string, details map[string]string) {
		details = map[string]string{}
		_, findings := JudgeSite(f)
		for _, x := range findings {
			ids = append(ids, x.Rule)
			details[x.Rule] = x.Detail
		}
		return ids, details
	}
	if ids, _ := failing(sound()); ids != nil {
		t.Fatalf("a sound site fails %v", ids)
	}
	tried := map[string]bool{}
	for name, c := range map[string]struct {
		change func(*schema.SiteProbe)
		want   []string
		detail string
	}{
		"no https": {func(p *schema.SiteProbe) {
			p.TLS = schema.TLSFacts{State: schema.LookDone, Reason: schema.ReasonConnection}
			p.Legacy.State, p.SecurityTxt = schema.LookNotApplicable, schema.SecurityTxtFacts{State: schema.LookNotApplicable}
			p.Redirect.Outcome = schema.RedirectNone
		}, []string{"https-missing"}, "connection_failed"},
		"https did not answer this once": {func(p *schema.SiteProbe) {
			p.TLS = schema.TLSFacts{State: schema.LookDone, Reason: schema.ReasonTimeout}
			p.Legacy.State, p.SecurityTxt = schema.LookNotApplicable, schema.SecurityTxtFacts{State: schema.LookNotApplicable}
		}, nil, ""},
		"no redirect":             {func(p *schema.SiteProbe) { p.Redirect.Outcome, p.Redirect.Hops = schema.RedirectNone, 0 }, []string{"https-redirect-missing"}, "0 redirects"},
		"redirects to http only":  {func(p *schema.SiteProbe) { p.Redirect.Outcome = schema.RedirectInsecure }, []string{"https-redirect-missing"}, "1 redirect"},
		"nobody listens for http": {func(p *schema.SiteProbe) { p.Redirect.Outcome = schema.RedirectNoService }, nil, ""},
		"by a detour":             {func(p *schema.SiteProbe) { p.Redirect.Outcome = schema.RedirectLate }, []string{"https-redirect-detour"}, "first to http"},
		"to another host":         {func(p *schema.SiteProbe) { p.Redirect.Outcome = schema.RedirectOffHost }, []string{"https-redirect-detour"}, "first to another host"},
		"old TLS beside the new":  {func(p *schema.SiteProbe) { p.Legacy.Offered = true }, []string{"tls-legacy"}, "TLS 1.3"},
		"TLS 1.2 at most":         {func(p *schema.SiteProbe) { p.TLS.Version = "TLS 1.2" }, []string{"tls-1-3-missing"}, "TLS 1.2"},
		"run out":                 {func(p *schema.SiteProbe) { p.TLS.Certificate.NotAfter = looked.AddDate(0, 0, -1) }, []string{"certificate-expired"}, "until 2026-02-28"},
		"not begun":               {func(p *schema.SiteProbe) { p.TLS.Certificate.NotBefore = looked.AddDate(0, 0, 1) }, []string{"certificate-not-yet-valid"}, "from 2026-03-02"},
		"runs out soon":           {func(p *schema.SiteProbe) { p.TLS.Certificate.NotAfter = looked.AddDate(0, 0, 5) }, []string{"certificate-expires-soon"}, "until 2026-03-06, 5 days left"},
		"short lived, renewed in time": {func(p *schema.SiteProbe) {
			p.TLS.Certificate.NotBefore, p.TLS.Certificate.NotAfter = looked.AddDate(0, 0, -3), looked.AddDate(0, 0, 3)
		}, nil, ""},
		"short lived, not renewed": {func(p *schema.SiteProbe) {
			p.TLS.Certificate.NotBefore, p.TLS.Certificate.NotAfter = looked.AddDate(0, 0, -5), looked.AddDate(0, 0, 1)
		}, []string{"certificate-expires-soon"}, "until 2026-03-02, 1 day left"},
		"for another host":               {func(p *schema.SiteProbe) { p.TLS.Certificate.Host = false }, []string{"certificate-wrong-host"}, ""},
		"incomplete":                     {func(p *schema.SiteProbe) { p.TLS.Certificate.Chain, p.TLS.Certificate.Sent = schema.ChainIncomplete, 1 }, []string{"certificate-chain-incomplete"}, "1 certificate sent"},
		"self-signed":                    {func(p *schema.SiteProbe) { p.TLS.Certificate.Chain = schema.ChainSelfSigned }, []string{"certificate-self-signed"}, "2 certificates sent"},
		"unknown issuer":                 {func(p *schema.SiteProbe) { p.TLS.Certificate.Chain = schema.ChainUnknownIssuer }, []string{"certificate-unknown-issuer"}, "2 certificates sent"},
		"intermediate run out":           {func(p *schema.SiteProbe) { p.TLS.Certificate.Chain = schema.ChainIntermediateExpired }, []string{"certificate-intermediate-expired"}, "2 certificates sent"},
		"weak key":                       {func(p *schema.SiteProbe) { p.TLS.Certificate.Key, p.TLS.Certificate.WeakKey = "RSA 1024", true }, []string{"certificate-weak"}, "RSA 1024"},
		"weak signature":                 {func(p *schema.SiteProbe) { p.TLS.Certificate.WeakSignature = true }, []string{"certificate-weak"}, "signature"},
		"no security.txt":                {func(p *schema.SiteProbe) { p.SecurityTxt = schema.SecurityTxtFacts{State: schema.LookDone} }, []string{"security-txt-missing"}, ""},
		"security.txt could not be read": {func(p *schema.SiteProbe) { p.SecurityTxt = schema.SecurityTxtFacts{State: schema.LookUnknown} }, nil, ""},
		"security.txt faulty":            {func(p *schema.SiteProbe) { p.SecurityTxt.Faults = []string{"no_contact", "not_utf8"} }, []string{"security-txt-invalid"}, "no_contact, not_utf8"},
		"security.txt run out":           {func(p *schema.SiteProbe) { p.SecurityTxt.Expires = looked.AddDate(0, 0, -1) }, []string{"security-txt-expired"}, "until 2026-02-28"},
		"security.txt for years":         {func(p *schema.SiteProbe) { p.SecurityTxt.Expires = looked.AddDate(3, 0, 0) }, []string{"security-txt-expires-late"}, "until 2029-03-01"},
		"security.txt without expiry": {func(p *schema.SiteProbe) {
			p.SecurityTxt.Expires, p.SecurityTxt.Faults = time.Time{}, []string{"no_expires"}
		}, []string{"security-txt-invalid"}, "no_expires"},
		"nothing could be looked at":      {func(p *schema.SiteProbe) { *p = schema.SiteProbe{Host: p.Host, At: p.At} }, nil, ""},
		"nothing there could be meant by": {func(p *schema.SiteProbe) { *p = notApplicable(p.Host) }, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := sound()
			c.change(f.Probe)
			ids, details := failing(f)
			if !slices.Equal(ids, c.want) {
				t.Fatalf("fails %v, want %v", ids, c.want)
			}
			for _, id := range ids {
				tried[id] = true
				if details[id] != c.detail {
					t.Errorf("%s: %q, want %q", id, details[id], c.detail)
				}
			}
		})
	}
	for _, r := range slices.Concat(connectionRules, certificateRules, contactRules) {
		if !tried[r.ID] {
			t.Errorf("rule %s has no failing case", r.ID)
		}
	}
}

func notApplicable(host string) schema.SiteProbe {
	const no = schema.LookNotApplicable
	return schema.SiteProbe{Host: host, At: looked, TLS: schema.TLSFacts{State: no}, Legacy: schema.LegacyFacts{State: no}, Redirect: schema.RedirectFacts{State: no},
		SecurityTxt: schema.SecurityTxtFacts{State: no}, DNS: schema.DNSFacts{State: no}, IPv6: schema.IPv6Facts{State: no}}
}

func TestSiteGrade(t *testing.T) {
	grade := func(change func(*schema.SecurityFacts)) schema.SiteSecurity {
		f := sound()
		change(&f)
		s, _ := JudgeSite(f)
		return s
	}
	if s := grade(func(*schema.SecurityFacts) {}); s.Grade == nil || s.Grade.Grade != "A+" || s.Grade.Score != 120 || len(s.Grade.Tests) != 10 {
		t.Errorf("%+v %s", s.Grade, s.NoGrade)
	}
	result := func(s schema.SiteSecurity, test string) string {
		for _, r := range s.Grade.Tests {
			if r.Test == test {
				return r.Result
			}
		}
		return ""
	}
	for name, c := range map[string]struct {
		change func(*schema.SecurityFacts)
		test   string
		want   string
	}{
		"no redirect":             {func(f *schema.SecurityFacts) { f.Probe.Redirect.Outcome = schema.RedirectNone }, observatory.Redirection, observatory.RedirectMissing},
		"could not be found out":  {func(f *schema.SecurityFacts) { f.Probe.Redirect.State = schema.LookUnknown }, observatory.Redirection, ""},
		"into a bad certificate":  {func(f *schema.SecurityFacts) { f.Probe.TLS.Certificate.Host = false }, observatory.Redirection, observatory.RedirectInvalidCert},
		"no http":                 {func(f *schema.SecurityFacts) { f.Probe.Redirect.Outcome = schema.RedirectNoService }, observatory.Redirection, observatory.RedirectNoHTTP},
		"late, the page is https": {func(f *schema.SecurityFacts) { f.Probe.Redirect.Outcome = schema.RedirectLate }, observatory.Redirection, observatory.RedirectLate},
		"late, the page is http":  {func(f *schema.SecurityFacts) { f.Probe.Redirect.Outcome, f.Front.Secure = schema.RedirectLate, false }, observatory.Redirection, observatory.RedirectNotHTTPS},
		"http page, field on https": {func(f *schema.SecurityFacts) {
			f.Front.Secure, f.Front.StrictTransport = false, schema.StrictTransport{}
			f.Probe.SecurityTxt.Transport = schema.StrictTransport{Present: true, Valid: true, MaxAge: 60}
		}, observatory.HSTS, observatory.HSTSShort},
		"http page, no https": {func(f *schema.SecurityFacts) {
			f.Front.Secure, f.Probe.TLS.Reason = false, schema.ReasonConnection
		}, observatory.HSTS, observatory.HSTSNoHTTPS},
		"http page, bad certificate": {func(f *schema.SecurityFacts) {
			f.Front.Secure, f.Probe.TLS.Certificate.Chain = false, schema.ChainSelfSigned
		}, observatory.HSTS, observatory.HSTSInvalidCert},
	} {
		if got := result(grade(c.change), c.test); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for host, want := range map[string]string{"127.0.0.1:8080": schema.NoGradeLocal, "localhost": schema.NoGradeLocal, "[::1]:80": schema.NoGradeLocal, "8.8.8.8": schema.NoGradeAddress} {
		if s := grade(func(f *schema.SecurityFacts) { f.Probe.Host = host }); s.Grade != nil || s.NoGrade != want {
			t.Errorf("%s: %+v %s", host, s.Grade, s.NoGrade)
		}
	}
	if s := grade(func(f *schema.SecurityFacts) { f.Front = nil }); s.Grade != nil || s.NoGrade != schema.NoGradeNoPage {
		t.Errorf("no page: %s", s.NoGrade)
	}
	if s := grade(func(f *schema.SecurityFacts) { f.Probe = nil }); s.Grade != nil || s.NoGrade != schema.NoGradeNoProbe || s.Checks != nil {
		t.Errorf("no probe: %+v", s)
	}
}
