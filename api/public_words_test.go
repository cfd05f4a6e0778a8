package api

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

// proves C-65: each purpose and cause of the closed lists is explained in each
// language, and nothing is explained that is on neither.
func TestThePageExplainsTheClosedListsAndNothingElse(t *testing.T) {
	var want []string
	for _, p := range schema.Purposes {
		want = append(want, "purpose."+string(p))
	}
	for _, c := range schema.Causes {
		want = append(want, "cause."+string(c))
	}
	for _, r := range identifiedReasons {
		want = append(want, "reason."+r)
	}
	for _, k := range []schema.ObjectionKind{schema.ObjectionStop, schema.ObjectionQuietHours, schema.ObjectionSlower} {
		want = append(want, "kind."+string(k))
	}
	for _, e := range []schema.PacingException{schema.ExceptionBrisk} { // uptime is not measured yet
		want = append(want, "exception."+string(e))
	}
	slices.Sort(want)
	for _, code := range publicLanguages {
		var got []string
		for key := range publicWords(code).messages {
			if list, _, _ := strings.Cut(key, "."); slices.Contains([]string{"purpose", "cause", "reason", "kind", "exception"}, list) && strings.Contains(key, ".") {
				got = append(got, key)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s explains %v, want %v", code, got, want)
		}
	}
}

func TestCataloguesHaveTheSameGaps(t *testing.T) {
	english := publicWords("en").messages
	for _, code := range publicLanguages {
		messages := publicWords(code).messages
		if want, got := slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(messages)); !slices.Equal(got, want) {
			t.Errorf("%s has %d messages, English has %d", code, len(got), len(want))
		}
		for key, m := range messages {
			if strings.Count(m, "%s") != strings.Count(english[key], "%s") || strings.Count(m, "%") != strings.Count(m, "%s") || strings.Count(m, "`")%2 != 0 {
				t.Errorf("%s: gaps of %q are %q, English %q", code, key, m, english[key])
			}
			if m == "" || strings.TrimSpace(m) != m {
				t.Errorf("%s: %q is %q", code, key, m)
			}
		}
	}
}

// proves C-59, C-60: what the page says is recorded of a page is what is recorded.
func TestEveryRecordedFieldIsOnThePage(t *testing.T) {
	told := map[string]bool{"ID": true, "ScanID": true} // ours
	for _, group := range kept {
		for _, field := range group.fields {
			if told[field] {
				t.Errorf("%s is told of twice", field)
			}
			told[field] = true
			if _, there := reflect.TypeFor[schema.Page]().FieldByName(field); !there {
				t.Errorf("%s is told of, and not recorded", field)
			}
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[schema.Page]()) {
		if !told[field.Name] {
			t.Errorf("%s is recorded, and the page says nothing of it: add it to a group of kept, or to a new one", field.Name)
		}
	}
}

func TestLanguageIsChosen(t *testing.T) {
	for _, c := range []struct{ asked, accept, want string }{
		{"", "", "en"}, {"", "de", "de"}, {"", "de-AT,en;q=0.5", "de"}, {"", "es-MX", "es"}, {"", "fr, es;q=0.4", "es"}, {"", "fr", "en"}, {"", "en;q=0.2, de;q=0.9", "de"},
		{"", "*", "en"}, {"", ";;;;", "en"}, {"de", "es", "de"}, {"fr", "es", "es"}, {"DE", "", "en"}, {"<script>", "", "en"},
	} {
		if got := languageFor(c.asked, c.accept); got != c.want {
			t.Errorf("asked %q, accepts %q: %s, want %s", c.asked, c.accept, got, c.want)
		}
	}
}

func TestOneAskerIsOneNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2:ffff::1": "2001:db8:1:2::/64", "::ffff:192.0.2.7": "192.0.2.7", "pipe": "pipe", "fe80::1%eth0": "fe80::/64",
	} {
		if got := network(address); got != want {
			t.Errorf("%s is counted as %s, want %s", address, got, want)
		}
	}
}
