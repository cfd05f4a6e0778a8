package links

import (
	"testing"

	"visite/schema"
)

// What HEAD alone is answered with makes no link dead, whatever error it is (L20,
// L21); a status no standard knows refuses robots (L23); and a handshake that
// fails, be it for a certificate whose chain is incomplete, is no verdict about
// the address, which a browser may well open (L25).
//
// proves C-13, C-14, R-16
func TestWhatAnAnswerSaysOfALink(t *testing.T) {
	const other = "https://elsewhere.example/now"
	for name, c := range map[string]struct {
		head, get schema.LinkAnswer
		asks      bool // a GET decides
		verdict   schema.LinkVerdict
		reason    schema.Reason
	}{
		"there":                         {head: schema.LinkAnswer{Status: 200}, verdict: schema.LinkOK},
		"L20: HEAD fails, GET does not": {schema.LinkAnswer{Status: 500}, schema.LinkAnswer{Status: 200}, true, schema.LinkOK, ""},
		"L21: HEAD finds nothing":       {schema.LinkAnswer{Status: 404}, schema.LinkAnswer{Status: 200}, true, schema.LinkOK, ""},
		"L21: gone for HEAD alone":      {schema.LinkAnswer{Status: 410}, schema.LinkAnswer{Status: 206}, true, schema.LinkOK, ""},
		"gone":                          {schema.LinkAnswer{Status: 410}, schema.LinkAnswer{Status: 410}, true, schema.LinkBroken, ""},
		"L23: robots are refused":       {schema.LinkAnswer{Status: 999}, schema.LinkAnswer{Status: 999}, true, schema.LinkRefused, ""},
		"L23: HEAD alone is refused":    {schema.LinkAnswer{Status: 999}, schema.LinkAnswer{Status: 200}, true, schema.LinkOK, ""},
		"L25: no handshake":             {head: schema.LinkAnswer{Reason: schema.ReasonTLS}, verdict: schema.LinkUnchecked, reason: schema.ReasonTLS},
		"L25: none for the GET":         {schema.LinkAnswer{Status: 404}, schema.LinkAnswer{Reason: schema.ReasonTLS}, true, schema.LinkUnchecked, schema.ReasonTLS},
		"elsewhere":                     {head: schema.LinkAnswer{Status: 302, Location: other}, verdict: schema.LinkRedirects},
		"nowhere":                       {schema.LinkAnswer{Status: 302}, schema.LinkAnswer{Status: 302}, true, schema.LinkBroken, schema.ReasonBadRedirect},
		"it asks for rest":              {head: schema.LinkAnswer{Status: 503}, verdict: schema.LinkUnchecked, reason: schema.ReasonRefusedForNow},
	} {
		check, asks := AfterHead(c.head)
		if asks {
			check = AfterGet(c.get)
		}
		if asks != c.asks || check.Verdict != c.verdict || check.Reason != c.reason {
			t.Errorf("%s: %s (%s), by GET: %v; want %s (%s), %v", name, check.Verdict, check.Reason, asks, c.verdict, c.reason, c.asks)
		}
	}
}
