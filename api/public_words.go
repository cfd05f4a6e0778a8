package api

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

//go:embed public
var publicFiles embed.FS

// languageDefault is spoken to those who ask for none we have.
const languageDefault = "en"

// publicLanguages are those of the page for the visited, in its own order.
var publicLanguages = []string{"en", "de", "es"}

var languageMatcher = language.NewMatcher([]language.Tag{language.English, language.German, language.Spanish})

// languageFor chooses by what was asked for expressly, else by Accept-Language
// (RFC 9110 section 12.5.4).
func languageFor(asked, accept string) string {
	for _, code := range publicLanguages {
		if asked == code {
			return code
		}
	}
	tags, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(tags) == 0 {
		return languageDefault
	}
	_, i, confidence := languageMatcher.Match(tags...)
	if confidence == language.No {
		return languageDefault
	}
	return publicLanguages[i]
}

// phrases speaks one language.
type phrases struct {
	Lang     string
	messages map[string]string
	printer  *message.Printer
}

var catalogues = sync.OnceValue(func() map[string]phrases {
	out := map[string]phrases{}
	for _, code := range publicLanguages {
		data, err := publicFiles.ReadFile("public/" + code + ".json")
		messages := map[string]string{}
		if err == nil {
			err = json.Unmarshal(data, &messages)
		}
		if err != nil {
			panic(err) // built into the program; a test reads them all
		}
		out[code] = phrases{code, messages, message.NewPrinter(language.Make(code))}
	}
	return out
})

func publicWords(lang string) phrases { return catalogues()[lang] }

// has reports whether there is a message of that key.
func (p phrases) has(key string) bool { _, ok := p.messages[key]; return ok }

// T is the message of a key with its gaps filled.
func (p phrases) T(key string, args ...any) string {
	m, ok := p.messages[key]
	if !ok {
		panic(fmt.Sprintf("no message %q in %s", key, p.Lang)) // a test renders all
	}
	if len(args) == 0 {
		return m
	}
	return fmt.Sprintf(m, args...)
}

// Rich is T with `quoted` parts set as code.
func (p phrases) Rich(key string, args ...any) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(p.T(key, args...), "`") {
		if i%2 == 1 {
			b.WriteString("<code translate=\"no\">" + template.HTMLEscapeString(part) + "</code>")
		} else {
			b.WriteString(template.HTMLEscapeString(part))
		}
	}
	return template.HTML(b.String()) //nolint:gosec // every part is escaped above
}

// N is the message of a key for a number of things; the number is its first gap.
func (p phrases) N(key string, n int) string {
	if n == 1 {
		key += ".one"
	} else {
		key += ".other"
	}
	if !strings.Contains(p.messages[key], "%") {
		return p.T(key)
	}
	return p.T(key, p.number(float64(n)))
}

// Num is a whole number or a fraction as the language writes it.
func (p phrases) Num(x any) string {
	switch x := x.(type) {
	case int:
		return p.number(float64(x))
	case float64:
		return p.number(x)
	}
	panic(fmt.Sprintf("%T is no number", x)) // a test renders all
}

// Before is the part of a message before its one gap at the end.
func (p phrases) Before(key string) string { return strings.TrimSuffix(p.messages[key], "%s") }

func (p phrases) number(x float64) string {
	return p.printer.Sprint(number.Decimal(x, number.MaxFractionDigits(2)))
}

// Span is a duration in the largest unit that leaves no fraction below a tenth.
func (p phrases) Span(d time.Duration) string {
	unit, size := "span.s", time.Second
	switch {
	case d < time.Second:
		return p.T("span.ms", p.number(float64(d.Milliseconds())))
	case d >= 48*time.Hour && d%(24*time.Hour) == 0:
		unit, size = "span.d", 24*time.Hour
	case d >= 2*time.Hour && d%time.Hour == 0:
		unit, size = "span.h", time.Hour
	case d >= 2*time.Minute && d%time.Minute == 0:
		unit, size = "span.min", time.Minute
	}
	if d == size {
		return p.T(unit+".one", "1")
	}
	return p.T(unit+".other", p.number(float64(d)/float64(size)))
}

// moment is a time as an operator compares it with a log: always UTC.
func (p phrases) moment(t time.Time) string { return t.UTC().Format(time.DateTime) + " " + p.T("utc") }

// list joins things with the language's "and".
func (p phrases) list(things []string) string {
	if len(things) < 2 {
		return strings.Join(things, "")
	}
	return strings.Join(things[:len(things)-1], ", ") + " " + p.T("and") + " " + things[len(things)-1]
}
