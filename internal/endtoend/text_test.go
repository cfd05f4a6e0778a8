package endtoend_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// canaries are words that stand in one place each, so that one found again says
// where it came from.
type canaries map[string]bool

// at is the word for a place.
func (c canaries) at(place string) string {
	word := "mirkle" + place + "wort"
	c[word] = true
	return word
}

// talker is a site that says its words everywhere but in what a page says of
// itself: in refused pages, addresses, headers, cookies, forms and errors.
func talker(t *testing.T, c canaries) *fixturesite.Site {
	t.Helper()
	site := fixturesite.New()
	var links strings.Builder
	add := func(path string, h http.HandlerFunc) {
		fmt.Fprintf(&links, "<li><a href=\"%s\">next</a>\n", path)
		site.Handle(path, h)
	}
	html := func(status int, title, body string, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Add(header[i], header[i+1])
			}
			w.WriteHeader(status)
			fmt.Fprintf(w, "<!doctype html><html lang=en><title>%s</title><h1>%s</h1><p>%s</p></html>", title, title, strings.ReplaceAll(body, "{{base}}", fixturesite.Base(r)))
		}
	}
	hangUp := func(say string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			_, _ = io.WriteString(conn, say)
			_ = conn.Close()
		}
	}
	add("/gone", html(404, c.at("titlegone"), c.at("bodygone")))
	add("/broken", html(500, c.at("titlebroken"), c.at("bodybroken")))
	add("/challenge", html(403, "Just a moment... "+c.at("titlechallenge"), c.at("bodychallenge"), "Cf-Mitigated", "challenge", "Cf-Ray", c.at("ray")))
	add("/later", html(429, c.at("titlelater"), c.at("bodylater"), "Retry-After", c.at("retryafter")))
	add("/password", html(401, c.at("titlepassword"), c.at("bodypassword"), "WWW-Authenticate", `Basic realm="`+c.at("realm")+`"`))
	add("/away", html(302, c.at("titleaway"), c.at("bodyaway"), "Location", "http://u:"+c.at("awaypassword")+"@elsewhere.test/?text="+c.at("awayquery")+"#"+c.at("awayfragment")))
	add("/nowhere", html(302, c.at("titlenowhere"), c.at("bodynowhere"), "Location", "http://["+c.at("brokenlocation")+"/"))
	add("/login", html(302, "", "", "Location", "/account?session_token="+c.at("sessiontoken")+"&page=1"))
	site.Handle("/account", html(200, "Account", "An account."))
	add("/download", html(200, "", c.at("download"), "Content-Disposition", `attachment; filename="`+c.at("filename")+`.html"`))
	add("/garbled", hangUp(c.at("garbled")+" is no answer\r\n\r\n"))
	add("/badheader", hangUp("HTTP/1.1 200 OK\r\n"+c.at("badheader")+"\r\n\r\n"))
	add("/badlength", hangUp("HTTP/1.1 200 OK\r\nContent-Length: "+c.at("badlength")+"\r\n\r\n"))
	add("/badchunk", hangUp("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"+c.at("badchunk")+"\r\n"))
	add("/badcoding", html(200, c.at("titlecoding"), c.at("bodycoding"), "Content-Encoding", "gzip"))
	add("/headers", html(200, "Headers", "A page.", "X-Note", c.at("header"), "Etag", `"`+c.at("etag")+`"`, "Server", c.at("server"), "X-Powered-By", c.at("poweredby"),
		"Set-Cookie", c.at("cookiename")+"="+c.at("cookievalue")+"; HttpOnly", "Content-Language", "the words of "+c.at("languageheader"),
		"Link", "</linked?token="+c.at("linktoken")+`>; rel="canonical"; title="`+c.at("linktitle")+`"`, "Server-Timing", `db;desc="`+c.at("timing")+`"`,
		"Content-Security-Policy", "report-uri /csp?token="+c.at("cspquery"), "Refresh", "99;url=/r?token="+c.at("refreshtoken")))
	add("/addresses", html(200, "Addresses", `</p>
<link rel="canonical" href="/addresses?token=`+c.at("canonicaltoken")+`"><link rel="alternate" hreflang="de" href="/de?token=`+c.at("hreflangtoken")+`">
<meta property="og:url" content="{{base}}/og?access_token=`+c.at("ogtoken")+`"><meta property="og:image" content="https://pictures.test/p.png?text=`+c.at("ogforeign")+`">
<a href="/private?token=`+c.at("linkquery")+`">a</a> <a href="/confirm?code=`+c.at("longcode")+`4f5a6b7c8d9e0f1a">b</a> <a href="/jwt?x=eyJhbGciOiJub25lIn0.`+c.at("jwt")+`.">c</a>
<a href="http://user:`+c.at("userinfo")+`@elsewhere.test/">d</a> <a href="/fragment#`+c.at("fragment")+`">e</a> <a href="https://share.test/?text=`+c.at("sharetext")+`">f</a>
<a href="mailto:a@b.test?body=`+c.at("mailbody")+`">g</a> <a href="javascript:alert('`+c.at("scripturl")+`')">h</a> <a href="http://:`+c.at("brokenurl")+`">i</a>
<img src="/missing.png?sig=`+c.at("imagesig")+`" alt="picture"><img src="data:text/plain,`+c.at("dataurl")+`" alt="picture">
<iframe src="/framed?token=`+c.at("frametoken")+`" title="frame"></iframe><script src="/none.js?apikey=`+c.at("scriptkey")+`"></script>
<link rel="stylesheet" href="http://insecure.test/?text=`+c.at("foreignstyle")+`"><p>`))
	add("/script", html(200, "Script", `</p><script>
document.cookie = "`+c.at("scriptcookie")+`=1"; localStorage.setItem("k", "`+c.at("storage")+`"); sessionStorage.setItem("k", "`+c.at("sessionstorage")+`");
console.log("`+c.at("console")+`"); setTimeout(() => { throw new Error("`+c.at("thrown")+`") }); Promise.reject(new Error("`+c.at("rejected")+`"));
fetch("/fetched?token=`+c.at("fetchtoken")+`").catch(() => {}); fetch("/posted", {method: "POST", body: "`+c.at("posted")+`"}).catch(() => {});
indexedDB.open("`+c.at("indexeddb")+`"); caches.open("`+c.at("cachename")+`").then(x => x.put("/c", new Response("`+c.at("cached")+`"))).catch(() => {});
alert("`+c.at("dialog")+`"); window.open("/popped?token=`+c.at("popup")+`"); window.name = "`+c.at("windowname")+`";
history.pushState(null, "", "/script?token=`+c.at("pushed")+`"); performance.mark("`+c.at("mark")+`");
new WebSocket("ws://" + location.host + "/ws?token=`+c.at("socket")+`"); navigator.sendBeacon("/b?token=`+c.at("beacon")+`", "`+c.at("beaconbody")+`");
</script><p>`))
	add("/leaves", html(200, "Leaves", `</p><script>location.href = "/left?token=`+c.at("lefttoken")+`"</script><p>`))
	add("/form", html(200, "Form", `</p><form action="/sent?token=`+c.at("actiontoken")+`" method="post"><label>a <input name="q" value="`+c.at("inputvalue")+`"></label>
<input name="r" placeholder="`+c.at("placeholder")+`"><input type="hidden" name="`+c.at("hiddenname")+`" value="`+c.at("hiddenvalue")+`"><textarea name="t">`+c.at("textarea")+`</textarea>
<select name="s"><option value="`+c.at("optionvalue")+`">`+c.at("option")+`</option></select><button name="b" value="`+c.at("buttonvalue")+`">`+c.at("button")+`</button></form><p>`))
	add("/texts", html(200, "Texts", `</p><p id="`+"plain"+`" title="`+c.at("titleattribute")+`" data-x="`+c.at("dataattribute")+`" style="color:#bbb">`+c.at("lowcontrast")+`</p>
<!-- `+c.at("comment")+` --><img src="/x.png" alt="`+c.at("alt")+`"><svg><title>`+c.at("svgtitle")+`</title></svg><button aria-label="`+c.at("arialabel")+`"></button>
<table><caption>`+c.at("caption")+`</caption><tr><td>`+c.at("cell")+`</table><script type="application/ld+json">{"name": "`+c.at("jsonld")+`"}</script><p>`))
	for i := range 12 { // so that there is something in the middle
		add("/filler/"+strconv.Itoa(i), html(200, "Filler "+strconv.Itoa(i), c.at("filler")))
	}
	site.Handle("/", html(200, "Home", "Home.</p><ul>"+links.String()+"</ul><p>"+c.at("home")))
	site.SetText("/robots.txt", "# "+c.at("robotscomment")+"\nUser-agent: *\nAllow: /\nSitemap: {{base}}/sitemap.xml\nSitemap: {{base}}/secret.xml?token="+c.at("sitemaptoken")+"\n")
	site.SetText("/sitemap.xml", `<?xml version="1.0"?><!-- `+c.at("sitemapcomment")+` --><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{{base}}/invite?token=`+c.at("entrytoken")+`</loc></url></urlset>`)
	return site.Start(t)
}

// What a site says stands nowhere afterwards, even where the worker was killed
// in the middle: not in the database, a history, a log, a report, the browser's
// folder or what the processes left.
//
// proves C-36, C-58, C-61, S-24, R-23
func TestNothingASiteSaysIsKept(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"browser", "http"} {
		t.Run(engine, func(t *testing.T) {
			words := canaries{}
			site := talker(t, words)
			temp := shortTempDir(t)
			d := deployPatient(t, "VISITE_LOG_LEVEL=debug", "TMPDIR="+temp)
			s := d.scan(order{"url": site.URL("/"), "engine": engine, "profile": "patient"})
			waitFor(d, func() int { now, _ := d.status(s.ID); return now.Progress.Done }, 12)
			d.worker.kill()
			left := map[string][]byte{}
			readFolder(t, temp, left)
			d.worker = d.start("worker")
			if s = d.finish(s.ID, 4*time.Minute); s.State != "finished" || s.Progress.Done < 30 {
				t.Fatalf("scan %+v", s)
			}
			r := d.report(s.ID)
			for path, outcome := range map[string]string{"/gone": "error_answer", "/challenge": "blocked", "/password": "password_protected", "/away": "redirected_out_of_scope",
				"/headers": "analysed", "/addresses": "analysed", "/form": "analysed", "/texts": "analysed", "/filler/11": "analysed"} {
				if p := r.page(t, site.URL(path)); p.Outcome != outcome {
					t.Errorf("%s: outcome %s (%s), want %s", path, p.Outcome, p.Reason, outcome)
				}
			}
			searched := map[string][]byte{}
			dumpDatabase(t, d.database, searched)
			searched["workflow history"] = history(t, d, workflowID(s))
			searched["details"] = []byte(currentDetails(t, d, s))
			for _, kind := range []string{"application/json", "text/html"} {
				_, searched["report as "+kind] = d.request("GET", "/v1/scans/"+s.ID+"/report", d.token, nil, "Accept", kind)
			}
			for _, path := range []string{"", "/pages", "/findings", "/links"} {
				_, searched["API "+path] = d.request("GET", "/v1/scans/"+s.ID+path, d.token, nil)
			}
			readFolder(t, d.logs, searched)
			d.temporal.Kill() // so that its database file is complete
			readFolder(t, filepath.Dir(d.logs), searched)
			d.worker.kill()
			readFolder(t, temp, searched)
			for where, raw := range left {
				searched["after the kill: "+where] = raw
			}
			if len(searched["workflow history"]) < 1000 || len(searched["table pages"]) < 1000 || len(searched["report as application/json"]) < 1000 {
				t.Fatal("there is nothing to search in")
			}
			for _, trace := range []string{"/private?token=*", "https://share.test/?text=*", "/confirm?code=*"} { // the links were seen
				if !bytes.Contains(searched["table addresses"], []byte(trace)) {
					t.Errorf("no address like %s is recorded", trace)
				}
			}
			words.foundNowhere(t, searched)
		})
	}
}

// octets are how PostgreSQL writes a bytea.
var octets = regexp.MustCompile(`\\\\?x([0-9a-f]{12,})`)

// readable is everything that may be read in something, in lower case: as it is,
// as UTF-16, and what stands in it as octets.
func readable(raw []byte) []byte {
	out := append(bytes.Clone(raw), '\n')
	out = append(out, bytes.ReplaceAll(raw, []byte{0}, nil)...)
	for _, m := range octets.FindAllSubmatch(raw, -1) {
		if plain, err := hex.DecodeString(string(m[1])); err == nil {
			out = append(append(out, '\n'), plain...)
		}
	}
	return bytes.ToLower(out)
}

// foundNowhere says of each word where it was found all the same. A copy of
// robots.txt is a file for robots, not a page's text, and is kept until it is
// read anew.
func (c canaries) foundNowhere(t *testing.T, searched map[string][]byte) {
	t.Helper()
	word := regexp.MustCompile(`mirkle[a-z]+?wort`)
	for _, where := range slices.Sorted(maps.Keys(searched)) {
		raw := readable(searched[where])
		seen := map[string]bool{}
		for _, at := range word.FindAllIndex(raw, -1) {
			w := string(raw[at[0]:at[1]])
			if seen[w] || !c[w] || where == "table courtesy_robots" {
				continue
			}
			seen[w] = true
			t.Errorf("%s is in %s: …%.160q", w, where, raw[max(0, at[0]-80):])
		}
	}
}

// A worker that crashes leaves no image of its memory, nor does its Chromium,
// whatever it was started with.
//
// proves C-36, C-58
func TestACrashLeavesNoImageOfTheMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("reads limits from /proc")
	}
	d := deploy(t)
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", d.worker.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?m)^Max core file size +(\S+) +(\S+)`).FindSubmatch(limits); m == nil || string(m[1]) != "0" || string(m[2]) != "0" {
		t.Errorf("limits of the worker: %q", m)
	}
}
