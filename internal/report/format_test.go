package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

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

// W04: text of a visited page stays text in a spreadsheet.
func TestCSVIsNoFormula(t *testing.T) {
	src, scan := hostile()
	for _, row := range table(t, rendered(t, src, scan, FormatCSV)) {
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
	for in, want := range map[string]string{"a-b": "a-b", "-1": "'-1", " =1": "' =1", "\t=1": "'\uFFFD=1", "": "", "  ": "  ", "＝1": "'＝1"} {
		if got := csvText(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// sarifStandard is the standard's own schema, which a library for SARIF brings.
var sarifStandard = sync.OnceValues(func() (*jsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "pkg/report/v210/sarif/schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	text := file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Trim(text, "`")))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(sarifSchema, doc); err != nil {
		return nil, err
	}
	return c.Compile(sarifSchema)
})

// sarifOf reads a SARIF log strictly and validates it against the standard's schema.
func sarifOf(t *testing.T, raw []byte) *sarif.Report {
	t.Helper()
	check, err := sarifStandard()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Validate(value); err != nil {
		t.Fatalf("%v in %.2000s", err, raw)
	}
	var log sarif.Report
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&log); err != nil {
		t.Fatalf("%v in %.2000s", err, raw)
	}
	return &log
}

func TestSARIF(t *testing.T) {
	run := sarifOf(t, rendered(t, sample(), sampleScan(), FormatSARIF)).Runs[0]
	if len(run.Results) != 19 || len(run.Tool.Driver.Rules) != 13 {
		t.Fatalf("%d results of %d rules", len(run.Results), len(run.Tool.Driver.Rules))
	}
	kinds := map[string]int{}
	for _, r := range run.Results {
		kinds[r.Kind+" "+r.Level]++
		if len(r.Locations) != 1 || r.Locations[0].PhysicalLocation == nil {
			t.Errorf("%s stands nowhere", *r.RuleID)
		}
	}
	if kinds["review none"] != 1 || kinds["fail error"] != 10 || kinds["fail warning"] != 5 || kinds["fail note"] != 3 {
		t.Errorf("%v", kinds)
	}
	if in := run.Invocations[0]; !*in.ExecutionSuccessful || len(in.ToolExecutionNotifications) < 6 {
		t.Errorf("invocation %+v", in)
	}
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

func TestEARL(t *testing.T) {
	doc, err := os.ReadFile("testdata/earl.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("earl.json", value); err != nil {
		t.Fatal(err)
	}
	check, err := c.Compile("earl.json")
	if err != nil {
		t.Fatal(err)
	}
	rudely, rudeScan := hostile()
	for name, raw := range map[string][]byte{"sample": rendered(t, sample(), sampleScan(), FormatEARL), "hostile": rendered(t, rudely, rudeScan, FormatEARL)} {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	raw := string(rendered(t, sample(), sampleScan(), FormatEARL))
	for want, n := range map[string]int{`"outcome":"earl:untested"`: 6, `"outcome":"earl:passed"`: 1, `"outcome":"earl:cantTell"`: 1, `"outcome":"earl:failed"`: 28} {
		if got := strings.Count(raw, want); got != n {
			t.Errorf("%d times %s, want %d", got, want, n)
		}
	}
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name                             string `xml:"name,attr"`
	Tests, Failures, Errors, Skipped int
	Attrs                            []xml.Attr  `xml:",any,attr"`
	Cases                            []junitTest `xml:"testcase"`
}

type junitTest struct {
	Class   string  `xml:"classname,attr"`
	Name    string  `xml:"name,attr"`
	Failure *string `xml:"failure"`
	Error   *string `xml:"error"`
	Skipped *string `xml:"skipped"`
	Output  *string `xml:"system-out"`
}

// junitOf reads JUnit XML strictly: only known elements, and counts that are right.
func junitOf(t *testing.T, raw []byte) junitSuites {
	t.Helper()
	allowed := map[string]string{"testsuites": "", "testsuite": "testsuites", "testcase": "testsuite", "failure": "testcase", "error": "testcase", "skipped": "testcase", "system-out": "testcase"}
	d := xml.NewDecoder(bytes.NewReader(raw))
	var path []string
	for {
		part, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch e := part.(type) {
		case xml.StartElement:
			parent := ""
			if len(path) > 0 {
				parent = path[len(path)-1]
			}
			if want, ok := allowed[e.Name.Local]; !ok || want != parent {
				t.Fatalf("%s within %q", e.Name.Local, parent)
			}
			path = append(path, e.Name.Local)
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
	var out junitSuites
	if err := xml.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	for i := range out.Suites {
		s := &out.Suites[i]
		for _, a := range s.Attrs {
			for name, into := range map[string]*int{"tests": &s.Tests, "failures": &s.Failures, "errors": &s.Errors, "skipped": &s.Skipped} {
				if a.Name.Local == name {
					if err := json.Unmarshal([]byte(a.Value), into); err != nil {
						t.Errorf("%s=%q", name, a.Value)
					}
				}
			}
		}
		failed, skipped := 0, 0
		for _, c := range s.Cases {
			if c.Class == "" || c.Name == "" {
				t.Errorf("%s: a case without a name", s.Name)
			}
			if c.Failure != nil {
				failed++
			}
			if c.Skipped != nil {
				skipped++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failed || s.Skipped != skipped || len(s.Cases) == 0 {
			t.Errorf("%s: %d tests, %d failures, %d skipped do not match its cases", s.Name, s.Tests, s.Failures, s.Skipped)
		}
	}
	return out
}

func TestJUnit(t *testing.T) {
	out := junitOf(t, rendered(t, sample(), sampleScan(), FormatJUnit))
	if len(out.Suites) != 18 {
		t.Fatalf("%d suites", len(out.Suites))
	}
	boats := out.Suites[3]
	if boats.Name != sampleSite+"/boats" || boats.Failures != 1 || !strings.Contains(*boats.Cases[0].Failure, "p.faint 1.83:1, at least 4.5:1\ntd:nth-child(4)") {
		t.Errorf("%+v", boats)
	}
	rudely, rudeScan := hostile()
	junitOf(t, rendered(t, rudely, rudeScan, FormatJUnit))
}

func TestHostileSARIF(t *testing.T) {
	src, scan := hostile()
	raw := rendered(t, src, scan, FormatSARIF)
	run := sarifOf(t, raw).Runs[0]
	for _, r := range run.Results {
		if len([]rune(*r.Message.Text)) > 2001 || strings.ContainsAny(*r.Message.Text, "\u202E\u2066\x00\x1b\n") {
			t.Errorf("message %.80q", *r.Message.Text)
		}
	}
	if len(raw) > 200_000 {
		t.Errorf("%d bytes", len(raw))
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
