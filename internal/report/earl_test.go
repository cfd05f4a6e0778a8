package report

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

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
