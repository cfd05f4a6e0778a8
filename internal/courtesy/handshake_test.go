package courtesy_test

import (
	"crypto/tls"
	"net"
	"testing"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/schema"
)

func handshakeVisit(address string) schema.Visit {
	v := visit(address, free())
	v.Purpose, v.Handshake = schema.PurposeSecurity, true
	return v
}

// A handshake is a line of the ledger of its own, and nothing is asked over it:
// not even robots.txt, which is about what is asked.
func TestHandshakeAsksNothing(t *testing.T) {
	site := fixturesite.New()
	site.StartTLS(t)
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(handshakeVisit(site.URL("/")))
	got, err := pass.Handshake(t.Context(), schema.HandshakeAsk{})
	if err != nil || got.Reason != schema.ReasonNone || got.Version != tls.VersionTLS13 || got.ALPN != "h2" || len(got.Certificates) == 0 {
		t.Fatalf("version %x, %q, %d certificates, %s, %v", got.Version, got.ALPN, len(got.Certificates), got.Reason, err)
	}
	if err := pass.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if asked := site.Arrivals(); len(asked) != 0 {
		t.Errorf("asked for %+v", asked)
	}
	lines := h.lines()
	if len(lines) != 1 || lines[0].Method != schema.MethodHandshake || lines[0].Purpose != schema.PurposeSecurity || lines[0].Status != 0 || lines[0].Failure != schema.ReasonNone ||
		lines[0].Bytes == 0 || lines[0].URL != site.URL("/") {
		t.Errorf("ledger %+v", lines)
	}
	if _, err := pass.Handshake(t.Context(), schema.HandshakeAsk{}); err == nil {
		t.Error("a handshake after the visit")
	}
}

func TestHandshakesThatFail(t *testing.T) {
	secure, plain := fixturesite.New(), fixturesite.New()
	secure.StartTLS(t)
	plain.Start(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	_ = l.Close() // nobody listens there now
	h := newHarness(t, courtesy.Options{})
	for name, c := range map[string]struct {
		address string
		ask     schema.HandshakeAsk
		reason  schema.Reason
		refused bool
	}{
		"a version the server does not speak": {secure.URL("/"), schema.HandshakeAsk{MaxVersion: tls.VersionTLS11}, schema.ReasonTLS, false},
		"nobody listens":                      {"https://" + closed + "/", schema.HandshakeAsk{}, schema.ReasonConnection, true},
		"no TLS at all":                       {"https" + plain.URL("/")[len("http"):], schema.HandshakeAsk{}, schema.ReasonTLS, false},
		"no such address":                     {secure.URL("/"), schema.HandshakeAsk{IPv6: true}, schema.ReasonNameNotFound, false},
	} {
		t.Run(name, func(t *testing.T) {
			pass := h.with(t).enter(handshakeVisit(c.address))
			got, err := pass.Handshake(t.Context(), c.ask)
			if err != nil || got.Reason != c.reason || got.Refused != c.refused {
				t.Errorf("%s, refused %v, %v", got.Reason, got.Refused, err)
			}
			if err := pass.Leave(t.Context()); err != nil {
				t.Fatal(err)
			}
			lines := h.lines()
			if last := lines[len(lines)-1]; last.Failure != c.reason || last.Method != schema.MethodHandshake {
				t.Errorf("ledger %+v", last)
			}
		})
	}
}

// Handshakes go by the guard like everything else.
func TestHandshakesKeepToTheGuard(t *testing.T) {
	h := newHarness(t, courtesy.Options{})
	for _, address := range []string{"https://10.0.0.1/", "https://169.254.169.254/", "https://[::ffff:127.0.0.1]/"} {
		v := handshakeVisit(address)
		v.Profile = careful()
		if a := h.refused(v); a.Kind != schema.AdmissionDenied || a.Reason != schema.ReasonGuarded {
			t.Errorf("%s: %+v", address, a)
		}
	}
}
