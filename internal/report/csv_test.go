package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"unicode"

	"visite/schema"
)

func table(t *testing.T, raw []byte) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		out = append(out, row)
	}
	return out
}

// proves C-47: the order of a brisk gait is told here too.
func TestCSV(t *testing.T) {
	counts := map[string]int{}
	for _, row := range table(t, rendered(t, sample(), sampleScan(), FormatCSV)) {
		counts[row["record"]]++
		switch {
		case row["record"] == "note" && !strings.Contains(row["detail"], "briskly"):
			t.Errorf("note %q", row["detail"])
		case row["rule"] == "button-name" && (row["url"] != sampleSite+"/gallery" || row["wcag"] != "4.1.2" || row["severity"] != "critical" || row["selector"] != "button.next" || row["result"] != "failed"):
			t.Errorf("%v", row)
		}
	}
	if counts["scan"] != 1 || counts["page"] != 17 || counts["finding"] != 19 || counts["link"] != 6 || counts["note"] != 1 {
		t.Errorf("records %v", counts)
	}
}

// What was not looked at is told by every format that has room for notes, not only by
// the page for people. (EARL asserts what was tested and nothing else.)
func TestFormatsTellWhatWasNotLookedAt(t *testing.T) {
	scan, src := sampleScan(), sample()
	scan.Engine = schema.EngineHTTP
	src.pages[0].TrackersBy, src.pages[1].Notes = schema.TrackersByNames, []string{schema.NoteValidityUnchecked}
	for _, format := range []Format{FormatCSV, FormatSARIF, FormatJUnit, FormatHTML} {
		got := string(rendered(t, src, scan, format))
		for _, want := range []string{"loaded without a browser", "On one page trackers were told by the names", "On one page it was not checked, or not to the end, whether the HTML is valid"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not tell %q", format, want)
			}
		}
	}
}

// inert fails where a spreadsheet could take a cell for more than text.
func inert(t *testing.T, row map[string]string) {
	t.Helper()
	for name, cell := range row {
		bare := strings.TrimLeft(cell, " \uFFFD\t\r\n")
		if bare != "" && strings.ContainsRune("=+-@\uFF1D\uFF0B\uFF0D\uFF20|%", []rune(bare)[0]) {
			t.Errorf("%s begins a formula: %.40q", name, cell)
		}
		if len([]rune(cell)) > csvCell+2 {
			t.Errorf("%s has %d characters", name, len([]rune(cell)))
		}
		for _, r := range cell {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%s holds %U", name, r)
			}
		}
	}
}

// W04: text of a visited page stays text in a spreadsheet.
func TestCSVIsNoFormula(t *testing.T) {
	src, scan := hostile()
	for _, row := range table(t, rendered(t, src, scan, FormatCSV)) {
		inert(t, row)
	}
	for in, want := range map[string]string{"a-b": "a-b", "-1": "'-1", " =1": "' =1", "\t=1": "'\uFFFD=1", "": "", "  ": "  ", "＝1": "'＝1"} {
		if got := csvText(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
