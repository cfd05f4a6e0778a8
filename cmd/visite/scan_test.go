package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestScanExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		state, severity string
		report          string
		args            []string
		code            int
		says            string
	}{
		"at the level":      {"finished", "serious", "", nil, exitFindings, `1 finding at or above "serious"`},
		"above the level":   {"finished", "critical", "", nil, exitFindings, ""},
		"below the level":   {"finished", "moderate", "", nil, exitOK, ""},
		"lower level":       {"finished", "minor", "", []string{"--fail-on", "minor"}, exitFindings, ""},
		"no level":          {"finished", "critical", "", []string{"--fail-on", "none"}, exitOK, ""},
		"questions only":    {"", "", strings.Replace(reportOf("finished", "critical"), `"outcome":"failed"`, `"outcome":"needs_review"`, 1), nil, exitOK, ""},
		"forbidden":         {"refused", "serious", "", nil, exitFailed, "may not be scanned"},
		"failed":            {"failed", "serious", "", nil, exitFailed, "fault of ours"},
		"cancelled":         {"cancelled", "serious", "", nil, exitFailed, "cancelled"},
		"stopped, findings": {"stopped", "serious", "", nil, exitFindings, ""},
		"stopped, clean":    {"stopped", "info", "", nil, exitFailed, "stopped early"},
		"nothing analysed":  {"", "", `{"scan":{"id":"s1","state":"finished"},"pages":[{"outcome":"not_analysed"}]}`, nil, exitFailed, "no page could be analysed"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.report = c.report
			if f.report == "" {
				f.report = reportOf(c.state, c.severity)
			}
			f.serve(t)
			visite(t, append([]string{"scan", "https://example.test/"}, c.args...)...).wants(t, c.code, c.says)
		})
	}
}

func TestScanOrdersWhatTheFlagsSay(t *testing.T) {
	f := newFakeAPI(t)
	f.serve(t)
	visite(t, "scan", "https://example.test/", "--engine", "http", "--device", "mobile", "--max-pages", "7", "--profile", "conregio",
		"--contact", "me@example.test", "--basis", "permission", "--party", "Example Ltd", "--fail-on", "none").wants(t, exitOK)
	basis, _ := f.order["basis"].(map[string]any)
	for key, want := range map[string]any{"url": "https://example.test/", "engine": "http", "device": "mobile", "max_pages": 7.0, "profile": "conregio", "contact": "me@example.test"} {
		if f.order[key] != want {
			t.Errorf("%s is %v, want %v", key, f.order[key], want)
		}
	}
	if basis["kind"] != "permission" || basis["party"] != "Example Ltd" {
		t.Errorf("basis %v", basis)
	}
}

func TestScanUsageIsRefusedBeforeAnythingStarts(t *testing.T) {
	f := newFakeAPI(t)
	f.serve(t)
	dir := t.TempDir()
	const site = "https://example.test/"
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{}, "URL to scan is missing"},
		{[]string{site, "https://example.org/"}, "is too much"},
		{[]string{"ftp://example.test/"}, "URL: "},
		{[]string{"https://me:secret@example.test/"}, "URL: "},
		{[]string{site, "--engine", "curl"}, "--engine: "},
		{[]string{site, "--device", "watch"}, "--device: "},
		{[]string{site, "--max-pages", "0"}, "--max-pages: 0 is out of range; give 1 to 50000"},
		{[]string{site, "--max-pages", "1000000"}, "--max-pages: 1000000 is out of range"},
		{[]string{site, "--max-pages", "many"}, "max-pages"},
		{[]string{site, "--format", "pdf"}, "--format: "},
		{[]string{site, "--fail-on", "bad"}, "--fail-on: "},
		{[]string{site, "--basis", "mine"}, "--basis: "},
		{[]string{site, "--basis", "permission"}, "--party: is missing"},
		{[]string{site, "--party", "Example Ltd"}, "--party: only with --basis permission"},
		{[]string{site, "--output", dir}, "--output: " + dir + " is a folder"},
		{[]string{site, "--output", filepath.Join(dir, "none", "r.html")}, "--output: "},
		{[]string{site, "--api", "visite.example"}, "--api: "},
		{[]string{site, "--token-file", filepath.Join(dir, "none")}, "--token-file: "},
		{[]string{site, "--nonsense"}, "unknown flag: --nonsense"},
	} {
		visite(t, append([]string{"scan"}, c.args...)...).wants(t, exitUsage, c.says)
	}
	if len(f.keys) != 0 {
		t.Errorf("%d orders arrived", len(f.keys))
	}
	if o := visite(t, "scan", "https://me:secret@example.test/"); strings.Contains(o.err, "secret") {
		t.Errorf("stderr %q shows the password", o.err)
	}
}

func TestScanRefusedByTheAPINamesTheFlag(t *testing.T) {
	f := newFakeAPI(t)
	f.refuse = `{"title":"x","errors":[{"pointer":"/contact","code":"contact-missing","detail":"There is no contact.","remedy":"Give one."}]}`
	f.serve(t)
	visite(t, "scan", "https://example.test/").wants(t, exitUsage, "visite: --contact: There is no contact. Give one.")
}

func TestScanOrderIsPlacedOnceThroughTrouble(t *testing.T) {
	f := newFakeAPI(t)
	f.failing = 3
	f.serve(t)
	visite(t, "scan", "https://example.test/", "--fail-on", "none").wants(t, exitOK)
	if len(f.keys) != 1 {
		t.Errorf("%d idempotency keys over four tries, want 1", len(f.keys))
	}
}

func TestScanFormatsAndFiles(t *testing.T) {
	f := newFakeAPI(t)
	f.serve(t)
	dir := t.TempDir()
	scan := func(args ...string) outcome {
		return visite(t, append([]string{"scan", "https://example.test/", "--fail-on", "none"}, args...)...)
	}
	if o := scan("--format", "json"); o.out != f.report {
		t.Errorf("JSON on stdout is %q", o.out)
	}
	if o := scan("--format", "html"); o.out != f.html {
		t.Errorf("HTML on stdout is %q", o.out)
	}
	text := scan().out
	for _, want := range []string{
		"https://example.test/", "Pages: 2, analysed 1", "not analysed: 1", "https://example.test/gone (timeout)", "Findings: 1 serious",
		"serious   image-alt  1 finding on 1 page", "Describe the image", "color-contrast", "404 https://example.test/lost on https://example.test/",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("text report lacks %q:\n%s", want, text)
		}
	}
	page := filepath.Join(dir, "report.html")
	if err := os.WriteFile(page, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := scan("--output", page)
	o.wants(t, exitOK, page)
	got, err := os.ReadFile(page)
	if err != nil || string(got) != f.html || o.out != "" {
		t.Errorf("file %q, %v; stdout %q", got, err, o.out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("folder holds %v, %v; want the report alone", left, err)
	}
}

func TestInterruptCancelsAndWritesThePartialReport(t *testing.T) {
	f := newFakeAPI(t)
	f.course = []string{running}
	f.report = reportOf("cancelled", "serious")
	f.onPoll = func(n int) {
		if n == 2 {
			interrupt(t)
		}
	}
	f.onCancel = func(f *fakeAPI) { f.course = []string{strings.Replace(finished, "finished", "cancelled", 1)} }
	f.serve(t)
	o := visite(t, "scan", "https://example.test/")
	o.wants(t, exitFailed, "Cancelling", "cancelled; the report is partial")
	if f.cancels != 1 || !strings.Contains(o.out, "PARTIAL, cancelled") {
		t.Errorf("%d cancels; stdout %q", f.cancels, o.out)
	}
}

func TestSecondInterruptLeavesAtOnce(t *testing.T) {
	f := newFakeAPI(t)
	f.course = []string{running}
	f.onPoll = func(n int) {
		if n == 2 || n == 4 {
			interrupt(t)
		}
	}
	f.serve(t)
	began := time.Now()
	o := visite(t, "scan", "https://example.test/")
	o.wants(t, exitFailed, "left at once")
	if took := time.Since(began); took > 8*time.Second || o.out != "" {
		t.Errorf("took %s, stdout %q", took, o.out)
	}
}

// interrupt sends this process the signal of Ctrl-C, which the running command takes.
func interrupt(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Error(err)
	}
}

func TestScanGoesOnThroughAnAPIThatWasAway(t *testing.T) {
	f := newFakeAPI(t)
	f.course = []string{running, running, running, finished}
	s := f.serve(t)
	f.onPoll = func(n int) {
		if n != 2 {
			return
		}
		address := s.Listener.Addr().String()
		go func() {
			s.CloseClientConnections()
			s.Close()
			time.Sleep(1500 * time.Millisecond)
			f.serveAgain(t, address)
		}()
	}
	visite(t, "scan", "https://example.test/").wants(t, exitFindings, "no usable answer from the API", "The API answers again")
}

func TestTokenThatIsRefusedWhileFollowing(t *testing.T) {
	f := newFakeAPI(t)
	f.serve(t)
	file := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(file, []byte("vst_other"), 0o600); err != nil {
		t.Fatal(err)
	}
	visite(t, "scan", "https://example.test/", "--token-file", file).wants(t, exitUsage, "The token is unknown. Use another.")
}
