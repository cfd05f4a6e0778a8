package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"visite/api"
)

// described is what the tests need of the API's description.
type described struct {
	Paths map[string]map[string]struct {
		OperationID string                      `yaml:"operationId"`
		Security    []map[string][]string       `yaml:"security"`
		Responses   map[string]map[string]any   `yaml:"responses"`
		Parameters  []struct{ Name, In string } `yaml:"parameters"`
	} `yaml:"paths"`
}

func description(t *testing.T) described {
	t.Helper()
	text, err := api.SpecYAML()
	check(t, err)
	var d described
	check(t, yaml.Unmarshal(text, &d))
	return d
}

// On every route that names an object, another workspace's object is answered
// just as one that does not exist.
func TestAnotherWorkspaceSeesNothing(t *testing.T) {
	e := newEdge(t)
	owner, stranger := e.workspace("owner"), e.workspace("stranger")
	scan := e.scan(owner, "http://localhost:4000/")
	e.record(scan.ID, 3)
	routes := 0
	for path, operations := range description(t).Paths {
		if !strings.Contains(path, "{id}") {
			continue
		}
		theirs := scan.ID
		if strings.HasPrefix(path, "/v1/sites/") {
			theirs = scan.SiteID
		}
		for method, op := range operations {
			if len(op.Security) == 0 {
				continue // open to everybody: TestEveryOperationAsksForAToken names them
			}
			if _, operators := op.Security[0]["operatorToken"]; operators {
				continue // no workspace's token opens it
			}
			routes++
			method = strings.ToUpper(method)
			path = strings.NewReplacer("{item}", "0123456789abcdef", "{page}", "1").Replace(path)
			var body any
			if method == "PUT" {
				body = map[string]any{"state": "open"}
				if strings.HasSuffix(path, "/previews") {
					body = map[string]any{"enabled": false}
				}
			}
			p := e.call(method, strings.Replace(path, "{id}", theirs, 1), stranger, body).problem(404, "not-found")
			absent := e.call(method, strings.Replace(path, "{id}", "01JZZZZZZZZZZZZZZZZZZZZZZZ", 1), stranger, body).problem(404, "not-found")
			odd := e.call(method, strings.Replace(path, "{id}", "%00%27", 1), stranger, body).problem(404, "not-found")
			p.RequestID, absent.RequestID, odd.RequestID = "", "", ""
			if asText(t, p) != asText(t, absent) || asText(t, p) != asText(t, odd) {
				t.Errorf("%s %s tells a stranger's object from none: %+v, %+v, %+v", method, path, p, absent, odd)
			}
			e.call(method, strings.Replace(path, "{id}", theirs, 1), "", body).problem(401, "token-missing")
		}
	}
	if routes < 8 {
		t.Errorf("only %d routes were tried", routes)
	}
	for _, list := range []string{"/v1/sites", "/v1/scans", "/v1/scans?site=" + scan.SiteID} {
		var found api.List[map[string]any]
		e.call("GET", list, stranger, nil).want(200, &found)
		if len(found.Items) != 0 {
			t.Errorf("%s shows a stranger %d objects", list, len(found.Items))
		}
	}
	if len(e.scans.cancelled) != 0 {
		t.Error("a stranger cancelled the scan")
	}
}

// Every operation but the open ones asks for a token.
func TestEveryOperationAsksForAToken(t *testing.T) {
	open := map[string]bool{"healthz": true, "readyz": true, "identify-request": true, "get-host": true, "prove-host": true, "object": true, "withdraw-objection": true, "order-free-analysis": true, "get-free-analysis": true, "get-free-report": true}
	for path, operations := range description(t).Paths {
		for method, op := range operations {
			if len(op.Security) == 0 && !open[op.OperationID] {
				t.Errorf("%s %s is open to everybody", method, path)
			}
		}
	}
}

func asText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	check(t, err)
	return string(text)
}
