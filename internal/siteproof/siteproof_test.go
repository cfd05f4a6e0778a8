package siteproof

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"

	"visite/schema"
)

// nameServer answers for text records on loopback and notes what it is asked.
func nameServer(t *testing.T, records map[string][]string) (_ Resolver, questions func() []string) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var asked []string
	started := make(chan struct{})
	server := &dns.Server{PacketConn: conn, NotifyStartedFunc: func() { close(started) }, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		answer := new(dns.Msg).SetReply(q)
		name := q.Question[0].Name
		mu.Lock()
		asked = append(asked, dns.TypeToString[q.Question[0].Qtype]+" "+name)
		mu.Unlock()
		texts, there := records[name]
		if !there {
			answer.Rcode = dns.RcodeNameError
		}
		for _, text := range texts {
			answer.Answer = append(answer.Answer, &dns.TXT{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeTXT, Class: dns.ClassINET, Ttl: 1}, Txt: []string{text}})
		}
		_ = w.WriteMsg(answer)
	})}
	go func() { _ = server.ActivateAndServe() }()
	<-started
	t.Cleanup(func() { _ = server.Shutdown() })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
		}}, func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(asked)
		}
}

func TestWordsInDNS(t *testing.T) {
	var c Checker
	ours := c.Challenge("example.com", "")
	theirs := c.Challenge("theirs.example", "")
	records := map[string][]string{
		"_visite-visited.example.com.":    {"something else", " " + ours.Word + " "},
		"_visite-visited.theirs.example.": {ours.Word},
		"_visite-visited.empty.example.":  {},
	}
	resolver, asked := nameServer(t, records)
	c.Resolver = resolver
	for _, test := range []struct {
		name      string
		challenge schema.HostChallenge
		want      schema.HostProofResult
	}{
		{"there", ours, schema.HostProofResult{Proved: true}},
		{"the word of another host", theirs, schema.HostProofResult{}},
		{"no such name", c.Challenge("missing.example", ""), schema.HostProofResult{NoRecord: true}},
		{"no record", c.Challenge("empty.example", ""), schema.HostProofResult{NoRecord: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := c.CheckDNS(t.Context(), test.challenge)
			if err != nil || got != test.want {
				t.Errorf("%+v %v, want %+v", got, err, test.want)
			}
		})
	}
	for _, question := range asked() {
		if !strings.HasPrefix(question, "TXT _visite-visited.") {
			t.Errorf("the name server was asked %q", question)
		}
	}
}

func TestChallenges(t *testing.T) {
	var c Checker
	a, b := c.Challenge("example.com", ""), c.Challenge("example.com", "")
	if a.Secret == b.Secret || a.Word == b.Word || len(a.Secret) != len("vsh_")+43 {
		t.Errorf("two challenges are alike: %+v %+v", a, b)
	}
	if again := c.Challenge("example.com", a.Secret); again != a {
		t.Errorf("the same secret gives %+v, want %+v", again, a)
	}
	if other := c.Challenge("other.example", a.Secret); other.Word == a.Word {
		t.Error("one word serves two hosts")
	}
	for host, name := range map[string]string{
		"example.com": "_visite-visited.example.com", "example.com:8443": "_visite-visited.example.com", "192.0.2.1": "", "192.0.2.1:8080": "", "[2001:db8::1]": "", "[2001:db8::1]:8080": "",
	} {
		if got := c.Challenge(host, "").DNSName; got != name {
			t.Errorf("%s: record at %q, want %q", host, got, name)
		}
	}
}

// fakePass answers without a network.
type fakePass struct {
	resp *http.Response
	err  error
	left int
	sent []string
}

func (p *fakePass) RoundTrip(req *http.Request) (*http.Response, error) {
	p.sent = append(p.sent, req.Method+" "+req.URL.String())
	return p.resp, p.err
}

func (p *fakePass) Leave(context.Context) error { p.left++; return nil }

// siteTrouble is an error that tells of the site.
type siteTrouble struct{}

func (siteTrouble) Error() string             { return "refused" }
func (siteTrouble) SiteReason() schema.Reason { return schema.ReasonConnection }

func TestWordsInAFile(t *testing.T) {
	word := Checker{}.Challenge("example.com", "").Word
	answer := func(status int, body string) *http.Response {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}
	}
	challenge := schema.HostChallenge{Word: word, FilePath: FilePath}
	for name, c := range map[string]struct {
		resp   *http.Response
		err    error
		proved bool
		kind   schema.AdmissionKind
	}{
		"there":                    {answer(200, "\ufeffhello\n"+word+"\n"), nil, true, schema.AdmissionGranted},
		"behind what is read":      {answer(200, strings.Repeat("x", fileLimit)+"\n"+word), nil, false, schema.AdmissionGranted},
		"within a line":            {answer(200, "my "+word), nil, false, schema.AdmissionGranted},
		"a page of an error":       {answer(404, word), nil, false, schema.AdmissionGranted},
		"a redirect":               {answer(302, word), nil, false, schema.AdmissionGranted},
		"the site does not answer": {nil, siteTrouble{}, false, schema.AdmissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			pass := &fakePass{resp: c.resp, err: c.err}
			checker := Checker{Visit: Through(func(_ context.Context, v schema.Visit) (Pass, schema.Admission, error) {
				return pass, schema.Admission{Kind: schema.AdmissionGranted}, nil
			})}
			got, err := checker.CheckFile(t.Context(), challenge, "https://example.com", schema.Profile{})
			if err != nil || got.Proved != c.proved || got.Admission.Kind != c.kind {
				t.Errorf("%+v %v", got, err)
			}
			if len(pass.sent) != 1 || pass.sent[0] != "GET https://example.com/.well-known/visite-visited.txt" || pass.left != 1 {
				t.Errorf("sent %v, left %d times", pass.sent, pass.left)
			}
		})
	}
}

func TestOurOwnFaultsAreErrors(t *testing.T) {
	broken := errors.New("no database")
	checker := Checker{Visit: Through(func(context.Context, schema.Visit) (Pass, schema.Admission, error) {
		return nil, schema.Admission{}, broken
	})}
	if _, err := checker.CheckFile(t.Context(), schema.HostChallenge{}, "https://example.com", schema.Profile{}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	pass := &fakePass{err: broken}
	checker.Visit = Through(func(context.Context, schema.Visit) (Pass, schema.Admission, error) {
		return pass, schema.Admission{}, nil
	})
	if _, err := checker.CheckFile(t.Context(), schema.HostChallenge{}, "https://example.com", schema.Profile{}); !errors.Is(err, broken) || pass.left != 1 {
		t.Errorf("error %v, left %d times", err, pass.left)
	}
}
