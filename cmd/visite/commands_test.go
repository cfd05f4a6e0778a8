package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

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
		{[]string{"robots"}, "visite robots explain"},
		{[]string{"robots", "explain", "https://example.test/"}, "--robots: is missing"},
		{[]string{"robots", "explain", "--robots", "-"}, "a URL to judge is missing"},
		{[]string{"robots", "explain", "--robots", "-", "--urls", "-"}, "only one of them can be stdin"},
		{[]string{"robots", "explain", "--robots", "-", "--profile", "nobody", "https://example.test/"}, `--profile: "nobody" is unknown`},
		{[]string{"robots", "explain", "--robots", "/nowhere/robots.txt", "https://example.test/"}, "--robots: "},
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
	const line = "6/12 pages, 30 found, 1 not analysed, 4 findings"
	want := "[==========          ] " + line + "\r\x1b[2K" +
		"[==========          ] " + line + " | waiting: example.test asked for 120 s of rest, until " + until.Format("15:04:05") + "\r\x1b[2K" +
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
	if got := b.String(); got != "0/50 pages, 50 found, 0 not analysed, 0 findings\n" {
		t.Errorf("50 news within a moment gave %q, want one line", got)
	}
}
