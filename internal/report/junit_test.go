package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

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
