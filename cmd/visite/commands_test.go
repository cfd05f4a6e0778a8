package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"visite/internal/local"
	"visite/schema"
)

func TestCommandsRefuseWrongUsage(t *testing.T) {
	t.Setenv("VISITE_DATABASE_URL", "")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"frobnicate"}, "unknown command"},
		{[]string{"up", "now"}, `"now" is not expected`},
		{[]string{"down", "--hard"}, "unknown flag"},
		{[]string{"migrate"}, "VISITE_DATABASE_URL is not set"},
		{[]string{"frobnicate"}, "--help` lists the commands"},
		{[]string{"scn"}, `unknown command "scn"; did you mean `},
		{[]string{"scn"}, " scan`?"},
		{[]string{"help", "nonsense"}, `unknown command "nonsense"`},
		{[]string{"robots"}, " robots explain`"},
		{[]string{"robots", "xplain"}, " robots explain`?"},
		{[]string{"robots", "explain", "--robots", "-", "nonsense"}, `"nonsense" is no web address`},
		{[]string{"robots", "explain", "nonsense"}, `"nonsense" is no web address`},
		{[]string{"robots", "explain", "--robots", "-", "--urls", "/nowhere/urls", "https://example.test/"}, "--urls: /nowhere/urls cannot be read: no such file or directory; name a file"},
		{[]string{"cancel"}, "the scan's id is missing"},
		{[]string{"demo", "--output", ""}, "--output: is empty"},
		{[]string{"robots", "explain", "--robots", "-"}, "a URL to judge is missing"},
		{[]string{"robots", "explain", "--robots", "-", "--urls", "-"}, "only one of them can be stdin"},
		{[]string{"robots", "explain", "--robots", "-", "--profile", "nobody", "https://example.test/"}, `--profile: "nobody" is unknown`},
		{[]string{"robots", "explain", "--robots", "/nowhere/robots.txt", "https://example.test/"}, "--robots: /nowhere/robots.txt cannot be read: no such file or directory; name the file"},
	} {
		visite(t, c.args...).wants(t, exitUsage, c.says)
	}
}

func TestWrongSettingsAreUsage(t *testing.T) {
	t.Setenv("VISITE_LISTEN", "nonsense")
	t.Setenv("VISITE_DATABASE_URL", "postgres://me:hidden-word@db.example/visite")
	for _, command := range []string{"config", "migrate", "up"} {
		o := visite(t, command)
		o.wants(t, exitUsage, "VISITE_LISTEN is not host:port")
		if strings.Contains(o.out+o.err, "hidden-word") {
			t.Errorf("%s shows a password", command)
		}
	}
}

func TestConfigListsSettings(t *testing.T) {
	t.Setenv("VISITE_DATABASE_URL", "postgres://me:hidden-word@db.example/visite")
	o := visite(t, "config")
	o.wants(t, exitOK)
	if !strings.Contains(o.out, "VISITE_LISTEN") || strings.Contains(o.out, "hidden-word") || !strings.Contains(o.out, "***") {
		t.Errorf("config prints %s", o.out)
	}
	if !strings.Contains(o.out, "On this machine trackers are judged by") {
		t.Errorf("config does not say how trackers are told: %s", o.out)
	}
	t.Setenv("VISITE_TRACKER_LISTS", "none")
	if o = visite(t, "config"); !strings.Contains(o.out, "by the names of known companies alone") {
		t.Errorf("without lists config prints %s", o.out)
	}
	t.Setenv("VISITE_TRACKER_LISTS", t.TempDir())
	o = visite(t, "config")
	o.wants(t, exitUsage)
	if !strings.Contains(o.err, "VISITE_TRACKER_LISTS") || !strings.Contains(o.err, "easyprivacy.txt") {
		t.Errorf("of a folder without lists: %s", o.err)
	}
}

func TestRobotsExplainFromInput(t *testing.T) {
	const rules = "User-agent: visite\nDisallow: /a\n\nUser-agent: other\nDisallow: /\n"
	o := visiteWithInput(t, rules, "robots", "explain", "--robots", "-", "https://example.test/a", "https://example.test/b")
	o.wants(t, exitOK)
	const want = `{"url":"https://example.test/a","allow":false,"group":"visite","rule":"Disallow: /a","line":2,"crawl_delay_s":null,"star_allow":true,"source":"-"}
{"url":"https://example.test/b","allow":true,"group":"visite","rule":"","line":0,"crawl_delay_s":null,"star_allow":true,"source":"-"}
`
	if o.out != want {
		t.Errorf("got %s", o.out)
	}
	o = visiteWithInput(t, rules, "robots", "explain", "--robots", "-", "--agent", "Other", "https://example.test/b")
	if !strings.Contains(o.out, `"allow":false,"group":"other"`) {
		t.Errorf("for another agent %s", o.out)
	}
}

func TestVersionAndOpenAPI(t *testing.T) {
	if o := visite(t, "version"); o.code != exitOK || !strings.HasPrefix(o.out, "visite ") {
		t.Errorf("%+v", o)
	}
	if o := visite(t, "openapi"); o.code != exitOK || !strings.Contains(o.out, "openapi: 3.1") {
		t.Errorf("code %d, output %.80s", o.code, o.out)
	}
}

func TestProgressOnATerminalKeepsToOneLine(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, false)
	p.width = func() int { return 200 }
	until, past := time.Now().Add(time.Hour), time.Now().Add(-time.Second)
	s := scanStatus{State: schema.ScanRunning, Phase: schema.PhasePages, MaxPages: 12, Progress: schema.Progress{Found: 30, Done: 6, NotAnalysed: 1, Findings: 4}}
	p.update(s)
	s.WaitingFor, s.WaitingUntil = "example.test asked for 120 s of rest", &until
	p.update(s)
	s.WaitingUntil = &past
	p.update(s)
	p.end()
	const line = "6/12 pages, 30 found, 1 not analysed, 4 faults"
	const short = "6/12 pages, 4 faults"
	want := "[==========          ] " + line + "\r\x1b[2K" +
		"[==========          ] " + short + " | until " + until.Format("15:04:05") + ": example.test asked for 120 s of rest" + "\r\x1b[2K" +
		"[==========          ] " + line + "\r\x1b[2K"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	b.Reset()
	p.width = func() int { return 20 }
	p.update(s)
	if got := []rune(b.String()); len(got) != 19 {
		t.Errorf("on 20 columns %d are used: %q", len(got), string(got))
	}
}

func TestProgressElsewhereIsLines(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, false)
	for done := range 50 {
		p.update(scanStatus{Progress: schema.Progress{Found: 50, Done: done}})
	}
	if got := b.String(); got != "0/50 pages, 0 faults\n" {
		t.Errorf("50 news within a moment gave %q, want one line", got)
	}
}

// A scan that has just been ordered is starting; only one that stays queued
// waits for a worker, and only one that makes no headway points to the log.
func TestProgressSaysWhatIsWaitedFor(t *testing.T) {
	p := newProgress(&bytes.Buffer{}, false)
	p.logs = "/data/logs"
	start := time.Now()
	queued := scanStatus{State: schema.ScanQueued, Phase: schema.PhaseQueued}
	visiting := scanStatus{State: schema.ScanRunning, Phase: schema.PhasePages, MaxPages: 9, Progress: schema.Progress{Found: 2, Done: 1, Findings: 1}}
	resting, judging := visiting, visiting
	judging.Phase = schema.PhaseVerdicts
	until := start.Add(time.Hour)
	resting.WaitingFor, resting.WaitingUntil = "www.a-long-name.example:18080 asked for a rest", &until
	for _, step := range []struct {
		after time.Duration
		s     scanStatus
		want  string
	}{
		{0, queued, "starting"},
		{9 * time.Second, queued, "starting"},
		{10 * time.Second, queued, "waiting for a worker"},
		{100 * time.Second, visiting, "1/2 pages, 1 fault"},
		{189 * time.Second, visiting, "1/2 pages, 1 fault"},
		{190 * time.Second, visiting, "1/2 pages, 1 fault | no page for 90 s; if that lasts, see /data/logs/worker.log"},
		{400 * time.Second, judging, "1/2 pages, 1 fault | judging links and the whole site"},
		{401 * time.Second, resting, "1/2 pages, 1 fault | until " + until.Format("15:04:05") + ": www.a-long-name.example:18080 asked for a rest"},
		{402 * time.Second, visiting, "1/2 pages, 1 fault"},
	} {
		if got := p.stands(step.s, start.Add(step.after)); got != step.want {
			t.Errorf("after %s: %q, want %q", step.after, got, step.want)
		}
	}
}

// A local stack is not started with programs that are not there.
func TestMissingProgramsAreRefusedAtOnce(t *testing.T) {
	for _, variable := range []string{"VISITE_CHROMIUM", "VISITE_POSTGRES_BIN", "VISITE_TEMPORAL"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv("VISITE_DATA_DIR", t.TempDir())
			t.Setenv("VISITE_API", "")
			t.Setenv(variable, "/nowhere/program")
			for _, args := range [][]string{{"up"}, {"up", "-d"}, {"scan", "http://127.0.0.1:9/"}} {
				visite(t, args...).wants(t, exitUsage, variable+" names /nowhere/program", "Name ")
			}
		})
	}
	t.Setenv("VISITE_CHROMIUM", "/nowhere/program")
	t.Setenv("VISITE_DATABASE_URL", "postgres://visite@127.0.0.1:1/visite")
	visite(t, "worker").wants(t, exitUsage, "VISITE_CHROMIUM names /nowhere/program")
}

func TestMigrateWithoutAServerIsOneLine(t *testing.T) {
	t.Setenv("VISITE_DATABASE_URL", "postgres://visite:hidden-word@localhost:1/visite")
	o := visite(t, "migrate")
	o.wants(t, exitFailed, "VISITE_DATABASE_URL", "connection refused")
	if strings.Count(o.err, "\n") != 1 || strings.Contains(o.err, "hidden-word") {
		t.Errorf("stderr %q, want one line", o.err)
	}
}

func TestPrintedCommandsAreAsTyped(t *testing.T) {
	was := os.Args
	t.Cleanup(func() { os.Args = was })
	for typed, want := range map[string]string{"visite": "visite", "./bin/visite": "./bin/visite", "/opt/my tools/visite": "'/opt/my tools/visite'"} {
		os.Args = []string{typed}
		var b bytes.Buffer
		printState(&b, local.State{}, true)
		for _, line := range []string{"  scan       " + want + " scan http", "  end        " + want + " down\n"} {
			if !strings.Contains(b.String(), line) {
				t.Errorf("%q lacks %q", b.String(), line)
			}
		}
		visite(t, "scan").wants(t, exitUsage, "`"+want+" scan --help`")
	}
}
