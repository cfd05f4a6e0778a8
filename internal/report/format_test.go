package report

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"visite/schema"
)

// rude is what a hostile site may put into any field it fills.
const rude = "\u202E=cmd|'/c calc'!A1</title></system-out>]]><script>alert(1)</script>\u2066\x00\x1b\"',;\n\r\t"

func rendered(t *testing.T, src Source, scan schema.Scan, f Format) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := (Renderer{Source: src}).Render(t.Context(), &out, scan, Request{Format: f}); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return out.Bytes()
}

// hostile is the sample with rude text in everything.
func hostile() (*recorded, schema.Scan) {
	scan, src := sampleScan(), sample()
	long := rude + strings.Repeat("W", 200_000)
	scan.Contact, scan.Basis.Party, scan.BrowserVersion, scan.Profile.Info, scan.StateReason, scan.ScopeHost = rude, long, rude, "javascript:"+rude, rude, rude
	for i := range src.pages {
		p := &src.pages[i]
		p.Title, p.Description, p.BlockedBy, p.URL = long, long, rude, sampleSite+"/"+rude
		for k := range p.Findings {
			f := &p.Findings[k]
			f.Selector, f.Detail, f.Title, f.Help, f.WCAG, f.ACTRules = "="+long, "@"+long, "+"+rude, "-"+long, []string{rude}, []string{rude}
		}
	}
	for i := range src.links {
		src.links[i].Link.URL = "\uFF1Dhttp://x/" + long
	}
	src.brisk[0].Order.Reason = rude
	return src, scan
}

// nothing is a scan that could analyse no page.
func nothing() (*recorded, schema.Scan) {
	src := &recorded{}
	src.add(schema.Page{URL: sampleSite + "/", Outcome: schema.OutcomeNotAnalysed, Reason: schema.ReasonTimeout})
	return src, sampleScan()
}

// W06: zero checked is never zero problems, in any format.
func TestNothingCheckedIsNeverClean(t *testing.T) {
	src, scan := nothing()
	if in := sarifOf(t, rendered(t, src, scan, FormatSARIF)).Runs[0].Invocations[0]; *in.ExecutionSuccessful || in.ToolExecutionNotifications[0].Level != "error" {
		t.Errorf("SARIF: %+v", in)
	}
	if suites := junitOf(t, rendered(t, src, scan, FormatJUnit)); suites.Suites[0].Errors != 1 || suites.Suites[0].Cases[0].Error == nil {
		t.Errorf("JUnit: %+v", suites.Suites[0])
	}
	raw := string(rendered(t, src, scan, FormatEARL))
	if strings.Contains(raw, "earl:passed") || strings.Count(raw, `"outcome":"earl:untested"`) != 2 {
		t.Errorf("EARL: %s", raw)
	}
	rows := table(t, rendered(t, src, scan, FormatCSV))
	if rows[0]["pages"] != "0" || !strings.Contains(rows[1]["detail"], "No page could be analysed") {
		t.Errorf("CSV: %v", rows)
	}
}

// No format asks for more than a stretch at a time, nor keeps what it has written.
func TestFormatsOfLargeScansAreStreamed(t *testing.T) {
	src := large(3000)
	for range 3000 {
		src.pages[1].Findings = append(src.pages[1].Findings, src.pages[0].Findings[0])
	}
	src.asked = func(list string, r schema.Range) {
		if r.Limit > itemStretch || list == "pages" && r.Limit > pageStretch {
			t.Errorf("%s: %d items asked for at once", list, r.Limit)
		}
	}
	for _, f := range []Format{FormatCSV, FormatSARIF, FormatEARL, FormatJUnit} {
		w := &counting{}
		if err := (Renderer{Source: src}).Render(t.Context(), w, sampleScan(), Request{Format: f}); err != nil {
			t.Fatal(err)
		}
		if w.writes < 5 || w.largest > 128<<10 {
			t.Errorf("%s came in %d writes, the largest of %d bytes", f, w.writes, w.largest)
		}
	}
}

type counting struct{ writes, largest int }

func (c *counting) Write(b []byte) (int, error) {
	c.writes++
	c.largest = max(c.largest, len(b))
	return len(b), nil
}

type fakePrinter struct{ page []byte }

func (f *fakePrinter) Print(_ context.Context, w io.Writer, html []byte) error {
	f.page = html
	_, err := w.Write([]byte("%PDF-1.4"))
	return err
}

func TestPDFIsThePagePrinted(t *testing.T) {
	var out bytes.Buffer
	f := &fakePrinter{}
	if err := (Renderer{Source: sample(), Printer: f}).Render(t.Context(), &out, sampleScan(), Request{Format: FormatPDF, Lang: German}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "%PDF-1.4" || string(f.page) != htmlOf(t, sample(), sampleScan(), German) {
		t.Error("another page was printed")
	}
	if err := (Renderer{Source: sample()}).Render(t.Context(), &out, sampleScan(), Request{Format: FormatPDF}); !errors.Is(err, ErrNoPDF) {
		t.Errorf("%v", err)
	}
}

func TestFormatsHaveNames(t *testing.T) {
	for _, f := range Formats() {
		if back, ok := FormatOfMediaType(f.MediaType()); !ok || back != f {
			t.Errorf("%s: media type %q is %q", f, f.MediaType(), back)
		}
		if back, ok := FormatOfFile("report" + f.Suffix()); !ok || back != f {
			t.Errorf("%s: suffix %q is %q", f, f.Suffix(), back)
		}
	}
	for name, want := range map[string]Format{"a.sarif.json": FormatSARIF, "x.htm": FormatHTML, "b.json": FormatJSON, "c.txt": "", ".csv": ""} {
		if got, _ := FormatOfFile(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if err := (Renderer{Source: sample()}).Render(t.Context(), io.Discard, sampleScan(), Request{Format: "docx"}); err == nil {
		t.Error("a format that does not exist was rendered")
	}
}
