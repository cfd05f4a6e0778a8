package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"visite/internal/pgcluster"
	"visite/internal/toolpath"
	"visite/workflows"
)

// The test binary is its own stack: started with "up", "worker" or "api" it
// plays that part, so that the processes are real and the parts small.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		play := map[string]func() error{"up": playUp, "worker": playWorker, "api": playAPI}[os.Args[1]]
		if play != nil {
			if err := play(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func playUp() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	folder, err := DataFolder(os.Getenv("VISITE_DATA_DIR"))
	if err != nil {
		return err
	}
	program, err := Program()
	if err != nil {
		return err
	}
	tell := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	err = Up(ctx, Options{Folder: folder, Program: program, Environ: os.Environ(), Tell: tell, Ready: func(s State) { tell("ready %s", s.API) }})
	if errors.Is(err, ErrRunning) {
		tell("runs already")
		return nil
	}
	return err
}

func playWorker() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if os.Getenv("LOCAL_TEST_WORKER") == "broken" {
		return errors.New("this worker cannot work")
	}
	c, err := client.Dial(client.Options{HostPort: os.Getenv("VISITE_TEMPORAL_ADDRESS")})
	if err != nil {
		return err
	}
	w := worker.New(c, workflows.QueueScan, worker.Options{})
	w.RegisterWorkflowWithOptions(func(workflow.Context) error { return nil }, workflow.RegisterOptions{Name: "Nothing"})
	if err := w.Start(); err != nil {
		return err
	}
	<-ctx.Done()
	w.Stop()
	return nil
}

func playAPI() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	token := "vst_of_" + filepath.Base(os.Getenv("VISITE_DATA_DIR"))
	bearer := func(r *http.Request) string {
		return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v1/sites", func(w http.ResponseWriter, r *http.Request) {
		if bearer(r) != token {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	mux.HandleFunc("POST /v1/workspaces", func(w http.ResponseWriter, r *http.Request) {
		if secret := os.Getenv("VISITE_BOOTSTRAP_TOKEN"); len(secret) < 16 || bearer(r) != secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"token":%q}`, token)
	})
	s := &http.Server{Addr: os.Getenv("VISITE_LISTEN"), Handler: mux}
	go func() { <-ctx.Done(); s.Close() }()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// needServices skips where the stack's programs are missing; under CI that is a fault.
func needServices(t *testing.T) {
	t.Helper()
	_, err := toolpath.Temporal()
	if _, pgErr := pgcluster.Find(); err == nil {
		err = pgErr
	}
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// upProcess is `up` as a process of its own.
type upProcess struct {
	cmd    *exec.Cmd
	folder Folder
	err    saying
	done   chan error
}

func startUp(t *testing.T, folder Folder, environ ...string) *upProcess {
	t.Helper()
	p := &upProcess{folder: folder, done: make(chan error, 1)}
	p.cmd = exec.Command(os.Args[0], "up")
	p.cmd.Env = append(append(os.Environ(), "VISITE_DATA_DIR="+string(folder)), environ...)
	p.cmd.Stderr = &p.err
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		_, _ = Down(context.Background(), folder)
	})
	return p
}

// saying collects what a process says while others read it.
type saying struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *saying) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *saying) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (p *upProcess) ready(t *testing.T) State {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	s, err := p.folder.WaitReady(ctx, func(string) {})
	if err != nil {
		t.Fatalf("%v\n%s", err, p.err.String())
	}
	return s
}

func (p *upProcess) ended(t *testing.T, within time.Duration) error {
	t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(within):
		t.Fatalf("`up` has not ended within %s\n%s", within, p.err.String())
		return nil
	}
}

// dataFolder is a folder that PostgreSQL's own user can reach.
func dataFolder(t *testing.T) Folder {
	t.Helper()
	dir, err := os.MkdirTemp("", "visite-local-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return Folder(filepath.Join(dir, "data"))
}

func alive(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(b), ") Z ")
}

func within(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", limit, what)
		}
	}
}

func TestStackFromStartToEnd(t *testing.T) {
	needServices(t)
	folder := dataFolder(t)
	up := startUp(t, folder)
	first := up.ready(t)

	if len(first.Children) != 4 {
		t.Errorf("children %v, want postgres, temporal, worker and api", first.Children)
	}
	token, err := first.Token()
	if err != nil || token != "vst_of_data" {
		t.Errorf("token %q, %v", token, err)
	}
	for _, file := range []string{first.TokenFile, folder.stateFile(), folder.temporalFile(), folder.logFile("worker")} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", file, info, err)
		}
	}

	second := startUp(t, folder)
	if err := second.ended(t, 20*time.Second); err != nil || !strings.Contains(second.err.String(), "runs already") {
		t.Errorf("second up: %v, said %q", err, second.err.String())
	}

	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	if found, err := Down(ctx, folder); !found || err != nil {
		t.Fatalf("down: %v, %v", found, err)
	}
	if err := up.ended(t, 5*time.Second); err != nil {
		t.Errorf("up ended with %v\n%s", err, up.err.String())
	}
	for name, pid := range first.Children {
		if alive(pid) {
			t.Errorf("%s (%d) lives on after down", name, pid)
		}
	}
	if found, err := Down(ctx, folder); found || err != nil {
		t.Errorf("second down: %v, %v; want nothing found", found, err)
	}

	again := startUp(t, folder).ready(t)
	if again.API != first.API || again.UI != first.UI || again.Temporal != first.Temporal {
		t.Errorf("addresses changed from %+v to %+v", first, again)
	}
	if token2, err := again.Token(); err != nil || token2 != token {
		t.Errorf("token changed from %q to %q, %v", token, token2, err)
	}
}

func TestKilledStackLeavesNoChildAndItsData(t *testing.T) {
	needServices(t)
	folder := dataFolder(t)
	up := startUp(t, folder)
	s := up.ready(t)
	startWorkflow(t, s.Temporal, "kept")

	if err := up.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for name, pid := range s.Children {
		within(t, 20*time.Second, name+" ends with its parent", func() bool { return !alive(pid) })
	}
	if _, found, err := folder.Running(); found || err != nil {
		t.Errorf("running after kill -9: %v, %v", found, err)
	}

	again := startUp(t, folder).ready(t)
	if again.PID == s.PID || again.API != s.API {
		t.Errorf("state after restart %+v, before %+v", again, s)
	}
	if !workflowKnown(t, again.Temporal, "kept") {
		t.Error("the workflow started before kill -9 is gone")
	}
}

func TestEndedPartIsStartedAgain(t *testing.T) {
	needServices(t)
	folder := dataFolder(t)
	up := startUp(t, folder)
	before := up.ready(t)
	for name, pid := range before.Children {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatalf("kill %s: %v", name, err)
		}
	}
	for name, pid := range before.Children {
		within(t, 60*time.Second, name+" serves again\n"+up.err.String(), func() bool {
			now, found, err := folder.Running()
			return err == nil && found && now.Children[name] != pid && alive(now.Children[name])
		})
	}
	within(t, 20*time.Second, "the API answers at its old address", func() bool {
		return checkReady(context.Background(), before.API) == nil
	})
	within(t, 20*time.Second, "Temporal answers at its old address", func() bool {
		return askTemporal(context.Background(), before.Temporal, checkPollers) == nil
	})
}

func TestFailingPartIsNamed(t *testing.T) {
	needServices(t)
	up := startUp(t, dataFolder(t), "LOCAL_TEST_WORKER=broken")
	err := up.ended(t, 90*time.Second)
	if err == nil {
		t.Fatal("up ended well although its worker cannot start")
	}
	for _, want := range []string{"worker: ended while starting", "this worker cannot work"} {
		if !strings.Contains(up.err.String(), want) {
			t.Errorf("up said %q, want %q in it", up.err.String(), want)
		}
	}
}

func TestEnsureStartsOneInTheBackground(t *testing.T) {
	needServices(t)
	folder := dataFolder(t)
	ctx, cancel := context.WithTimeout(context.Background(), 120*time.Second)
	defer cancel()
	tell := func(format string, args ...any) { t.Logf(format, args...) }
	s, started, err := Ensure(ctx, folder, os.Args[0], os.Environ(), tell)
	if err != nil || !started {
		t.Fatalf("started %v, %v", started, err)
	}
	t.Cleanup(func() { _, _ = Down(context.Background(), folder) })
	again, started, err := Ensure(ctx, folder, os.Args[0], os.Environ(), tell)
	if err != nil || started || again.PID != s.PID {
		t.Errorf("second: pid %d after %d, started %v, %v", again.PID, s.PID, started, err)
	}
}

func TestEnsureTellsWhyNoStackStarts(t *testing.T) {
	folder := dataFolder(t)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	environ := append(os.Environ(), toolpath.EnvTemporal+"=/nowhere/temporal")
	_, started, err := Ensure(ctx, folder, os.Args[0], environ, func(string, ...any) {})
	if !started || err == nil || !strings.Contains(err.Error(), "/nowhere/temporal is not a program") {
		t.Errorf("started %v, %v; want the log's last words", started, err)
	}
}

func startWorkflow(t *testing.T, address, id string) {
	t.Helper()
	c := dialTemporal(t, address)
	if _, err := c.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{ID: id, TaskQueue: workflows.QueueScan}, "Nothing"); err != nil {
		t.Fatal(err)
	}
}

func workflowKnown(t *testing.T, address, id string) bool {
	t.Helper()
	_, err := dialTemporal(t, address).DescribeWorkflow(context.Background(), id, "")
	return err == nil
}

func dialTemporal(t *testing.T, address string) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestDataFolder(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/x")
	t.Setenv("HOME", "/home/u")
	got, err := DataFolder("/set/here")
	if err != nil || got != "/set/here" {
		t.Errorf("set: %q, %v", got, err)
	}
	want := Folder("/x/visite")
	if os.Geteuid() == 0 {
		want = "/var/lib/visite"
	}
	if got, err = DataFolder(""); err != nil || got != want {
		t.Errorf("not set: %q, %v; want %q", got, err, want)
	}
}

func TestPortsAreRememberedAndBusyOnesReplaced(t *testing.T) {
	folder := Folder(t.TempDir())
	first, err := folder.choosePorts()
	if err != nil {
		t.Fatal(err)
	}
	second, err := folder.choosePorts()
	if err != nil || second != first {
		t.Errorf("ports %+v then %+v, %v", first, second, err)
	}
	l, err := net.Listen("tcp", loopback(first.API))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	third, err := folder.choosePorts()
	if err != nil || third.API == first.API || third.UI != first.UI {
		t.Errorf("with API's port busy %+v after %+v, %v", third, first, err)
	}
}
