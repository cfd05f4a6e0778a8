package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"visite/internal/local"
	"visite/internal/report"
	"visite/schema"
)

// W06: a scan that checked nothing, or failed, is no success.
func TestScanExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		state, severity string
		report          string
		args            []string
		code            int
		says            string
	}{
		"at the level":      {"finished", "serious", "", nil, exitFindings, `1 fault at or above "serious"`},
		"above the level":   {"finished", "critical", "", nil, exitFindings, ""},
		"below the level":   {"finished", "moderate", "", nil, exitOK, ""},
		"lower level":       {"finished", "minor", "", []string{"--fail-on", "minor"}, exitFindings, ""},
		"no level":          {"finished", "critical", "", []string{"--fail-on", "none"}, exitOK, ""},
		"questions only":    {"", "", strings.Replace(reportOf("finished", "critical"), `"outcome":"failed"`, `"outcome":"needs_review"`, 1), nil, exitOK, ""},
		"acknowledged":      {"", "", strings.Replace(reportOf("finished", "critical"), `"outcome":"failed"`, `"outcome":"failed","item_state":"acknowledged"`, 1), nil, exitOK, ""},
		"ignored":           {"", "", strings.Replace(reportOf("finished", "critical"), `"outcome":"failed"`, `"outcome":"failed","item_state":"ignored"`, 1), nil, exitOK, ""},
		"open again":        {"", "", strings.Replace(reportOf("finished", "critical"), `"outcome":"failed"`, `"outcome":"failed","item_state":"open"`, 1), nil, exitFindings, ""},
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

// Previews are switched on only where the person says so, and for how long.
func TestScanSwitchesPreviewsOn(t *testing.T) {
	f := newFakeAPI(t)
	f.serve(t)
	visite(t, "scan", "https://example.test/", "--fail-on", "none").wants(t, exitOK)
	if f.previews != nil {
		t.Errorf("switched on unasked: %v", f.previews)
	}
	visite(t, "scan", "https://example.test/", "--fail-on", "none", "--previews", "30").wants(t, exitOK)
	said, _ := f.previews["expires_at"].(string)
	until, err := time.Parse(time.RFC3339, said)
	if left := time.Until(until); err != nil || f.previews["enabled"] != true || left < 29*24*time.Hour || left > 30*24*time.Hour {
		t.Errorf("switched %v, %v", f.previews, err)
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
		{[]string{site, "--max-pages", "many"}, `visite: --max-pages: "many" is no whole number; write one such as 200`},
		{[]string{site, "--max-pages", "99999999999999999999"}, "--max-pages: 99999999999999999999 is out of range"},
		{[]string{site, "--quiet=perhaps"}, `--quiet: "perhaps" is neither true nor false`},
		{[]string{site, "--output", ""}, "--output: is empty; give a value or leave the flag out"},
		{[]string{site, "--contact", ""}, "--contact: is empty"},
		{[]string{site, "--format", "docx"}, "--format: "}, {[]string{site, "--lang", "fr"}, "--lang: "},
		{[]string{site, "--fail-on", "bad"}, "--fail-on: "},
		{[]string{site, "--basis", "mine"}, "--basis: "},
		{[]string{site, "--basis", "permission"}, "--party: is missing"},
		{[]string{site, "--previews", "0"}, "--previews: 0 is out of range; give 1 to 365 days"},
		{[]string{site, "--previews", "366"}, "--previews: 366 is out of range"},
		{[]string{site, "--previews", "9", "--basis", "permission", "--party", "Example Ltd"}, "--previews: only a site's owner"},
		{[]string{site, "--previews", "9", "--engine", "http"}, "--previews: need --engine browser"},
		{[]string{site, "--party", "Example Ltd"}, "--party: only with --basis permission"},
		{[]string{site, "--output", dir}, "--output: " + dir + " is a folder"},
		{[]string{site, "--output", filepath.Join(dir, "none", "r.html")}, "visite: --output: the folder " + filepath.Join(dir, "none") + " does not exist; make it, or name another\n"},
		{[]string{site, "--api", "visite.example"}, "--api: "},
		{[]string{site, "--token-file", filepath.Join(dir, "none")}, "cannot be used: no such file or directory; name the file with the token"},
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
	for format, media := range map[string]string{"csv": "text/csv", "sarif": "application/sarif+json", "earl": "application/ld+json", "junit": "application/xml", "pdf": "application/pdf"} {
		if o := scan("--format", format, "--lang", "de"); o.out != "report as "+media+" in de" {
			t.Errorf("%s on stdout is %q", format, o.out)
		}
	}
	text := scan().out
	for _, want := range []string{
		"https://example.test/", "Analysed 1 page\n", "besides, not analysed: 1", "https://example.test/gone (timeout)", "Faults: 1 serious",
		"serious   An image says nothing\n            What to do: Describe the image\n            1 place on 1 page (rule image-alt)", "(rule color-contrast)",
		"404 https://example.test/lost\n      on https://example.test/\n      on https://example.test/a\n      on https://example.test/b\n      and on 6 more pages",
		"besides, redirected in scope: 1\n    https://example.test/old (301)",
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
	o.wants(t, exitFailed, "left at once; scan s1 is being cancelled")
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

func TestScanNotesWhatMayNotBeMeant(t *testing.T) {
	f := newFakeAPI(t)
	f.serve(t)
	scan := []string{"scan", "https://example.test/", "--fail-on", "none"}
	visite(t, append(scan, "--engine", "http", "--device", "mobile")...).wants(t, exitOK, "Note: --device is for the browser engine")
	file := filepath.Join(t.TempDir(), "r.json")
	visite(t, append(scan, "--format", "html", "--output", file)...).wants(t, exitOK, "Note: "+file+" will hold the report as html")
	if o := visite(t, append(scan, "--engine", "http", "--output", file)...); strings.Contains(o.err, "Note:") {
		t.Errorf("stderr %q, want no note", o.err)
	}
}

func TestScanInTheWayNamesHowToCancelIt(t *testing.T) {
	f := newFakeAPI(t)
	f.refuse = `{"title":"x","detail":"Scan s1 of this site is still queued or running.","remedy":"Wait for its end or cancel it.","scan_id":"s1"}`
	f.serve(t)
	visite(t, "scan", "https://example.test/").wants(t, exitUsage, "Wait for its end or cancel it. `"+calledAs()+" cancel s1` cancels it")
	o := visite(t, "cancel", "s1")
	o.wants(t, exitOK)
	if f.cancels != 1 || o.out != "Scan s1 is being cancelled.\n" {
		t.Errorf("%d cancels, %q", f.cancels, o.out)
	}
	visite(t, "cancel", "s2").wants(t, exitUsage, "there is no scan s2 here")
}

func TestSiteThatDoesNotAnswerIsAskedAfter(t *testing.T) {
	for status, says := range map[string]string{
		"0":   "127.0.0.1:9 did not answer (robots.txt could not be read); is it running?",
		"503": "the robots.txt of 127.0.0.1:9 could not be read (status 503)",
	} {
		f := newFakeAPI(t)
		f.report = `{"scan":{"id":"s1","site":"http://127.0.0.1:9","url":"http://127.0.0.1:9/","state":"refused","state_reason":"robots_unreachable","robots":{"status":` + status + `}},"pages":[],"links":[]}`
		f.serve(t)
		o := visite(t, "scan", "http://127.0.0.1:9/")
		o.wants(t, exitFailed, "visite: "+says)
		if !strings.Contains(o.out, "refused: "+says) {
			t.Errorf("stdout %q", o.out)
		}
	}
}

// Pages analysed and addresses set apart are counted beside each other.
func TestDemoCountsWhatWasNotAnalysed(t *testing.T) {
	var b bytes.Buffer
	pages := []report.Page{{Outcome: schema.OutcomeAnalysed}, {Outcome: schema.OutcomeAnalysed}}
	for _, c := range []struct {
		more []report.Page
		want string
	}{
		{nil, "Analysed 2 pages, found 0 faults."},
		{[]report.Page{{Outcome: schema.OutcomeDuplicate}}, "Analysed 2 pages (and one address without a verdict), found 0 faults."},
		{[]report.Page{{Outcome: schema.OutcomeDuplicate}, {Outcome: schema.OutcomeDisallowed}}, "Analysed 2 pages (and 2 addresses without a verdict), found 0 faults."},
	} {
		b.Reset()
		printDemo(streams{out: &b}, result{Pages: append(slices.Clone(pages), c.more...)}, map[string]string{}, local.State{})
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%q does not say %q", b.String(), c.want)
		}
	}
}
