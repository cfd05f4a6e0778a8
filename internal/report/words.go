package report

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Lang is a language of the report's own words.
type Lang string

// Languages there are messages in.
const (
	English Lang = "en"
	German  Lang = "de"
	Spanish Lang = "es"
)

//go:embed messages/*.json
var messageFiles embed.FS

// catalogues are the messages by language and key.
var catalogues = sync.OnceValue(func() map[Lang]map[string]string {
	out := map[Lang]map[string]string{}
	for _, lang := range []Lang{English, German, Spanish} {
		data, err := messageFiles.ReadFile("messages/" + string(lang) + ".json")
		messages := map[string]string{}
		if err == nil {
			err = json.Unmarshal(data, &messages)
		}
		if err != nil {
			panic(err) // built into the program; a test reads them all
		}
		out[lang] = messages
	}
	return out
})

// Langs lists the languages of reports.
func Langs() []Lang { return slices.Sorted(maps.Keys(catalogues())) }

// words speaks one language.
type words struct {
	lang     Lang
	messages map[string]string
	printer  *message.Printer
	// rulePages is below which address rules are explained, without a slash at its
	// end; empty: nowhere that a report could name.
	rulePages string
}

func wordsOf(lang Lang) (words, error) {
	if lang == "" {
		lang = English
	}
	messages, ok := catalogues()[lang]
	if !ok {
		return words{}, fmt.Errorf("report: there are no messages in %q", lang)
	}
	return words{lang: lang, messages: messages, printer: message.NewPrinter(language.Make(string(lang)))}, nil
}

// t is the message of a key.
func (w words) t(key string, args ...any) (string, error) {
	m, ok := w.messages[key]
	if !ok {
		return "", fmt.Errorf("report: no message %q in %s", key, w.lang)
	}
	if len(args) == 0 {
		return m, nil
	}
	return fmt.Sprintf(m, args...), nil
}

// n is the message of a key for a number of things; the number is its first argument.
func (w words) n(key string, n int, args ...any) (string, error) {
	if n == 1 {
		key += ".one"
	} else {
		key += ".other"
	}
	if !strings.Contains(w.messages[key], "%") {
		return w.t(key)
	}
	return w.t(key, append([]any{w.num(n)}, args...)...)
}

// closed is the message for a value of a closed list; one without a message, from
// a newer record, is shown as it is.
func (w words) closed(list, value string) string {
	if m, ok := w.messages[list+"."+value]; ok {
		return m
	}
	return clean(strings.ReplaceAll(value, "_", " "), 80)
}

// Closed is closed in a language; English for one there are no messages in.
func Closed(lang Lang, list, value string) string {
	w, err := wordsOf(lang)
	if err != nil {
		w, _ = wordsOf(English)
	}
	return w.closed(list, value)
}

func (w words) num(n int) string { return w.printer.Sprint(number.Decimal(n)) }

func (w words) decimal(x float64) string {
	return w.printer.Sprint(number.Decimal(x, number.MaxFractionDigits(1)))
}

// size gives bytes in units of 1000.
func (w words) size(n int64) (string, error) {
	units := []string{"size.B", "size.kB", "size.MB", "size.GB"}
	x, i := float64(n), 0
	for ; x >= 999.95 && i < len(units)-1; i++ {
		x /= 1000
	}
	return w.t(units[i], w.decimal(x))
}

// span gives a duration in the unit a person would choose.
func (w words) span(d time.Duration) (string, error) {
	switch {
	case d < time.Second:
		return w.t("span.ms", w.num(int(d.Milliseconds())))
	case d < 2*time.Minute:
		return w.t("span.s", w.decimal(d.Seconds()))
	case d < 2*time.Hour:
		return w.t("span.min", w.decimal(d.Minutes()))
	}
	return w.t("span.h", w.decimal(d.Hours()))
}

func (w words) ms(ms float64) (string, error) {
	return w.span(time.Duration(ms * float64(time.Millisecond)))
}

// day is a date without its time.
func (w words) day(t time.Time) (string, error) {
	t = t.UTC()
	month, err := w.t(fmt.Sprintf("month.%d", t.Month()))
	if err != nil {
		return "", err
	}
	return w.t("day", fmt.Sprint(t.Day()), month, fmt.Sprint(t.Year()))
}

func (w words) date(t time.Time) (string, error) {
	t = t.UTC()
	month, err := w.t(fmt.Sprintf("month.%d", t.Month()))
	if err != nil {
		return "", err
	}
	return w.t("date", fmt.Sprint(t.Day()), month, fmt.Sprint(t.Year()), t.Format("15:04"))
}

// clean makes text from outside fit to be shown: at most limit characters, and
// none that steer the reading direction or the line.
func clean(s string, limit int) string {
	var b strings.Builder
	count := 0
	for _, r := range s {
		if count == limit {
			b.WriteRune('…')
			break
		}
		count++
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar {
			r = '\uFFFD'
		}
		b.WriteRune(r)
	}
	return b.String()
}
