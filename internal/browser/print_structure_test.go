package browser

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// printed is a PDF's objects by number, as Chromium writes them: each in plain
// text, only streams packed (ISO 32000-2, 7.3.10).
type printed map[int]string

var (
	pdfObject = regexp.MustCompile(`(?s)(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj`)
	pdfRef    = regexp.MustCompile(`(\d+) 0 R`)
)

func readPDF(raw []byte) printed {
	d := printed{}
	for _, m := range pdfObject.FindAllSubmatch(raw, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		text, _, _ := bytes.Cut(m[2], []byte(" stream\n"))
		d[n] = string(text)
	}
	return d
}

// of finds the object of a type.
func (d printed) of(kind string) string {
	for _, text := range d {
		if regexp.MustCompile(`^<</Type /` + kind + `\b`).MatchString(text) {
			return text
		}
	}
	return ""
}

// value is what stands behind a key, up to the line's end.
func value(object, key string) string {
	_, after, found := strings.Cut(object, "/"+key+" ")
	if !found {
		return ""
	}
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSuffix(line, ">>")
}

// follow is the object a key refers to; empty where there is none.
func (d printed) follow(object, key string) string {
	if m := pdfRef.FindStringSubmatch(value(object, key)); m != nil {
		n, _ := strconv.Atoi(m[1])
		return d[n]
	}
	return ""
}

// said reads a text string (7.9.2.2).
func said(s string) string {
	if inner, ok := strings.CutPrefix(s, "("); ok {
		return strings.NewReplacer(`\(`, "(", `\)`, ")", `\\`, `\`).Replace(strings.TrimSuffix(inner, ")"))
	}
	raw, err := hex.DecodeString(strings.Trim(s, "<>"))
	if err != nil || len(raw) < 2 || len(raw)%2 != 0 {
		return s
	}
	var units []uint16
	for i := 2; i < len(raw); i += 2 { // a byte order mark comes first
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	return string(utf16.Decode(units))
}

// outline lists the titles below an item of the outline, deeper ones after it.
func (d printed) outline(parent string, depth int) (titles []string) {
	for at := d.follow(parent, "First"); at != "" && len(titles) < 500; at = d.follow(at, "Next") {
		titles = append(titles, strings.Repeat(" ", depth)+said(value(at, "Title")))
		titles = append(titles, d.outline(at, depth+1)...)
	}
	return titles
}

// roles counts the structure's elements by their type, from an object down.
func (d printed) roles(object string, into map[string]int) {
	if role := value(object, "S"); strings.HasPrefix(role, "/") {
		into[role[1:]]++
	}
	for _, m := range pdfRef.FindAllStringSubmatch(value(object, "K"), -1) {
		n, _ := strconv.Atoi(m[1])
		if kid := d[n]; strings.Contains(kid, "/Type /StructElem") {
			d.roles(kid, into)
		}
	}
}

// checkStructure looks for what assistive technology needs of a report's PDF: tags
// with their roles from the root down, title, language and an outline (PDF/UA-1, 7).
func checkStructure(t *testing.T, raw []byte) {
	t.Helper()
	d := readPDF(raw)
	catalog := d.of("Catalog")
	if !bytes.HasPrefix(raw, []byte("%PDF-1.")) || catalog == "" {
		t.Fatalf("no PDF, or none that can be read: %d objects in %d bytes", len(d), len(raw))
	}
	if lang := said(value(catalog, "Lang")); lang != "en" {
		t.Errorf("language %q", lang)
	}
	for _, want := range []string{"/Marked true", "/DisplayDocTitle true"} {
		if !strings.Contains(catalog, want) {
			t.Errorf("the catalog lacks %s: %s", want, catalog)
		}
	}
	titled := slices.ContainsFunc(mapValues(d), func(o string) bool {
		return strings.Contains(o, "/Producer") && said(value(strings.TrimPrefix(o, "<<"), "Title")) == "Report on rowing.example"
	})
	if !titled {
		t.Error("the document has no title")
	}
	roles := map[string]int{}
	d.roles(d.follow(catalog, "StructTreeRoot"), roles)
	for role, least := range map[string]int{"Document": 1, "H1": 1, "H2": 8, "H3": 10, "P": 10, "Table": 5, "Caption": 5, "TR": 30, "TH": 30, "TD": 60, "L": 10, "LI": 30, "Link": 20} {
		if roles[role] < least {
			t.Errorf("%d elements of the role %s, want %d at least: %v", roles[role], role, least, roles)
		}
	}
	titles := d.outline(d.follow(catalog, "Outlines"), 0)
	if len(titles) < 20 || !strings.Contains(titles[0], "rowing.example") || !slices.Contains(titles, " Summary") || !slices.Contains(titles, "  Images must have alternative text") {
		t.Errorf("outline %q", titles)
	}
}

func mapValues(d printed) (out []string) {
	for _, text := range d {
		out = append(out, text)
	}
	return out
}
