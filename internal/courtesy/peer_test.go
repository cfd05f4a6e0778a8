package courtesy_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
)

// While a visit is under way, another user of the machine finds the run's proxy
// and gets nothing out of it; our own browser does.
func TestOtherUsersCannotUseARunsProxy(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can try it as somebody else")
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip(err)
	}
	site := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), free())))
	client := proxied(t, h.Door, pass)
	ask(t, client, "GET", site.URL("/"))
	site.Forget()
	const nobody = 65534
	for _, args := range [][]string{{}, {"--proxytunnel"}} {
		as := func(uid uint32) string {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, curl, append(args, "-s", "-o", "/dev/null", "-w", "%{http_code} %{http_connect}", "--noproxy", "", "-x", "http://"+pass.ProxyAddr(), site.URL("/style.css"))...)
			cmd.Dir, cmd.Env = "/", []string{"HOME=/"}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Skip(err) // no other users here
			}
			text, _ := io.ReadAll(out)
			_ = cmd.Wait() // ends with an error where it is refused
			return string(text)
		}
		if got := as(nobody); !strings.Contains(got, "403") || strings.Contains(got, "200") {
			t.Errorf("somebody else with %v got %q", args, got)
		}
		if n := len(site.Arrivals()); n != 0 {
			t.Errorf("for somebody else arrived %q", site.Arrivals().Requests())
		}
		if got := as(0); !strings.HasPrefix(got, "200") {
			t.Errorf("our own user with %v got %q", args, got)
		}
		site.Forget()
	}
	if resp, _ := ask(t, client, http.MethodGet, site.URL("/style.css")); resp.StatusCode != http.StatusOK {
		t.Errorf("our own: %d", resp.StatusCode)
	}
}
