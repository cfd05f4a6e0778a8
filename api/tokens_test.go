package api_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"visite/api"
	"visite/internal/pgtest"
	"visite/internal/postgres"
)

func TestWorkspaceTokenIsShownOnceAndKeptAsHash(t *testing.T) {
	pool := pgtest.DB(t)
	e := newEdge(t, func(o *api.Options) { o.Store = postgres.New(pool) })
	var w api.NewWorkspace
	e.call("POST", "/v1/workspaces", bootstrap, map[string]string{"name": "Acme"}).want(201, &w)
	if !regexp.MustCompile(`^vst_[A-Za-z0-9_-]{43}$`).MatchString(w.Token) || w.ID == "" || w.Name != "Acme" || w.CreatedAt.IsZero() {
		t.Errorf("%+v", w)
	}
	var hash []byte
	check(t, pool.QueryRow(t.Context(), `SELECT hash FROM tokens`).Scan(&hash))
	if sum := sha256.Sum256([]byte(w.Token)); !bytes.Equal(hash, sum[:]) {
		t.Error("what is kept is not the token's SHA-256")
	}
	e.call("GET", "/v1/sites", w.Token, nil).want(200, nil)
	var second api.NewWorkspace
	e.call("POST", "/v1/workspaces", bootstrap, map[string]string{"name": "Acme"}).want(201, &second)
	if second.Token == w.Token || second.ID == w.ID {
		t.Error("two workspaces are one")
	}
	_, err := pool.Exec(t.Context(), `UPDATE tokens SET revoked_at = now() WHERE workspace_id = $1`, w.ID)
	check(t, err)
	e.call("GET", "/v1/sites", w.Token, nil).problem(401, "token-unknown")
	if strings.Contains(e.logged(), w.Token) || strings.Contains(e.logged(), bootstrap) {
		t.Error("the log holds a token")
	}
}

func TestRequestsWithoutTheRightToken(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	for _, c := range []struct{ header, code string }{
		{"", "token-missing"}, {"Basic dTpw", "token-missing"}, {"Bearer ", "token-missing"}, {"Bearer " + strings.Repeat("x", 600), "token-missing"},
		{"Bearer vst_wrong", "token-unknown"}, {"Bearer " + bootstrap, "token-unknown"}, {"Bearer " + token + "x", "token-unknown"}, {"Bearer " + token[:20], "token-unknown"},
	} {
		a := e.call("GET", "/v1/scans", "", nil, "Authorization", c.header)
		a.problem(401, c.code)
		if got := a.header.Get("WWW-Authenticate"); got != `Bearer realm="visite"` {
			t.Errorf("WWW-Authenticate %q", got)
		}
	}
	e.call("GET", "/v1/scans", "", nil, "Authorization", "bearer "+token).want(200, nil)
	for _, sent := range []string{token, "vst_wrong", ""} {
		code := "token-unknown"
		if sent == "" {
			code = "token-missing"
		}
		p := e.call("POST", "/v1/workspaces", sent, map[string]string{"name": "x"}).problem(401, code)
		if !strings.Contains(p.Detail, "needs the operator's bootstrap secret") || !strings.Contains(p.Remedy, "VISITE_BOOTSTRAP_TOKEN") {
			t.Errorf("%q, %q", p.Detail, p.Remedy)
		}
	}
	// A token is asked for before the body is looked at.
	e.call("POST", "/v1/scans", "vst_wrong", "{", "Content-Type", "text/plain").problem(401, "token-unknown")
}

func TestWorkspacesAreClosedWithoutBootstrapSecret(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.BootstrapToken = "" })
	e.call("POST", "/v1/workspaces", "", map[string]string{"name": "x"}).problem(403, "bootstrap-off")
	e.call("POST", "/v1/workspaces", "anything", map[string]string{"name": "x"}).problem(403, "bootstrap-off")
}

func TestTooManyWrongTokens(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	for i := range 20 {
		e.call("GET", "/v1/scans", fmt.Sprint("vst_guess", i), nil).problem(401, "token-unknown")
	}
	a := e.call("GET", "/v1/scans", "vst_guess", nil)
	a.problem(429, "too-many-bad-tokens")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	// Guessing the bootstrap secret is over, even with the right one; a workspace's
	// token works on.
	e.call("POST", "/v1/workspaces", bootstrap, map[string]string{"name": "x"}).problem(429, "too-many-bad-tokens")
	e.call("GET", "/v1/scans", token, nil).want(200, nil)
}

func TestWorkspaceNames(t *testing.T) {
	e := newEdge(t)
	for _, name := range []any{"", strings.Repeat("n", 201), "a\x00b", "a\nb", 7} {
		p := e.call("POST", "/v1/workspaces", bootstrap, map[string]any{"name": name}).problem(422, "invalid-request")
		if f := fieldOf(t, p); f.Pointer != "/name" || f.Remedy == "" {
			t.Errorf("%v: %+v", name, f)
		}
	}
	var w api.NewWorkspace
	e.call("POST", "/v1/workspaces", bootstrap, map[string]any{"name": "Zoë & Co. 株式会社"}).want(201, &w)
	if w.Name != "Zoë & Co. 株式会社" {
		t.Errorf("name %q", w.Name)
	}
}
