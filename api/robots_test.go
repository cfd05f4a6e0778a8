package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/api"
	"visite/schema"
)

// fakeRobots answers for the door.
type fakeRobots struct {
	asked []api.RobotsQuestion
	rest  time.Time
	err   error
	kept  api.RobotsVerdict
}

func (f *fakeRobots) KnownRobots(context.Context, schema.Profile, string) (api.RobotsVerdict, bool, error) {
	return f.kept, f.kept.Source != "", nil
}

func (f *fakeRobots) ExplainRobots(_ context.Context, q api.RobotsQuestion) ([]api.RobotsVerdict, time.Time, error) {
	f.asked = append(f.asked, q)
	var out []api.RobotsVerdict
	for _, address := range q.Addresses {
		out = append(out, api.RobotsVerdict{URL: address, Allow: true, Source: "test"})
	}
	return out, f.rest, f.err
}

func TestRobotsAreExplained(t *testing.T) {
	robots := &fakeRobots{}
	e := newEdge(t, func(o *api.Options) { o.Robots, o.Contact = robots, "bots@visite.example" })
	token := e.workspace("w")
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf("https://example.com/%s/%d", strings.Repeat("long", 400), i)
	}
	var answer api.RobotsAnswer
	e.call("POST", "/v1/robots:explain", token, map[string]any{"urls": many}).want(200, &answer)
	if len(answer.Items) != 1000 || answer.Items[999].URL != many[999] {
		t.Fatalf("%d answers", len(answer.Items))
	}
	q := robots.asked[0]
	if q.Given || !slices.Equal(q.Tokens, []string{"visite"}) || q.WorkspaceID == "" || q.Profile.Name != "visite" || q.Profile.Contact != "bots@visite.example" {
		t.Errorf("asked %+v", q)
	}
	e.call("POST", "/v1/robots:explain", token, map[string]any{"urls": []string{"anything at all"}, "robots": "User-agent: *\nDisallow: /x", "agents": []string{"Googlebot", "x"}, "profile": "conregio"}).want(200, nil)
	if q := robots.asked[1]; !q.Given || q.Robots != "User-agent: *\nDisallow: /x" || !slices.Equal(q.Tokens, []string{"Googlebot", "x"}) || q.Profile.Name != "conregio" {
		t.Errorf("asked %+v", q)
	}
	text := string(e.call("POST", "/v1/robots:explain", token, map[string]any{"urls": []string{"https://example.com/"}}).want(200, nil).body)
	if want := `{"items":[{"url":"https://example.com/","allow":true,"group":"","rule":"","line":0,"crawl_delay_s":null,"star_allow":false,"source":"test"}]}`; strings.TrimSpace(text) != want {
		t.Errorf("answer %s, want %s", text, want)
	}
}

func TestRobotsQuestionsThatAreDeclined(t *testing.T) {
	robots := &fakeRobots{}
	e := newEdge(t, func(o *api.Options) { o.Robots = robots })
	token := e.workspace("w")
	e.call("POST", "/v1/robots:explain", "", map[string]any{"urls": []string{"https://example.com/"}}).problem(401, "token-missing")
	for _, c := range []struct {
		body        map[string]any
		code, field string
	}{
		{map[string]any{"urls": []string{"https://a.example/", "nonsense"}}, "url-syntax", "/urls/1"},
		{map[string]any{"urls": []string{"ftp://a.example/"}}, "url-syntax", "/urls/0"},
		{map[string]any{"urls": []string{"https://inside.example/"}}, "guarded-address", "/urls/0"},
		{map[string]any{"urls": []string{"https://a.example:22/"}}, "port-not-web", "/urls/0"},
		{map[string]any{"urls": []string{"https://a.example/", "https://b.example/", "http://a.example/", "https://c.example/", "https://d.example/", "https://e.example/"}}, "too-many-origins", "/urls"},
		{map[string]any{"urls": []string{"https://a.example/"}, "profile": "nobody"}, "profile-unknown", "/profile"},
		{map[string]any{"urls": []string{"https://a.example/"}, "profile": "loopback"}, "profile-loopback-only", "/profile"},
		{map[string]any{"urls": []string{"https://a.example/"}, "agents": []string{""}}, "invalid-field", "/agents/0"},
		{map[string]any{"urls": []string{}}, "invalid-field", "/urls"},
		{map[string]any{"urls": slices.Repeat([]string{"https://a.example/"}, 1001)}, "invalid-field", "/urls"},
	} {
		if f := fieldOf(t, e.call("POST", "/v1/robots:explain", token, c.body).want(422, nil).asProblem()); f.Code != c.code || f.Pointer != c.field {
			t.Errorf("%+v, want %s at %s", f, c.code, c.field)
		}
	}
	if len(robots.asked) != 0 {
		t.Errorf("%d questions reached the door", len(robots.asked))
	}
	e.call("POST", "/v1/robots:explain", token, strings.Repeat(" ", 3<<20+1)+"{}").problem(413, "body-too-large")
	robots.rest = time.Now().Add(90 * time.Second)
	a := e.call("POST", "/v1/robots:explain", token, map[string]any{"urls": []string{"https://a.example/"}})
	if a.problem(429, "host-resting"); a.header.Get("Retry-After") != "90" {
		t.Errorf("Retry-After %q, want 90", a.header.Get("Retry-After"))
	}
	robots.err = &schema.Refusal{Kind: schema.RefusalForbidden, Field: "/urls", Code: "host-not-visited", Detail: "No.", Remedy: "Leave it."}
	e.call("POST", "/v1/robots:explain", token, map[string]any{"urls": []string{"https://a.example/"}}).problem(403, "host-not-visited")
}
