package api

import (
	"testing"
	"time"
)

func TestLogLinesAreRead(t *testing.T) {
	at := time.Date(2026, 11, 30, 13, 55, 36, 0, time.UTC)
	const agent = "Mozilla/5.0 (compatible; Visite/1.0; +https://visite.example/bot)"
	full := logLine{at: at, method: "GET", target: "/a?b=1", ip: "192.0.2.7", userAgent: agent}
	withHost, bare := full, full
	withHost.host = "example.com:443"
	bare.userAgent = ""
	named := full
	named.host = "example.com"
	for name, c := range map[string]struct {
		line string
		want logLine
	}{
		"combined":            {`192.0.2.7 - - [30/Nov/2026:13:55:36 +0000] "GET /a?b=1 HTTP/1.1" 200 512 "-" "` + agent + `"`, full},
		"another zone":        {`192.0.2.7 - - [30/Nov/2026:08:55:36 -0500] "GET /a?b=1 HTTP/2.0" 200 512 "https://x.example/" "` + agent + `"`, full},
		"common":              {`192.0.2.7 - frank [30/Nov/2026:13:55:36 +0000] "GET /a?b=1 HTTP/1.0" 200 512`, bare},
		"virtual host first":  {`example.com:443 192.0.2.7 - - [30/Nov/2026:13:55:36 +0000] "GET /a?b=1 HTTP/1.1" 200 512 "-" "` + agent + `"`, withHost},
		"forwarded for after": {`192.0.2.7 - - [30/Nov/2026:13:55:36 +0000] "GET /a?b=1 HTTP/1.1" 200 512 "-" "` + agent + `" "10.0.0.1"`, full},
		"IIS":                 {`2026-11-30 13:55:36 10.0.0.5 GET /a b=1 443 - 192.0.2.7 Mozilla/5.0+(compatible;+Visite/1.0;++https://visite.example/bot) - 200 0 0 15`, withAgent(full, "Mozilla/5.0 (compatible; Visite/1.0;  https://visite.example/bot)")},
		"IIS with its fields": {"#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs-host cs(User-Agent) sc-status\n2026-11-30 13:55:36 GET /a b=1 192.0.2.7 example.com - 200", withAgent(named, "")},
		"nginx error log":     {`2026/11/30 13:55:36 [error] 7#7: *1 limiting, client: 192.0.2.7, server: _, request: "GET /a?b=1 HTTP/1.1", host: "example.com"`, withAgent(named, "")},
		"ISO time and plain":  {`2026-11-30T14:55:36.120+01:00 192.0.2.7 GET /a?b=1 host=example.com 200`, withAgent(named, "")},
		"JSON":                {`{"time":"2026-11-30T13:55:36Z","host":"example.com","ip":"192.0.2.7","request":"GET /a?b=1 HTTP/1.1","agent":"` + agent + `"}`, named},
		"no zone":             {`192.0.2.7 - - [30/Nov/2026 13:55:36] "GET /a?b=1 HTTP/1.1" 200 -`, bare},
		"address":             {`2026-11-30 13:55:36 https://example.com/a?b=1`, logLine{at: at, target: "https://example.com/a?b=1"}},
		"nothing":             {`hello`, logLine{}},
		"empty":               {``, logLine{}},
		"impossible time":     {`192.0.2.7 - - [99/Nov/2026:13:55:36 +0000] "GET /a?b=1 HTTP/1.1" 200 512`, logLine{method: "GET", target: "/a?b=1", ip: "192.0.2.7"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseLogLine(c.line)
			if !got.at.Equal(c.want.at) {
				t.Errorf("time %v, want %v", got.at, c.want.at)
			}
			got.at = c.want.at
			if got != c.want {
				t.Errorf("read %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func withAgent(l logLine, userAgent string) logLine {
	l.userAgent = userAgent
	return l
}

func FuzzLogLine(f *testing.F) {
	f.Add(`192.0.2.7 - - [30/Nov/2026:13:55:36 +0000] "GET /a?b=1 HTTP/1.1" 200 512 "-" "x"`)
	f.Add("#Fields: date\n2026-11-30")
	f.Add(`2026-11-30 13:55:36 GET ` + "\x00[::1]")
	f.Fuzz(func(t *testing.T, line string) {
		if l := parseLogLine(line); l.target != "" {
			targetsOf(l.target)
		}
	})
}
