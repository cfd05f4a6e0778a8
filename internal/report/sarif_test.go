package report

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

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
