package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"visite/api"
	"visite/api/client"
)

func TestOpenAPIHasNotDrifted(t *testing.T) {
	made, err := api.SpecYAML()
	check(t, err)
	committed, err := os.ReadFile("openapi.yaml")
	check(t, err)
	if !bytes.Equal(made, committed) {
		t.Error("openapi.yaml is not what the code says: run go generate ./api and look at the difference")
	}
	if !strings.Contains(string(made), "\nopenapi: 3.1.0\n") {
		t.Error("the description is not of OpenAPI 3.1")
	}
}

func TestGeneratedClientKnowsEveryOperation(t *testing.T) {
	source, err := os.ReadFile("client/client.gen.go")
	check(t, err)
	for path, operations := range description(t).Paths {
		for method, op := range operations {
			var name strings.Builder
			for part := range strings.SplitSeq(op.OperationID, "-") {
				name.WriteString(strings.ToUpper(part[:1]) + part[1:])
			}
			if !strings.Contains(string(source), "func NewClientWithResponses") || !strings.Contains(string(source), ") "+name.String()+"WithResponse(") {
				t.Errorf("%s %s: the client has no %s; run go generate ./api", method, path, name.String())
			}
		}
	}
}

func TestGeneratedClientWorks(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	withToken := client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	})
	c, err := client.NewClientWithResponses(e.server.URL, withToken)
	check(t, err)
	contact := "webmaster@example.org"
	ordered, err := c.OrderScanWithResponse(t.Context(), &client.OrderScanParams{}, client.ScanOrder{URL: "https://example.com/", Contact: &contact})
	check(t, err)
	if ordered.JSON202 == nil || ordered.JSON202.MaxPages != 3 {
		t.Fatalf("%d: %s", ordered.StatusCode(), ordered.Body)
	}
	shown, err := c.GetScanWithResponse(t.Context(), ordered.JSON202.ID)
	check(t, err)
	if shown.JSON200 == nil || shown.JSON200.URL != "https://example.com/" || shown.JSON200.Progress == nil {
		t.Errorf("%d: %s", shown.StatusCode(), shown.Body)
	}
	missing, err := c.GetScanWithResponse(t.Context(), "absent")
	check(t, err)
	if p := missing.ApplicationProblemJSON404; p == nil || p.Type != "/problems/not-found" || p.Remedy == nil {
		t.Errorf("%d: %s", missing.StatusCode(), missing.Body)
	}
}

func TestDescriptionIsServed(t *testing.T) {
	e := newEdge(t)
	a := e.call("GET", "/openapi.yaml", "", nil).want(200, nil)
	made, err := api.SpecYAML()
	check(t, err)
	if !bytes.Equal(a.body, made) {
		t.Error("/openapi.yaml is not the description")
	}
	var spec map[string]any
	e.call("GET", "/openapi.json", "", nil).want(200, &spec)
	if spec["openapi"] != "3.1.0" {
		t.Errorf("openapi %v", spec["openapi"])
	}
}

// The documentation is readable without a network and without scripts.
func TestDocsWorkOffline(t *testing.T) {
	e := newEdge(t)
	a := e.call("GET", "/docs", "", nil).want(200, nil)
	page := string(a.body)
	if found := regexp.MustCompile(`(?i)(src|href|url\(|@import)\s*[=(]?\s*["']?(https?:)?//`).FindString(page); found != "" {
		t.Errorf("the page loads %q", found)
	}
	if strings.Contains(page, "<script") || strings.Contains(a.header.Get("Content-Security-Policy"), "http") {
		t.Error("the page needs scripts or other hosts")
	}
	root, err := html.Parse(strings.NewReader(page))
	check(t, err)
	ids, links := map[string]int{}, []string{}
	for n := range root.Descendants() {
		for _, attribute := range n.Attr {
			switch attribute.Key {
			case "id":
				ids[attribute.Val]++
			case "href":
				links = append(links, attribute.Val)
			}
		}
	}
	for _, operations := range description(t).Paths {
		for _, op := range operations {
			if ids[op.OperationID] != 1 {
				t.Errorf("operation %s is described %d times", op.OperationID, ids[op.OperationID])
			}
		}
	}
	for _, link := range links {
		if target, inside := strings.CutPrefix(link, "#"); inside {
			if ids[target] != 1 {
				t.Errorf("%s leads to %d places", link, ids[target])
			}
			continue
		}
		e.call("GET", link, "", nil).want(200, nil)
	}
	a = e.call("GET", "/", "", nil).want(302, nil)
	if a.header.Get("Location") != "/bot" {
		t.Errorf("/ leads to %q", a.header.Get("Location"))
	}
}

// Readers see at once which token opens an operation, what a body must have, and
// where the local stack's token is.
func TestDocsSayWhatIsNeeded(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.PublicURL = "http://127.0.0.1:8480" })
	root, err := html.Parse(strings.NewReader(string(e.call("GET", "/docs", "", nil).want(200, nil).body)))
	check(t, err)
	parts := map[string]string{}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if key := a.Val; a.Key == "id" || a.Key == "aria-labelledby" {
				parts[key] = wordsOf(n)
			}
		}
	}
	for part, wants := range map[string][]string{
		"create-workspace": {"operator only needs the operator's bootstrap secret", "Body: WorkspaceOrder, needs name"},
		"go-briskly":       {"operator only needs the operator's bootstrap secret"},
		"order-scan":       {"needs the workspace's token", "Body: ScanOrder, needs url"},
		"begin":            {"To begin with"},
	} {
		for _, want := range wants {
			if !strings.Contains(parts[part], want) {
				t.Errorf("%s does not say %q: %q", part, want, parts[part])
			}
		}
	}
	for _, want := range []string{"visite up has made a workspace already", "the file token in the data folder", "VISITE=http://127.0.0.1:8480 TOKEN=$(cat ~/.local/share/visite/token) curl $VISITE/v1/scans"} {
		if !strings.Contains(wordsOf(root), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// wordsOf is an element's text with single spaces.
func wordsOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// A problem's type leads to its explanation.
func TestProblemTypesAreExplained(t *testing.T) {
	e := newEdge(t)
	p := e.call("GET", "/v1/scans", "", nil).problem(401, "token-missing")
	a := e.call("GET", p.Type, "", nil).want(302, nil)
	if a.header.Get("Location") != "/docs#problem-token-missing" {
		t.Errorf("leads to %q", a.header.Get("Location"))
	}
	if page := e.call("GET", "/docs", "", nil); !strings.Contains(string(page.body), `id="problem-token-missing"`) {
		t.Error("the page does not explain it")
	}
	e.call("GET", "/problems/never-heard-of", "", nil).problem(404, "no-such-resource")
}

// Every operation says which problems it answers with, in our own form.
func TestEveryOperationDescribesItsProblems(t *testing.T) {
	for path, operations := range description(t).Paths {
		for method, op := range operations {
			for status, response := range op.Responses {
				if status[0] != '4' {
					continue
				}
				content, err := json.Marshal(response["content"])
				check(t, err)
				if !strings.Contains(string(content), "application/problem+json") || !strings.Contains(string(content), "schemas/Problem") {
					t.Errorf("%s %s %s: %s", method, path, status, content)
				}
			}
		}
	}
}
