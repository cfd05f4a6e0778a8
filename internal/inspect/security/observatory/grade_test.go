package observatory

import (
	"testing"

	"visite/schema"
)

func TestGrade(t *testing.T) {
	best := map[string]string{
		CSP: CSPDefaultNone, Cookies: CookiesSameSite, CORS: CORSNone, Redirection: RedirectHTTPS, Referrer: ReferrerPrivate,
		HSTS: HSTSLong, SRI: SRIAll, ContentType: ContentTypeNosniff, Framing: FramingCSP, CORP: CORPSameOrigin,
	}
	for name, c := range map[string]struct {
		change map[string]string
		grade  string
		score  int
	}{
		"everything":                          {nil, "A+", 140},
		"bonuses count from 90":               {map[string]string{HSTS: HSTSShort}, "A+", 130},
		"not below":                           {map[string]string{HSTS: HSTSShort, ContentType: ContentTypeNone}, "A-", 85},
		"nothing done, nothing wrong":         {map[string]string{CSP: CSPUnsafeStyle, Cookies: CookiesNone, Referrer: ReferrerNone, SRI: SRINoScripts, Framing: FramingSameOrigin, CORP: CORPNone}, "A+", 100},
		"an ordinary site without any header": {map[string]string{CSP: CSPNone, Cookies: CookiesNone, Referrer: ReferrerNone, HSTS: HSTSNone, SRI: SRIOwn, ContentType: ContentTypeNone, Framing: FramingNone, CORP: CORPNone}, "D", 30},
		"never below nought":                  {map[string]string{CSP: CSPNone, CORS: CORSUniversal, SRI: SRIMissingInsecure, Cookies: CookiesSessionInsecure}, "F", 0},
		"five less than a hundred":            {map[string]string{Redirection: RedirectOffHost, CSP: CSPUnsafeStyle, Cookies: CookiesNone, Referrer: ReferrerNone, SRI: SRINoScripts, Framing: FramingSameOrigin, CORP: CORPNone}, "A", 95},
	} {
		t.Run(name, func(t *testing.T) {
			var results [][2]string
			for _, test := range []string{CSP, Cookies, CORS, Redirection, Referrer, HSTS, SRI, ContentType, Framing, CORP} {
				result := best[test]
				if r, ok := c.change[test]; ok {
					result = r
				}
				results = append(results, [2]string{test, result})
			}
			g := Grade(results)
			if g.Grade != c.grade || g.Score != c.score || len(g.Tests) != 10 {
				t.Errorf("%s %d of %d tests, want %s %d", g.Grade, g.Score, len(g.Tests), c.grade, c.score)
			}
		})
	}
}

func TestUnknownResultsAreLeftOut(t *testing.T) {
	g := Grade([][2]string{{CSP, ""}, {HSTS, HSTSNone}, {SRI, "made-up"}})
	if len(g.Tests) != 1 || g.Tests[0] != (schema.GradeTest{Test: HSTS, Result: HSTSNone, Modifier: -20}) || g.Grade != "B+" || g.Score != 80 {
		t.Errorf("%+v", g)
	}
}

// The bands as published.
func TestLetters(t *testing.T) {
	want := map[int]string{100: "A+", 95: "A", 90: "A", 85: "A-", 80: "B+", 75: "B", 70: "B", 65: "B-", 60: "C+", 55: "C", 50: "C", 45: "C-", 40: "D+", 35: "D", 30: "D", 25: "D-", 20: "F", 0: "F"}
	for score, letter := range want {
		if letters[score] != letter {
			t.Errorf("%d: %s, want %s", score, letters[score], letter)
		}
	}
}
