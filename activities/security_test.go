package activities

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"visite/schema"
)

// scriptedPass answers addresses with redirects and statuses, as the door does.
type scriptedPass struct {
	Pass
	answers map[string]string // address: target of a redirect, or a status
	facts   schema.DocumentFacts
	shakes  []schema.HandshakeAsk
	shake   func(schema.HandshakeAsk) schema.Handshake
}

func (p *scriptedPass) RoundTrip(req *http.Request) (*http.Response, error) {
	answer := p.answers[req.URL.String()]
	resp := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("")), Header: http.Header{}}
	switch {
	case answer == "disallowed":
		p.facts.Outcome, p.facts.Reason = schema.OutcomeDisallowed, schema.ReasonRobots
	case strings.HasPrefix(answer, "http"):
		p.facts.Hops = append(p.facts.Hops, schema.Hop{URL: req.URL.String(), Status: http.StatusMovedPermanently})
		p.facts.Final = answer
		if u, err := url.Parse(answer); err == nil && u.Host != "shop.example" {
			p.facts.Outcome = schema.OutcomeRedirected
		}
	default:
		p.facts.Outcome, p.facts.Status = schema.OutcomeAnalysed, http.StatusOK
	}
	return resp, nil
}

func (p *scriptedPass) Document() schema.DocumentFacts { return p.facts }
func (p *scriptedPass) Renew(context.Context) error    { return nil }
func (p *scriptedPass) Leave(context.Context) error    { return nil }

func (p *scriptedPass) Handshake(_ context.Context, ask schema.HandshakeAsk) (schema.Handshake, error) {
	p.shakes = append(p.shakes, ask)
	return p.shake(ask), nil
}

func TestWhereTheHTTPAddressLeads(t *testing.T) {
	const start = "http://shop.example/"
	for name, c := range map[string]struct {
		answers map[string]string
		outcome schema.RedirectEnd
		hops    int
	}{
		"to https":                       {map[string]string{start: "https://shop.example/"}, schema.RedirectSecure, 1},
		"to https elsewhere":             {map[string]string{start: "https://www.shop.example/"}, schema.RedirectOffHost, 1},
		"to http first":                  {map[string]string{start: "http://shop.example/de", "http://shop.example/de": "https://shop.example/de"}, schema.RedirectLate, 2},
		"to http elsewhere, never asked": {map[string]string{start: "http://www.shop.example/"}, schema.RedirectLate, 1},
		"to http only":                   {map[string]string{start: "http://shop.example/de"}, schema.RedirectInsecure, 1},
		"nowhere":                        {map[string]string{}, schema.RedirectNone, 0},
		"round and round":                {map[string]string{start: "http://shop.example/a", "http://shop.example/a": start}, schema.RedirectInsecure, redirectHops},
		"into a forbidden section":       {map[string]string{start: "http://shop.example/x", "http://shop.example/x": "disallowed"}, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := followRedirects(t.Context(), &scriptedPass{answers: c.answers}, start)
			if err != nil || f.Outcome != c.outcome || f.Hops != c.hops || (f.State == schema.LookDone) != (c.outcome != "") {
				t.Errorf("%+v %v", f, err)
			}
		})
	}
}

func TestSides(t *testing.T) {
	for address, want := range map[string]sides{
		"https://shop.example/a?b=c":  {"https://shop.example/", "http://shop.example/", "shop.example"},
		"http://shop.example/":        {"https://shop.example/", "http://shop.example/", "shop.example"},
		"https://shop.example:8443/":  {"https://shop.example:8443/", "", "shop.example"},
		"http://shop.example:8080/":   {"", "", "shop.example"},
		"https://8.8.8.8/":            {"https://8.8.8.8/", "http://8.8.8.8/", ""},
		"http://127.0.0.1:8080/":      {},
		"https://127.0.0.1:8443/":     {},
		"http://localhost/":           {},
		"https://intranet/":           {},
		"https://192.168.1.4/":        {},
		"http://[::1]:3000/":          {},
		"https://printer.local:8443/": {},
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sidesOf(schema.Scan{URL: address, ScopeHost: schema.HostKey(u)})
		if err != nil || got != want {
			t.Errorf("%s: %+v %v, want %+v", address, got, err, want)
		}
	}
}

func TestReadingSecurityTxt(t *testing.T) {
	const file = "Contact: mailto:a@shop.example\nExpires: 2027-01-01T00:00:00Z\n"
	answer := func(status int, outcome schema.Outcome, reason schema.Reason) schema.DocumentFacts {
		return schema.DocumentFacts{Status: status, Outcome: outcome, Reason: reason, MediaType: "text/plain", Header: map[string][]string{"Strict-Transport-Security": {"max-age=1"}}}
	}
	for name, c := range map[string]struct {
		facts schema.DocumentFacts
		body  string
		state schema.LookState
		found bool
	}{
		"there":              {answer(200, schema.OutcomeAnalysed, ""), file, schema.LookDone, true},
		"a page":             {answer(200, schema.OutcomeAnalysed, ""), "<html>", schema.LookDone, false},
		"not there":          {answer(404, schema.OutcomeErrorAnswer, schema.ReasonErrorStatus), "", schema.LookDone, false},
		"forbidden":          {answer(403, schema.OutcomeErrorAnswer, schema.ReasonErrorStatus), "", schema.LookUnknown, false},
		"trouble":            {answer(500, schema.OutcomeErrorAnswer, schema.ReasonErrorStatus), "", schema.LookUnknown, false},
		"to another host":    {answer(301, schema.OutcomeRedirected, ""), "", schema.LookUnknown, false},
		"robots.txt forbids": {answer(0, schema.OutcomeDisallowed, schema.ReasonRobots), "", schema.LookUnknown, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := readSecurityTxt(c.facts, []byte(c.body), nil)
			if f.State != c.state || f.Found != c.found || !f.Transport.Valid || f.Transport.MaxAge != 1 {
				t.Errorf("%+v", f)
			}
		})
	}
}

// probeWorld stands in for store, door and http engine.
type probeWorld struct {
	ScanStore
	scan   schema.Scan
	probe  schema.SiteProbe
	saved  int
	pass   *scriptedPass
	robots RobotsReading
	asked  []schema.Visit
	refuse func(schema.Visit) (schema.Admission, bool)
	names  NameServers
}

func (w *probeWorld) Scan(context.Context, string) (schema.Scan, error) { return w.scan, nil }
func (w *probeWorld) SetPhase(context.Context, string, schema.Phase, string, time.Time) error {
	return nil
}
func (w *probeWorld) SiteProbe(context.Context, string) (schema.SiteProbe, error) {
	return w.probe, nil
}
func (w *probeWorld) SetSiteProbe(_ context.Context, _ string, p schema.SiteProbe) error {
	w.probe = p
	w.saved++
	return nil
}
func (w *probeWorld) EndRun(string) {}
func (w *probeWorld) Enter(_ context.Context, v schema.Visit) (Pass, schema.Admission, error) {
	w.asked = append(w.asked, v)
	if w.refuse != nil {
		if a, no := w.refuse(v); no {
			return nil, a, nil
		}
	}
	w.pass.facts = schema.DocumentFacts{}
	return w.pass, schema.Admission{Kind: schema.AdmissionGranted}, nil
}
func (w *probeWorld) ReadRobots(_ context.Context, v schema.Visit) (RobotsReading, schema.Admission, error) {
	w.asked = append(w.asked, v)
	return w.robots, schema.Admission{Kind: schema.AdmissionGranted}, nil
}
func (w *probeWorld) Get(context.Context, Pass, string, int64) (Fetched, error) {
	w.pass.facts = schema.DocumentFacts{Status: 404, Outcome: schema.OutcomeErrorAnswer}
	return Fetched{}, nil
}

func (w *probeWorld) look(t *testing.T, in ProbeInput) ProbeOutput {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	step := &Security{Store: w, Door: w, Fetch: w, Names: w.names}
	env.RegisterActivity(step)
	value, err := env.ExecuteActivity(step.ProbeSecurity, in)
	if err != nil {
		t.Fatal(err)
	}
	var out ProbeOutput
	if err := value.Get(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func siteOf(address string) *probeWorld {
	u, _ := url.Parse(address)
	w := &probeWorld{scan: schema.Scan{ID: "s", URL: address, ScopeHost: schema.HostKey(u), MaxPages: 20}, pass: &scriptedPass{answers: map[string]string{"http://shop.example/": "https://shop.example/"}}}
	w.pass.shake = func(ask schema.HandshakeAsk) schema.Handshake {
		if ask.MaxVersion != 0 {
			return schema.Handshake{Reason: schema.ReasonTLS}
		}
		return schema.Handshake{Version: 0x0304, ALPN: "h2"}
	}
	w.robots.Copy.Outcome = schema.RobotsAllowAll
	return w
}

func TestALookAtASitesConnections(t *testing.T) {
	w := siteOf("https://shop.example/a")
	out := w.look(t, ProbeInput{ScanID: "s"})
	if out.Wait != nil || out.TimedOut != 0 || out.Objected {
		t.Errorf("%+v", out)
	}
	p := w.probe
	if p.Host != "shop.example" || p.TLS.Version != "TLS 1.3" || !p.TLS.HTTP2 || p.Legacy.State != schema.LookDone || p.Legacy.Offered ||
		p.Redirect.Outcome != schema.RedirectSecure || p.SecurityTxt.State != schema.LookDone || p.SecurityTxt.Found || p.DNS.State != schema.LookUnknown {
		t.Errorf("%+v", p)
	}
	if p.NotFound != (schema.NotFoundFacts{State: schema.LookDone, Status: 404}) {
		t.Errorf("a page that is not there: %+v", p.NotFound)
	}
	few := siteOf("https://shop.example/a")
	few.scan.MaxPages = 3
	few.look(t, ProbeInput{ScanID: "s"})
	if few.probe.NotFound.State != schema.LookNotApplicable || len(few.asked) >= len(w.asked) {
		t.Errorf("a scan of three pages asks for one more: %+v", few.probe.NotFound)
	}
	for _, v := range w.asked {
		purpose := schema.PurposeSecurity
		if v.URL == "https://shop.example/no-such-page-s" {
			purpose = schema.PurposeNotFound
		}
		if v.Purpose != purpose || v.ScopeHost != "shop.example" || v.Handshake != strings.HasSuffix(v.Holder, "tls") && v.Handshake != strings.HasSuffix(v.Holder, "legacy") {
			t.Errorf("visit %+v", v)
		}
	}
	// What is known is not asked again.
	asked := len(w.asked)
	w.look(t, ProbeInput{ScanID: "s"})
	if len(w.asked) != asked {
		t.Errorf("asked again: %+v", w.asked[asked:])
	}
}

func TestALookThatHasToWaitGoesOnWhereItWas(t *testing.T) {
	w := siteOf("https://shop.example/")
	w.refuse = func(v schema.Visit) (schema.Admission, bool) {
		return schema.Admission{Kind: schema.AdmissionWait, Words: "rest"}, strings.HasSuffix(v.URL, "security.txt")
	}
	if out := w.look(t, ProbeInput{ScanID: "s"}); out.Wait == nil {
		t.Fatalf("%+v", out)
	}
	first := len(w.asked)
	w.refuse = nil
	if out := w.look(t, ProbeInput{ScanID: "s"}); out.Wait != nil || len(w.asked) != first+2 { // security.txt, and a page that is not there
		t.Errorf("%+v, asked %d more", out, len(w.asked)-first)
	}
}

func TestNothingIsAskedOfThisMachine(t *testing.T) {
	w := siteOf("http://127.0.0.1:8080/")
	w.look(t, ProbeInput{ScanID: "s"})
	p := w.probe
	if len(w.asked) != 0 || p.TLS.State != schema.LookNotApplicable || p.Legacy.State != schema.LookNotApplicable || p.Redirect.State != schema.LookNotApplicable ||
		p.SecurityTxt.State != schema.LookNotApplicable || p.DNS.State != schema.LookNotApplicable || p.IPv6.State != schema.LookNotApplicable || p.NotFound.State != schema.LookNotApplicable {
		t.Errorf("asked %d, %+v", len(w.asked), p)
	}
}

func TestOnlyHandshakesWhereRobotsCannotBeRead(t *testing.T) {
	w := siteOf("https://shop.example/")
	w.look(t, ProbeInput{ScanID: "s", HandshakeOnly: true})
	for _, v := range w.asked {
		if !v.Handshake {
			t.Errorf("asked for %s", v.URL)
		}
	}
	if len(w.asked) != 2 || w.probe.Redirect.State != schema.LookUnknown || w.probe.SecurityTxt.State != schema.LookUnknown || w.probe.NotFound.State != schema.LookUnknown {
		t.Errorf("%d visits, %+v", len(w.asked), w.probe)
	}
}

func TestClosedPorts(t *testing.T) {
	w := siteOf("https://shop.example/")
	w.robots.Copy.Outcome, w.robots.Copy.Reason = schema.RobotsDenyAll, schema.ReasonConnection
	w.look(t, ProbeInput{ScanID: "s"})
	if w.probe.Redirect.Outcome != schema.RedirectNoService {
		t.Errorf("%+v", w.probe.Redirect)
	}
	w = siteOf("http://shop.example/")
	w.pass.shake = func(schema.HandshakeAsk) schema.Handshake {
		return schema.Handshake{Reason: schema.ReasonConnection, Refused: true}
	}
	w.look(t, ProbeInput{ScanID: "s"})
	if p := w.probe; p.TLS.State != schema.LookDone || p.TLS.Reason != schema.ReasonConnection || p.Legacy.State != schema.LookNotApplicable || p.SecurityTxt.State != schema.LookNotApplicable {
		t.Errorf("%+v", p)
	}
}

// toldNames tells of any name the same.
type toldNames struct {
	facts schema.DNSFacts
	asked *[]string
}

func (n toldNames) Look(_ context.Context, host, domain string) schema.DNSFacts {
	*n.asked = append(*n.asked, host+" "+domain)
	return n.facts
}

// Name servers are asked once a scan; a site with an IPv6 address is connected to
// over IPv6 through the door, and only what a machine there answers tells anything.
func TestNamesAndIPv6(t *testing.T) {
	for name, c := range map[string]struct {
		ipv6  schema.RecordState
		shake schema.Handshake
		want  schema.IPv6Facts
		looks int
	}{
		"answers":         {schema.RecordPresent, schema.Handshake{Version: 0x0304}, schema.IPv6Facts{State: schema.LookDone, Answers: true}, 1},
		"bad certificate": {schema.RecordPresent, schema.Handshake{Reason: schema.ReasonTLS}, schema.IPv6Facts{State: schema.LookDone, Answers: true}, 1},
		"refused":         {schema.RecordPresent, schema.Handshake{Reason: schema.ReasonConnection, Refused: true}, schema.IPv6Facts{State: schema.LookDone}, 1},
		"no route":        {schema.RecordPresent, schema.Handshake{Reason: schema.ReasonConnection}, schema.IPv6Facts{State: schema.LookUnknown}, 1},
		"silent":          {schema.RecordPresent, schema.Handshake{Reason: schema.ReasonTimeout}, schema.IPv6Facts{State: schema.LookUnknown}, 1},
		"no address":      {schema.RecordAbsent, schema.Handshake{}, schema.IPv6Facts{State: schema.LookNotApplicable}, 0},
		"not known":       {schema.RecordUnknown, schema.Handshake{}, schema.IPv6Facts{State: schema.LookNotApplicable}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := siteOf("https://www.shop.example/")
			var asked []string
			w.names = toldNames{schema.DNSFacts{State: schema.LookDone, IPv6: c.ipv6}, &asked}
			usual := w.pass.shake
			w.pass.shake = func(ask schema.HandshakeAsk) schema.Handshake {
				if ask.IPv6 {
					return c.shake
				}
				return usual(ask)
			}
			w.look(t, ProbeInput{ScanID: "s"})
			w.look(t, ProbeInput{ScanID: "s"})
			over := 0
			for _, ask := range w.pass.shakes {
				if ask.IPv6 {
					over++
				}
			}
			if w.probe.IPv6 != c.want || over != c.looks || len(asked) != 1 || asked[0] != "www.shop.example shop.example" {
				t.Errorf("%+v, %d connections, asked %q", w.probe.IPv6, over, asked)
			}
		})
	}
}
