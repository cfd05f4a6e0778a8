package endtoend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"visite/internal/pgtest"
	"visite/internal/temporaltest"
	"visite/workflows"
)

// program is the binary under test, built once.
var program string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "visite-endtoend-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "visite")
	if out, err := exec.Command("go", "build", "-o", program, "visite/cmd/visite").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build visite: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// deployment is Visite as somebody would deploy it: worker and API as processes
// of their own against a PostgreSQL and a Temporal server.
type deployment struct {
	t        testing.TB
	database string
	temporal *temporaltest.Process
	listen   string
	env      []string
	token    string
	worker   *process
	api      *process
	logs     string
}

const bootstrapToken = "bootstrap-for-tests-only"

// deploy starts everything and makes a workspace.
func deploy(t testing.TB, settings ...string) *deployment {
	t.Helper()
	return deployOn(t, pgtest.URL(t), settings...)
}

// deployOn deploys on a database of the test's own.
func deployOn(t testing.TB, database string, settings ...string) *deployment {
	t.Helper()
	d := &deployment{t: t, database: database, temporal: temporaltest.StartProcess(t), logs: t.TempDir(), listen: freeAddress(t)}
	d.env = append(os.Environ(),
		"VISITE_DATABASE_URL="+d.database, "VISITE_TEMPORAL_ADDRESS="+d.temporal.Addr(), "VISITE_TEMPORAL_NAMESPACE="+d.temporal.Namespace(),
		"VISITE_LISTEN="+d.listen, "VISITE_ALLOW_LOOPBACK=true", "VISITE_BOOTSTRAP_TOKEN="+bootstrapToken, "VISITE_HEARTBEAT_TIMEOUT=5s", "VISITE_LOG_LEVEL=warn",
		"VISITE_TRACKER_LISTS=none") // the same on each machine, whatever is installed there
	d.env = append(d.env, settings...)
	d.worker = d.start("worker")
	d.api = d.start("api")
	d.waitReady()
	var made struct {
		Token string `json:"token"`
	}
	d.call(http.MethodPost, "/v1/workspaces", bootstrapToken, map[string]string{"name": "test"}, &made)
	d.token = made.Token
	return d
}

// process is one of ours; Kill is kill -9.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

func (d *deployment) start(part string) *process {
	d.t.Helper()
	log, err := os.OpenFile(filepath.Join(d.logs, part+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(program, part)
	cmd.Env, cmd.Stdout, cmd.Stderr = d.env, log, log
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() { _ = cmd.Wait(); close(p.done) }()
	d.t.Cleanup(func() {
		p.kill()
		if d.t.Failed() {
			d.t.Logf("end of %s's log:\n%s", part, tail(filepath.Join(d.logs, part+".log")))
		}
	})
	return p
}

func (p *process) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.done
}

func tail(path string) []byte {
	all, _ := os.ReadFile(path)
	return all[max(0, len(all)-4000):]
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (d *deployment) waitReady() {
	d.t.Helper()
	d.eventually(60*time.Second, "the API to be ready", func() bool {
		resp, err := http.Get("http://" + d.listen + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// eventually waits for what takes at most within on a quiet machine, and three
// times as long on others: only what never comes is to fail.
func (d *deployment) eventually(within time.Duration, what string, ok func() bool) {
	d.t.Helper()
	within *= 3
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if ok() {
			return
		}
	}
	d.t.Fatalf("waited %s for %s", within, what)
}

// request sends one request and returns the answer's status and body.
func (d *deployment) request(method, path, token string, in any, header ...string) (int, []byte) {
	d.t.Helper()
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			d.t.Fatal(err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), method, "http://"+d.listen+path, body)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, raw
}

func (d *deployment) call(method, path, token string, in, out any) {
	d.t.Helper()
	status, raw := d.request(method, path, token, in)
	if status/100 != 2 {
		d.t.Fatalf("%s %s: %d %s", method, path, status, raw)
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			d.t.Fatal(err)
		}
	}
}

// scanStatus is what the tests look at of a scan.
type scanStatus struct {
	ID          string `json:"id"`
	Host        string `json:"host"`
	State       string `json:"state"`
	StateReason string `json:"state_reason"`
	Progress    struct {
		Found, Done, Analysed, Findings int
		NotAnalysed                     int `json:"not_analysed"`
	} `json:"progress"`
}

// order is what a scan is ordered with.
type order map[string]any

func (d *deployment) scan(o order) scanStatus {
	d.t.Helper()
	var s scanStatus
	d.call(http.MethodPost, "/v1/scans", d.token, o, &s)
	return s
}

func (d *deployment) status(id string) (s scanStatus, ok bool) {
	d.t.Helper()
	code, raw := d.request(http.MethodGet, "/v1/scans/"+id, d.token, nil)
	if code != http.StatusOK {
		return s, false
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		d.t.Fatal(err)
	}
	return s, true
}

// finish waits until a scan is final.
func (d *deployment) finish(id string, within time.Duration) scanStatus {
	d.t.Helper()
	var last scanStatus
	d.eventually(within, "the scan to end", func() bool {
		s, ok := d.status(id)
		if ok {
			last = s
		}
		return ok && s.State != "queued" && s.State != "running"
	})
	return last
}

// report is the part of the JSON report that tests look at.
type report struct {
	Scan     map[string]any `json:"scan"`
	Pages    []reportPage   `json:"pages"`
	Findings []finding      `json:"findings"`
	Links    []struct {
		URL, Verdict string
		Status       int
	} `json:"links"`
	Requests map[string]struct {
		Count       int `json:"count"`
		MaxInFlight int `json:"max_in_flight"`
	} `json:"requests"`
}

type reportPage struct {
	URL       string    `json:"url"`
	FinalURL  string    `json:"final_url"`
	Status    int       `json:"status"`
	Outcome   string    `json:"outcome"`
	Reason    string    `json:"reason"`
	BlockedBy string    `json:"blocked_by"`
	Title     string    `json:"title"`
	Words     int       `json:"words"`
	Notes     []string  `json:"notes"`
	Findings  []finding `json:"findings"`
}

type finding struct {
	Rule     string `json:"rule"`
	Engine   string `json:"engine"`
	Severity string `json:"severity"`
	Outcome  string `json:"outcome"`
	Selector string `json:"selector"`
}

func (d *deployment) report(id string) (r report) {
	d.t.Helper()
	_, raw := d.request(http.MethodGet, "/v1/scans/"+id+"/report", d.token, nil, "Accept", "application/json")
	if err := json.Unmarshal(raw, &r); err != nil {
		d.t.Fatalf("report: %v: %.300s", err, raw)
	}
	return r
}

func (r report) page(t testing.TB, url string) reportPage {
	t.Helper()
	for _, p := range r.Pages {
		if p.URL == url {
			return p
		}
	}
	t.Fatalf("no page %s in the report", url)
	return reportPage{}
}

// temporalClient talks to the deployment's Temporal server.
func (d *deployment) temporalClient() client.Client {
	d.t.Helper()
	return temporaltest.Dial(d.t, d.temporal.Addr(), d.temporal.Namespace())
}

func workflowID(s scanStatus) string { return workflows.ScanWorkflowID(s.Host, s.ID) }

// historyOf counts a workflow's events over all its runs.
func historyOf(ctx context.Context, t testing.TB, c client.Client, id string) int {
	t.Helper()
	n := 0
	for it := c.GetWorkflowHistory(ctx, id, "", false, 0); it.HasNext(); n++ {
		if _, err := it.Next(); err != nil {
			t.Fatal(err)
		}
	}
	return n
}
