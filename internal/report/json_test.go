package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"visite/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func jsonOf(t *testing.T, src Source, scan schema.Scan) (raw []byte, value map[string]any) {
	t.Helper()
	var out bytes.Buffer
	if err := JSON(t.Context(), &out, src, scan, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &value); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	return out.Bytes(), value
}

func validate(t *testing.T, raw []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return compiled(t).Validate(v)
}

func TestJSONFollowsItsSchema(t *testing.T) {
	bare := sampleScan()
	bare.State, bare.BrowserVersion, bare.Contact = schema.ScanQueued, "", ""
	bare.Basis = schema.Basis{Kind: schema.BasisOwn}
	bare.StartedAt, bare.FinishedAt = time.Time{}, time.Time{}
	for name, c := range map[string]struct {
		src  *recorded
		scan schema.Scan
	}{"full": {sample(), sampleScan()}, "empty": {&recorded{}, bare}} {
		raw, _ := jsonOf(t, c.src, c.scan)
		if err := validate(t, raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// keysOf lists the paths of all keys of a document; list items are one path.
func keysOf(v any, at string, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, item := range v {
			path := strings.TrimPrefix(at+"."+k, ".")
			if at == "requests" || strings.HasSuffix(at, ".sharing") || strings.HasSuffix(at, ".hreflang") {
				path = at + ".*" // keys are data there
			}
			into[path] = true
			keysOf(item, path, into)
		}
	case []any:
		for _, item := range v {
			keysOf(item, at+"[]", into)
		}
	}
}

func sortedKeys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Keys are only ever added: one that is gone from the golden list fails here.
func TestNoKeyIsLost(t *testing.T) {
	_, doc := jsonOf(t, sample(), sampleScan())
	found := map[string]bool{}
	keysOf(doc, "", found)
	const golden = "testdata/keys.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(strings.Join(sortedKeys(found), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	promised := strings.Fields(string(data))
	if len(promised) < 80 {
		t.Fatalf("only %d keys are promised", len(promised))
	}
	for _, key := range promised {
		if !found[key] {
			t.Errorf("key %s is gone", key)
		}
		delete(found, key)
	}
	for _, key := range sortedKeys(found) {
		t.Errorf("key %s is new: add it to %s (go test -update)", key, golden)
	}
}

// The keys other tools were promised first.
func TestPromisedKeys(t *testing.T) {
	data, err := os.ReadFile("testdata/keys.golden")
	if err != nil {
		t.Fatal(err)
	}
	golden := strings.Fields(string(data))
	for at, keys := range map[string]string{
		"scan.":       "id site engine device state started_at finished_at profile",
		"pages[].":    "url final_url status outcome reason title words bytes ttfb_ms load_ms findings",
		"findings[].": "rule engine category severity outcome wcag act_rules selector help",
		"links[].":    "url verdict status found_on",
		"requests.*.": "count bytes max_in_flight",
	} {
		for _, k := range strings.Fields(keys) {
			if !slices.Contains(golden, at+k) {
				t.Errorf("%s%s is not among the golden keys", at, k)
			}
		}
	}
}

// Each key of the output stands in the schema with a description.
func TestSchemaDescribesEachKey(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(Schema, &doc); err != nil {
		t.Fatal(err)
	}
	_, out := jsonOf(t, sample(), sampleScan())
	describe(t, doc, doc, out, "")
}

func describe(t *testing.T, root, at map[string]any, v any, path string) {
	if target, ok := at["$ref"].(string); ok {
		at = root["$defs"].(map[string]any)[strings.TrimPrefix(target, "#/$defs/")].(map[string]any)
	}
	switch v := v.(type) {
	case map[string]any:
		props, _ := at["properties"].(map[string]any)
		for k, item := range v {
			sub, ok := props[k].(map[string]any)
			if more, free := at["additionalProperties"].(map[string]any); !ok && free {
				describe(t, root, more, item, path+".*")
				continue
			}
			if text, _ := sub["description"].(string); !ok || text == "" {
				t.Errorf("%s.%s is not described", path, k)
				continue
			}
			describe(t, root, sub, item, path+"."+k)
		}
	case []any:
		items, ok := at["items"].(map[string]any)
		if !ok {
			t.Errorf("%s: items are not described", path)
			return
		}
		for _, item := range v {
			describe(t, root, items, item, path+"[]")
		}
	}
}

// The schema lets keys be added and none be missing.
func TestSchemaCanFail(t *testing.T) {
	raw, _ := jsonOf(t, sample(), sampleScan())
	change := func(f func(map[string]any)) []byte {
		var doc map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		f(doc)
		out, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	page := func(d map[string]any) map[string]any { return d["pages"].([]any)[0].(map[string]any) }
	for name, c := range map[string]struct {
		change func(map[string]any)
		valid  bool
	}{
		"added keys":    {func(d map[string]any) { d["new"] = 1; page(d)["new"] = 1 }, true},
		"no requests":   {func(d map[string]any) { delete(d, "requests") }, false},
		"no title":      {func(d map[string]any) { delete(page(d), "title") }, false},
		"null findings": {func(d map[string]any) { page(d)["findings"] = nil }, false},
		"odd state":     {func(d map[string]any) { d["scan"].(map[string]any)["state"] = "asleep" }, false},
	} {
		if err := validate(t, change(c.change)); (err == nil) != c.valid {
			t.Errorf("%s: %v, want valid %v", name, err, c.valid)
		}
	}
}

func TestJSONValues(t *testing.T) {
	_, doc := jsonOf(t, sample(), sampleScan())
	var typed struct {
		Scan     Scan
		Pages    []Page
		Findings []Finding
		Links    []Link
		Requests map[string]Requests
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &typed); err != nil {
		t.Fatal(err)
	}
	if s := typed.Scan; s.Site != "https://rowing.example/" || s.Partial || s.Profile != "sitenorma" || s.Progress.Findings != 18 ||
		s.UserAgent != "… SiteNorma/1.0 (+https://sitenorma.com/rastreador/)" ||
		s.ClientUserAgent != "Mozilla/5.0 (compatible; SiteNorma/1.0; +https://sitenorma.com/rastreador/)" {
		t.Errorf("scan %+v", s)
	}
	if len(typed.Pages) != 17 || len(typed.Findings) != 19 || len(typed.Links) != 6 {
		t.Errorf("%d pages, %d findings, %d links", len(typed.Pages), len(typed.Findings), len(typed.Links))
	}
	if f := typed.Findings[2]; f.URL != sampleSite+"/about" || f.Rule != "heading-order" || f.WCAG == nil {
		t.Errorf("third finding %+v", f)
	}
	if r := typed.Requests["rowing.example"]; r.Count != 61 || r.Bytes != 1_432_910 || r.MaxInFlight != 7 || r.BusyMS != 31_000 || r.WaitedMS != 19_500 {
		t.Errorf("requests %+v", r)
	}
	for _, l := range typed.Links {
		if l.FoundOn == nil {
			t.Errorf("found_on of %s is null", l.URL)
		}
	}
}

func TestUnfinishedScansArePartial(t *testing.T) {
	for state, want := range map[schema.ScanState]bool{
		schema.ScanFinished: false, schema.ScanQueued: true, schema.ScanRunning: true, schema.ScanStopped: true,
		schema.ScanRefused: true, schema.ScanCancelled: true, schema.ScanFailed: true,
	} {
		s := sampleScan()
		s.State = state
		if got := documentScan(s, schema.Progress{}, nil).Partial; got != want {
			t.Errorf("%s: partial %v", state, got)
		}
	}
}

// counter is a writer that only counts.
type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

// The first pages are written before the last are read, and no reading asks for
// more than its stretch.
func TestJSONIsStreamed(t *testing.T) {
	src, out := large(3000), &counter{}
	var writtenAt []int
	src.asked = func(list string, r schema.Range) {
		if r.Limit > itemStretch || r.Limit < 1 {
			t.Errorf("%s: %d items asked for at once", list, r.Limit)
		}
		if list == "pages" {
			writtenAt = append(writtenAt, out.n)
		}
	}
	if err := JSON(t.Context(), out, src, sampleScan(), Options{}); err != nil {
		t.Fatal(err)
	}
	if len(writtenAt) != 3000/pageStretch+1 {
		t.Errorf("pages were read in %d stretches", len(writtenAt))
	}
	for i := 1; i < len(writtenAt)-1; i++ {
		if writtenAt[i+1] <= writtenAt[i] {
			t.Errorf("nothing was written between stretch %d and %d", i, i+1)
		}
	}
}

// failing is a writer whose visitor has left.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("gone") }

func TestJSONStopsWhereTheReaderLeft(t *testing.T) {
	src := large(3000)
	readings := 0
	src.asked = func(string, schema.Range) { readings++ }
	if err := JSON(t.Context(), failing{}, src, sampleScan(), Options{}); err == nil || err.Error() != "report: gone" {
		t.Errorf("%v", err)
	}
	if readings > 3 {
		t.Errorf("read on %d times", readings)
	}
}
