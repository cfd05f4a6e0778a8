package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fakeAPI answers as the API does, with a scan whose course a test writes.
type fakeAPI struct {
	mu       sync.Mutex
	course   []string        // bodies of GET /v1/scans/s1, the last one repeated
	polls    int             // how often that was asked
	onPoll   func(n int)     // called before the answer, from 1
	refuse   string          // body of a 422 to the order
	failing  int             // orders answered 503 before one is taken
	keys     map[string]bool // Idempotency-Key of orders
	order    map[string]any
	previews map[string]any // as the site t1 was told
	report   string
	html     string
	cancels  int
	onCancel func(*fakeAPI)
}

const (
	running  = `{"id":"s1","state":"running","phase":"pages","max_pages":200,"progress":{"found":3,"done":1,"analysed":1,"not_analysed":0,"findings":2}}`
	finished = `{"id":"s1","state":"finished","phase":"done","max_pages":200,"progress":{"found":3,"done":3,"analysed":3,"not_analysed":0,"findings":2}}`
	token    = "vst_test"
)

// reportOf is a report of three pages with one failed finding of a severity and a question.
func reportOf(state, severity string) string {
	return fmt.Sprintf(`{"scan":{"id":"s1","site":"https://example.test/","engine":"http","device":"desktop","state":%q,"profile":"visite"},
"pages":[{"url":"https://example.test/","status":200,"outcome":"analysed","findings":[
{"rule":"image-alt","severity":%q,"outcome":"failed","title":"An image says nothing","help":"Describe the image"},
{"rule":"color-contrast","severity":"critical","outcome":"needs_review","help":"Look at it"}]},
{"url":"https://example.test/gone","status":0,"outcome":"not_analysed","reason":"timeout","findings":[]},
{"url":"https://example.test/old","status":200,"outcome":"redirected_in_scope","redirects":[{"url":"https://example.test/old","status":301}],"findings":[]}],
"links":[{"url":"https://example.test/lost","verdict":"broken","status":404,"found_on":["https://example.test/","https://example.test/a","https://example.test/b","https://example.test/c"],"pages":9}]}`, state, severity)
}

func newFakeAPI(t *testing.T) *fakeAPI {
	t.Helper()
	return &fakeAPI{course: []string{running, finished}, report: reportOf("finished", "serious"), html: "<!doctype html><title>r</title>", keys: map[string]bool{}}
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+token {
		problemAnswer(w, 401, `{"title":"No token","detail":"The token is unknown.","remedy":"Use another."}`)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "POST /v1/scans":
		f.takeOrder(w, r)
	case "POST /v1/sites":
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":"t1"}`)
	case "PUT /v1/sites/t1/previews":
		_ = json.NewDecoder(r.Body).Decode(&f.previews)
		fmt.Fprint(w, `{"enabled":true}`)
	case "GET /v1/scans/s1":
		f.polls++
		if f.onPoll != nil {
			f.onPoll(f.polls)
		}
		fmt.Fprint(w, f.course[min(f.polls, len(f.course))-1])
	case "POST /v1/scans/s1/cancel":
		f.cancels++
		if f.onCancel != nil {
			f.onCancel(f)
		}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, running)
	case "GET /v1/scans/s1/report":
		if r.Header.Get("Accept") == "text/html" {
			fmt.Fprint(w, f.html)
			return
		}
		if accept := r.Header.Get("Accept"); accept != "application/json" {
			fmt.Fprint(w, "report as "+accept+" in "+r.URL.Query().Get("lang"))
			return
		}
		fmt.Fprint(w, f.report)
	default:
		problemAnswer(w, 404, `{"title":"Not found"}`)
	}
}

func (f *fakeAPI) takeOrder(w http.ResponseWriter, r *http.Request) {
	f.keys[r.Header.Get("Idempotency-Key")] = true
	if f.refuse != "" {
		problemAnswer(w, 422, f.refuse)
		return
	}
	if f.failing > 0 {
		f.failing--
		problemAnswer(w, 503, `{"title":"Not ready"}`)
		return
	}
	f.order = nil
	if err := json.NewDecoder(r.Body).Decode(&f.order); err != nil {
		problemAnswer(w, 400, `{"title":"No JSON"}`)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprint(w, running)
}

func problemAnswer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

// serve lets the command line find the fake as its deployment.
func (f *fakeAPI) serve(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISITE_API", s.URL)
	t.Setenv("VISITE_TOKEN_FILE", file)
	return s
}

// serveAgain serves at an address that was ours before, until the test ends.
func (f *fakeAPI) serveAgain(t *testing.T, address string) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	s := &http.Server{Handler: f}
	t.Cleanup(func() { s.Close() })
	go s.Serve(l) // ends with Close
}

// outcome is what a command line left.
type outcome struct {
	code     int
	out, err string
}

func visite(t *testing.T, args ...string) outcome {
	t.Helper()
	return visiteWithInput(t, "", args...)
}

func visiteWithInput(t *testing.T, input string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := execute(context.Background(), args, streams{strings.NewReader(input), &out, &errs})
	return outcome{code, out.String(), errs.String()}
}

// wants checks an outcome's code and that each stream holds words.
func (o outcome) wants(t *testing.T, code int, words ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d; stderr: %s", o.code, code, o.err)
	}
	for _, w := range words {
		if !strings.Contains(o.err, w) {
			t.Errorf("stderr %q, want %q in it", o.err, w)
		}
	}
}
