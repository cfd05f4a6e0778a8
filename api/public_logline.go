package api

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"visite/schema"
)

// logLine is what could be read of a line from a server's log; fields that are
// not there are empty.
type logLine struct {
	at        time.Time
	host      string
	method    string
	target    string // as requested: path and query, or a whole address
	ip        string // of whoever asked
	userAgent string
}

var (
	clfTime   = regexp.MustCompile(`\[(\d{1,2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4})\]`)
	dayTime   = regexp.MustCompile(`\b(\d{1,2}/[A-Z][a-z]{2}/\d{4})[ :](\d{2}:\d{2}:\d{2})\b`)
	isoTime   = regexp.MustCompile(`\b(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,]\d+)?\s?(Z|UTC|[+-]\d{2}:?\d{2})?`)
	quoted    = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	request   = regexp.MustCompile(`^(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE|CONNECT|TRACE|PROPFIND) (\S+)(?: HTTP/[\d.]+)?$`)
	requested = regexp.MustCompile(`(?:^|[\s"'=])(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)[\s"',:]+(/\S*|https?://\S+)`)
	webURL    = regexp.MustCompile(`https?://[^\s"'<>]+`)
	agentWord = regexp.MustCompile(`Mozilla/5\.0|/\d+\.\d+[ +]?\(`)
	hostField = regexp.MustCompile(`\b(?:host|server_name|vhost)["']?\s*[:=]\s*["']?([A-Za-z0-9._-]+(?::\d+)?)`)
)

// parseLogLine reads a line as Apache and nginx (common and combined format, with
// or without the virtual host in front), or IIS (W3C) write it; of anything else
// it takes what it recognises. A time without a zone is taken for UTC.
func parseLogLine(text string) logLine {
	text = strings.TrimSpace(text)
	if l, ok := parseIIS(text); ok {
		return l
	}
	if l, ok := parseCombined(text); ok {
		return l
	}
	return parsePlain(text)
}

// parseCombined reads `[vhost] ip ident user [time] "request" status bytes "referer" "agent"`.
func parseCombined(text string) (logLine, bool) {
	at := clfTime.FindStringSubmatchIndex(text)
	if at == nil {
		return logLine{}, false
	}
	var l logLine
	var err error
	if l.at, err = time.Parse("2/Jan/2006:15:04:05 -0700", text[at[2]:at[3]]); err != nil {
		return logLine{}, false
	}
	fields := quoted.FindAllStringSubmatch(text[at[1]:], -1)
	found := false
	for i, f := range fields {
		m := request.FindStringSubmatch(f[1])
		if m == nil {
			continue
		}
		l.method, l.target, found = m[1], m[2], true
		if i+2 < len(fields) {
			l.userAgent = dashless(fields[i+2][1])
		}
		break
	}
	for _, word := range strings.Fields(text[:at[0]]) {
		if isIP(word) {
			if l.ip == "" {
				l.ip = word
			}
		} else if l.ip == "" && word != "-" && strings.Contains(word, ".") {
			l.host = strings.TrimSuffix(word, ",")
		}
	}
	return l, found
}

// iisOrder is what IIS logs unless told otherwise.
var iisOrder = strings.Fields("date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken")

// parseIIS reads the W3C extended format; a #Fields line above tells the order.
func parseIIS(text string) (logLine, bool) {
	order := iisOrder
	var values []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#Fields:"); ok {
			order = strings.Fields(rest)
		} else if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			values = strings.Fields(line)
		}
	}
	if len(values) < 9 || len(values) > len(order) {
		return logLine{}, false
	}
	at := func(name string) string {
		for i, field := range order {
			if strings.EqualFold(field, name) && i < len(values) {
				return dashless(values[i])
			}
		}
		return ""
	}
	when, err := time.Parse(time.DateTime, at("date")+" "+at("time"))
	if err != nil || at("cs-method") == "" || !strings.HasPrefix(at("cs-uri-stem"), "/") {
		return logLine{}, false
	}
	l := logLine{at: when, host: at("cs-host"), method: at("cs-method"), target: at("cs-uri-stem"), ip: at("c-ip"), userAgent: strings.ReplaceAll(at("cs(User-Agent)"), "+", " ")}
	if query := at("cs-uri-query"); query != "" {
		l.target += "?" + query
	}
	return l, true
}

// parsePlain takes what it recognises in any order.
func parsePlain(text string) logLine {
	var l logLine
	if m := clfTime.FindStringSubmatch(text); m != nil {
		l.at, _ = time.Parse("2/Jan/2006:15:04:05 -0700", m[1])
	} else if m := isoTime.FindStringSubmatch(text); m != nil {
		zone := strings.ReplaceAll(m[5], ":", "")
		if zone == "" || zone == "Z" || zone == "UTC" {
			zone = "+0000"
		}
		l.at, _ = time.Parse("2006-01-02 15:04:05 -0700", m[1]+"-"+m[2]+"-"+m[3]+" "+m[4]+" "+zone)
	} else if m := dayTime.FindStringSubmatch(text); m != nil {
		l.at, _ = time.Parse("2/Jan/2006 15:04:05", m[1]+" "+m[2])
	}
	if m := requested.FindStringSubmatch(text); m != nil {
		l.method, l.target = m[1], strings.TrimRight(m[2], `"',`)
	}
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		if r := request.FindStringSubmatch(m[1]); r != nil {
			l.method, l.target = r[1], r[2]
		} else if agentWord.MatchString(m[1]) {
			l.userAgent = m[1]
		}
	}
	if l.target == "" {
		for _, address := range webURL.FindAllString(text, -1) {
			if !strings.Contains(text, "(+"+address) { // the page that a User-Agent names
				l.target = strings.TrimRight(address, ".,;)")
				break
			}
		}
	}
	if m := hostField.FindStringSubmatch(text); m != nil {
		l.host = m[1]
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\"',;=[](){}", r) }) {
		if l.ip == "" && isIP(word) {
			l.ip = word
		}
	}
	return l
}

func isIP(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

func dashless(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// targetsOf is how the ledger may have written a requested path down: as it came
// and in its normal form, query values redacted. host is set where the target is
// a whole address.
func targetsOf(target string) (targets []string, host string) {
	address := target
	if !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://") {
		if !strings.HasPrefix(address, "/") {
			address = "/" + address
		}
		address = "http://host.invalid" + address
	} else if u, err := url.Parse(target); err == nil {
		host = schema.HostKey(u)
	}
	targets = append(targets, fromPath(schema.RedactAddress(address)))
	if normal, err := schema.NormalizeAddress(address, nil); err == nil {
		if t := fromPath(schema.RedactAddress(normal)); t != targets[0] {
			targets = append(targets, t)
		}
	}
	return targets, host
}

// fromPath cuts scheme and host off an address.
func fromPath(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	i := strings.IndexAny(rest, "/?")
	if i < 0 {
		return "/"
	}
	if rest[i] == '?' {
		return "/" + rest[i:]
	}
	return rest[i:]
}
