package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

var verb = regexp.MustCompile(`%(\[\d+\])?[a-z]`)

func verbs(s string) []string {
	out := verb.FindAllString(s, -1)
	slices.Sort(out)
	return out
}

func TestCataloguesSayTheSame(t *testing.T) {
	english := catalogues()[English]
	if len(english) < 200 {
		t.Fatalf("only %d messages", len(english))
	}
	for lang, messages := range catalogues() {
		for key, m := range english {
			other, ok := messages[key]
			if !ok || strings.TrimSpace(other) == "" {
				t.Errorf("%s: no message %q", lang, key)
			} else if !slices.Equal(verbs(m), verbs(other)) {
				t.Errorf("%s: %q has the places %v, English has %v", lang, key, verbs(other), verbs(m))
			}
		}
		for key := range messages {
			if english[key] == "" {
				t.Errorf("%s: message %q is not in English", lang, key)
			}
		}
	}
}

// Numbers of things need both forms.
func TestPluralsComeInPairs(t *testing.T) {
	for key := range catalogues()[English] {
		if base, ok := strings.CutSuffix(key, ".one"); ok && catalogues()[English][base+".other"] == "" {
			t.Errorf("%s has no partner", key)
		}
	}
}

// valuesOf lists the values of the vocabulary's string constants of a type, or
// whose names begin with a prefix.
func valuesOf(t *testing.T, file, typeName, prefix string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "../../schema/"+file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range tree.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			typed, _ := spec.Type.(*ast.Ident)
			match := typeName != "" && typed != nil && typed.Name == typeName || prefix != "" && strings.HasPrefix(spec.Names[0].Name, prefix)
			if lit, ok := spec.Values[0].(*ast.BasicLit); match && ok {
				value, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, value)
			}
		}
	}
	if len(out) < 2 {
		t.Fatalf("%s: only %d constants found", file, len(out))
	}
	return out
}

// Every value of the vocabulary has words, so that no reader meets a bare code.
func TestClosedListsHaveWords(t *testing.T) {
	for list, values := range map[string][]string{
		"outcome":      valuesOf(t, "page.go", "Outcome", ""),
		"reason":       valuesOf(t, "page.go", "Reason", ""),
		"note":         valuesOf(t, "page.go", "", "Note"),
		"state":        valuesOf(t, "scan.go", "ScanState", ""),
		"severity":     valuesOf(t, "finding.go", "Severity", ""),
		"category":     valuesOf(t, "finding.go", "Category", ""),
		"item_state":   valuesOf(t, "item_state.go", "ItemState", ""),
		"visit.engine": valuesOf(t, "scan.go", "Engine", ""),
		"visit.device": valuesOf(t, "scan.go", "Device", ""),
	} {
		for _, v := range values {
			if v == "" {
				continue
			}
			for lang, messages := range catalogues() {
				if messages[list+"."+v] == "" {
					t.Errorf("%s: no words for %s %q", lang, list, v)
				}
			}
		}
	}
	for _, o := range valuesOf(t, "page.go", "Outcome", "") {
		if o != string(schema.OutcomeAnalysed) && catalogues()[English]["why."+o] == "" {
			t.Errorf("outcome %q is not explained", o)
		}
	}
	for _, s := range valuesOf(t, "scan.go", "ScanState", "") {
		if s != string(schema.ScanFinished) && catalogues()[English]["notice."+s] == "" {
			t.Errorf("state %q has no notice", s)
		}
	}
}

var called = regexp.MustCompile(`\b(t|n) "([a-z_.]+)"`)

func TestNoMessageIsUnused(t *testing.T) {
	source := ""
	for _, path := range []string{"page/report.html.tmpl", "notices.go", "gait.go", "words.go", "junit.go"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		source += string(data)
	}
	for key := range catalogues()[English] {
		base := strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".other")
		family, _, _ := strings.Cut(base, ".")
		if i := strings.LastIndexByte(base, '.'); i > 0 && (strings.Contains(source, `closed "`+base[:i]+`"`) || strings.Contains(source, `closed("`+base[:i]+`"`)) {
			continue
		}
		if strings.Contains(source, `"`+base+`"`) || strings.Contains(source, `"`+family+`."`) || family == "month" {
			continue
		}
		t.Errorf("message %q is used nowhere", key)
	}
	for _, m := range called.FindAllStringSubmatch(source, -1) {
		key := m[2]
		if m[1] == "n" {
			key += ".other"
		}
		if catalogues()[English][key] == "" {
			t.Errorf("the page asks for message %q, which is not there", key)
		}
	}
}

func TestFigures(t *testing.T) {
	for lang, want := range map[Lang][]string{
		English: {"12,345", "1.5 MB", "999 B", "612 ms", "1.5 s", "3.5 min", "2.5 h", "2 March 2026, 09:05 UTC", "one place", "2 places", "1,000 places"},
		German:  {"12.345", "1,5 MB", "999 B", "612 ms", "1,5 s", "3,5 min", "2,5 h", "2. März 2026, 09:05 Uhr UTC", "eine Stelle", "2 Stellen", "1.000 Stellen"},
		Spanish: {"12.345", "1,5 MB", "999 B", "612 ms", "1,5 s", "3,5 min", "2,5 h", "2 de marzo de 2026, 09:05 UTC", "un lugar", "2 lugares", "1.000 lugares"},
	} {
		w, err := wordsOf(lang)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		add := func(s string, err error) {
			if err != nil {
				t.Error(err)
			}
			got = append(got, s)
		}
		add(w.num(12345), nil)
		add(w.size(1_502_000))
		add(w.size(999))
		add(w.ms(612.4))
		add(w.span(1500 * time.Millisecond))
		add(w.span(210 * time.Second))
		add(w.span(150 * time.Minute))
		add(w.date(time.Date(2026, 3, 2, 10, 5, 0, 0, time.FixedZone("CET", 3600))))
		for _, n := range []int{1, 2, 1000} {
			add(w.n("rule.places", n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
}

func TestUnknownLanguageAndMessage(t *testing.T) {
	if _, err := wordsOf("fr"); err == nil || err.Error() != `report: there are no messages in "fr"` {
		t.Errorf("%v", err)
	}
	w, err := wordsOf("")
	if err != nil || w.lang != English {
		t.Errorf("%v, %v", w.lang, err)
	}
	if _, err := w.t("no.such"); err == nil {
		t.Error("a message that is not there was found")
	}
	if got := w.closed("reason", "brand_new\u202e"); got != "brand new\uFFFD" {
		t.Errorf("%q", got)
	}
}

func TestCleanText(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü שלום":               "plain ü שלום",
		"a\u202Eb\u2066c\u200Fd":     "a\uFFFDb\uFFFDc\uFFFDd",
		"line\nbreak\x00\u2028\x1b[": "line\uFFFDbreak\uFFFD\uFFFD\uFFFD[",
		"12345678901234567890xyz":    "12345678901234567890…",
		"bad\xff":                    "bad\uFFFD",
	} {
		if got := clean(in, 20); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
