package endtoend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"visite/internal/fixturesite"
	"visite/internal/pgcluster"
	"visite/internal/toolpath"
)

// stack is a data folder of the test's own, its local stack started by the
// first command that needs it.
type stack struct {
	t   *testing.T
	dir string
}

func localStack(t *testing.T) *stack {
	t.Helper()
	if _, err := toolpath.Temporal(); err != nil {
		skipOrFail(t, err)
	}
	if _, err := pgcluster.Find(); err != nil {
		skipOrFail(t, err)
	}
	dir, err := os.MkdirTemp("/tmp", "vs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL runs as another user where we are root
		t.Fatal(err)
	}
	s := &stack{t: t, dir: dir}
	t.Cleanup(func() {
		s.run("down")
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return s
}

func skipOrFail(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip(err)
}

func (s *stack) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "VISITE_DATA_DIR="+s.dir, "VISITE_HEARTBEAT_TIMEOUT=5s", "VISITE_TRACKER_LISTS=none")
	return cmd
}

// run runs a command to its end and gives its exit code and what it said.
func (s *stack) run(args ...string) (code int, out, errs string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := s.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

func TestScanCommandOnTheLocalStack(t *testing.T) {
	t.Parallel()
	s := localStack(t)
	site := fixturesite.Generated(6).Start(t)
	forbidden := fixturesite.New()
	forbidden.SetText("/robots.txt", "User-agent: *\nDisallow: /\n")
	forbidden.Start(t)

	file := filepath.Join(s.dir, "report.json")
	code, _, errs := s.run("scan", site.URL("/"), "--format", "json", "--output", file, "--fail-on", "none")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Pages) != 6 || r.Scan["state"] != "finished" || r.Scan["engine"] != "browser" {
		t.Errorf("%d pages, scan %v", len(r.Pages), r.Scan)
	}
	if !strings.Contains(r.Scan["user_agent"].(string), "Safari/537.36 Visite/1.0 (+") {
		t.Errorf("User-Agent %v", r.Scan["user_agent"])
	}

	for _, c := range []struct {
		name string
		args []string
		code int
		says string // on stdout or stderr
	}{
		{"a fault at the level", []string{"scan", site.URL("/"), "--engine", "http", "--fail-on", "critical"}, 1, "image-alt"},
		{"no fault at the level", []string{"scan", site.URL("/p/00001"), "--engine", "http", "--max-pages", "1", "--fail-on", "serious"}, 0, ""},
		{"HTML on stdout", []string{"scan", site.URL("/"), "--engine", "http", "--format", "html", "--fail-on", "none"}, 0, "<!doctype html>"},
		{"a site that forbids us", []string{"scan", forbidden.URL("/")}, 3, "robots"},
		{"not a scheme of the web", []string{"scan", "ftp://127.0.0.1/"}, 2, "http"},
		{"credentials", []string{"scan", "http://me:secret@127.0.0.1/"}, 2, "password"},
		{"no pages", []string{"scan", site.URL("/"), "--max-pages", "0"}, 2, "max-pages"},
		{"a million pages", []string{"scan", site.URL("/"), "--max-pages", "1000000"}, 2, "50000"},
		{"an unknown profile", []string{"scan", site.URL("/"), "--profile", "nobody"}, 2, "profile"},
		{"a private address", []string{"scan", "http://10.0.0.1/", "--contact", "me@example.org"}, 2, "address"},
		{"a foreign site without contact", []string{"scan", "http://192.0.2.1/"}, 2, ""},
		{"a folder that is not there", []string{"scan", site.URL("/"), "--output", filepath.Join(s.dir, "no", "report.html")}, 2, "no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(site.Arrivals()) + len(forbidden.Arrivals())
			code, out, errs := s.run(c.args...)
			if code != c.code {
				t.Errorf("exit %d, want %d: %s", code, c.code, errs)
			}
			if !strings.Contains(strings.ToLower(out+errs), c.says) {
				t.Errorf("says nothing of %q: %s%s", c.says, out, errs)
			}
			if after := len(site.Arrivals()) + len(forbidden.Arrivals()); c.code == 2 && after != before {
				t.Errorf("%d requests were sent for an order that was refused", after-before)
			}
		})
	}
	code, out, errs := s.run("robots", "explain", forbidden.URL("/x"), site.URL("/private/y"), site.URL("/p/00001"))
	if code != 0 {
		t.Errorf("robots explain: exit %d: %s", code, errs)
	}
	for i, want := range []string{`"allow":false`, `"allow":false`, `"allow":true`} {
		if lines := strings.Split(out, "\n"); len(lines) <= i || !strings.Contains(lines[i], want) {
			t.Errorf("robots explain, line %d: want %s in %s", i, want, out)
		}
	}
	for _, a := range forbidden.Arrivals() {
		if a.Path != "/robots.txt" {
			t.Errorf("%s came to a site that forbids us", a.Request())
		}
	}
	if code, out, _ := s.run("up"); code != 0 || !strings.Contains(out, "http://127.0.0.1") {
		t.Errorf("a second up: exit %d, %s", code, out)
	}
}

func TestInterruptedScanCommandWritesThePartialReport(t *testing.T) {
	t.Parallel()
	s := localStack(t)
	site := fixturesite.Generated(80).Start(t)
	file := filepath.Join(s.dir, "partial.json")
	cmd := s.command(t.Context(), "scan", site.URL("/"), "--engine", "http", "--output", file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(90 * time.Second); len(site.Arrivals()) < 8; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the scan does not get going")
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit %d, want 3", code)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	if r.Scan["partial"] != true || r.Scan["state"] != "cancelled" {
		t.Errorf("scan %v", r.Scan)
	}
	if late := site.Arrivals().After(at.Add(5 * time.Second)); len(late) > 0 {
		t.Errorf("%d requests came after the cancellation", len(late))
	}
}
