package browser

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func newPrinter(t *testing.T) *Printer {
	t.Helper()
	p, err := NewPrinter(Options{})
	if err != nil {
		missing(t, err)
	}
	return p
}

// Whatever a document asks for, nothing leaves; it is printed all the same, as a
// tagged PDF with its title, its language and an outline. The document is a report
// with everything in it that could ask for something.
func TestPrintLetsNothingOut(t *testing.T) {
	p := newPrinter(t)
	var asked, connected atomic.Int32
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	site.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connected.Add(1)
		}
	}
	site.Start()
	defer site.Close()
	u := site.URL
	report, err := os.ReadFile("../report/testdata/report.golden.html")
	if err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf(`<head><base href="%[1]s/"><meta http-equiv="refresh" content="0; url=%[1]s/refresh"><link rel="preconnect" href="%[1]s"><link rel="prefetch" href="%[1]s/prefetch">
<link rel="stylesheet" href="%[1]s/a.css"><script src="%[1]s/a.js"></script>
<script>fetch("%[1]s/fetch"); navigator.sendBeacon("%[1]s/beacon"); new WebSocket("ws" + "%[1]s/ws".slice(4)); location = "%[1]s/away"</script>
<style>@import url(%[1]s/b.css); @font-face { font-family: x; src: url(%[1]s/f.woff2) } body { background: url(%[1]s/bg.png); font-family: x }</style>`, u)
	body := fmt.Sprintf(`<img alt="" src="%[1]s/i.png"><iframe src="%[1]s/frame"></iframe><object data="%[1]s/o.svg"></object><video src="%[1]s/v.mp4" autoplay></video>
<svg><image href="%[1]s/s.png"/></svg><form action="%[1]s/form"></form></body>`, u)
	page := strings.Replace(strings.Replace(string(report), "<head>", head, 1), "</body>", body, 1)
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	if err := p.Print(ctx, &out, []byte(page)); err != nil {
		t.Fatal(err)
	}
	if n, c := asked.Load(), connected.Load(); n != 0 || c != 0 {
		t.Errorf("%d requests and %d connections left the printer", n, c)
	}
	checkStructure(t, out.Bytes())
	if resp, err := http.Get(u + "/control"); err != nil || asked.Load() != 1 { // the site does notice requests
		t.Errorf("control request: %v, %d seen", err, asked.Load())
	} else {
		resp.Body.Close()
	}
}

func TestPrinterNamesMissingChromium(t *testing.T) {
	t.Setenv("VISITE_CHROMIUM", "/nowhere/chromium")
	if _, err := NewPrinter(Options{}); err == nil {
		t.Error("a printer without Chromium")
	}
}
