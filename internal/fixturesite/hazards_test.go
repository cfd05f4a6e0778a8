package fixturesite

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func hazardSite(t *testing.T) *Site {
	site := New()
	site.Hazards()
	return site.Start(t)
}

func TestHazardIndexNamesEachHazard(t *testing.T) {
	site := New()
	paths := site.Hazards()
	site.Start(t)
	_, body := get(t, site.URL(HazardPrefix+"/"))
	if len(paths) < 25 || strings.Count(body, "<a ") != len(paths) {
		t.Errorf("%d hazards, %d links", len(paths), strings.Count(body, "<a "))
	}
	for _, path := range paths {
		if !strings.Contains(body, `href="`+path+`"`) {
			t.Errorf("index does not name %s", path)
		}
	}
}

func TestAnswersThatEnd(t *testing.T) {
	site := hazardSite(t)
	for _, c := range []struct {
		path   string
		status int
		header string
		value  string
	}{
		{"/refused-once", 429, "Retry-After", "1"},
		{"/refused-once", 200, "Retry-After", ""},
		{"/loop", 302, "Location", "/hazard/loop-back"},
		{"/loop-back", 302, "Location", "/hazard/loop"},
		{"/no-location", 301, "Location", ""},
		{"/chain/1", 302, "Location", "/hazard/chain/2"},
		{"/chain/4", 302, "Location", "/hazard/sound"},
		{"/cookie-wall", 302, "Location", "/hazard/cookie-wall"},
		{"/password", 401, "WWW-Authenticate", `Basic realm="staging"`},
		{"/files/42", 200, "Content-Disposition", `attachment; filename="overview.xlsx"`},
		{"/worker/worker.js", 200, "Content-Type", "text/javascript; charset=utf-8"},
		{"/sink/form", 204, "Content-Type", ""},
	} {
		res, _ := get(t, site.URL(HazardPrefix+c.path))
		if res.StatusCode != c.status || res.Header.Get(c.header) != c.value {
			t.Errorf("%s: %d, %s %q; want %d, %q", c.path, res.StatusCode, c.header, res.Header.Get(c.header), c.status, c.value)
		}
	}
	if res, _ := get(t, site.URL(HazardPrefix+"/cookie-wall"), "Cookie", "seen=1"); res.StatusCode != 200 {
		t.Errorf("with its cookie: %d", res.StatusCode)
	}
}

// bounded fails its own test where something hangs, instead of the whole run.
var bounded = &http.Client{Timeout: time.Minute}

func TestConnectionsThatBreak(t *testing.T) {
	site := hazardSite(t)
	for _, path := range []string{"/dropped", "/garbled"} {
		if res, err := bounded.Get(site.URL(HazardPrefix + path)); err == nil {
			res.Body.Close()
			t.Errorf("%s answered %d", path, res.StatusCode)
		}
	}
	res, err := bounded.Get(site.URL(HazardPrefix + "/dropped-mid"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half a page: %v, want an unexpected end", err)
	}
}

func TestEndlessAnswersGoOnUntilTheVisitorLeaves(t *testing.T) {
	site := hazardSite(t)
	for _, path := range []string{"/endless", "/event-stream", "/silent"} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, site.URL(HazardPrefix+path), nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			_, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s ended by itself: %v", path, err)
		}
	}
	for deadline := time.Now().Add(30 * time.Second); site.InFlight() > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests still under way after their visitors left", site.InFlight())
		}
	}
}

func TestBombIsSmallOnTheWire(t *testing.T) {
	site := New()
	site.Handle("/bomb", GzipBomb(32<<20))
	site.Start(t)
	_, packed := get(t, site.URL("/bomb"))
	z, err := gzip.NewReader(bytes.NewReader([]byte(packed)))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, z)
	if err != nil || n < 32<<20 || len(packed) > 64<<10 {
		t.Errorf("%d bytes on the wire, %d unpacked, %v", len(packed), n, err)
	}
}
