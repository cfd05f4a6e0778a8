package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

// shopWithTracker is a site whose banner can be refused: the tracker is asked
// before, and again after, as a site does whose banner has no effect.
func shopWithTracker(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Hostname() {
	case "site.example":
		if r.URL.Path == "/banner" || r.URL.Path == "/next" {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Add("Set-Cookie", "basket=value-of-the-server; HttpOnly; SameSite=Lax")
			banner := ""
			if r.URL.Path == "/banner" {
				banner = `<div id="box" role="dialog" aria-label="Cookies" style="display:none;` + fixed + `"><p>` + we + `</p><button onclick="document.cookie='choice=value-of-the-choice;max-age=9000';track('after');document.getElementById('box').remove()">Reject all</button></div>
				<script src="/cookie-consent.js"></script><script>setTimeout(() => { document.getElementById("box").style.display = "block"; document.cookie = "late=value-of-the-banner"; }, 1500)</script>`
			}
			fmt.Fprint(w, html("", `<script>
				const track = (when) => { new Image().src = "http://tracker.example/" + when + "?" + performance.now(); };
				localStorage.setItem("theme", "value-of-the-theme"); sessionStorage.setItem("tab", "value-of-the-tab");
				document.cookie = "_ga=value-of-the-cookie;max-age=864000";
				track("before");</script>`+banner))
			return
		}
	case "tracker.example":
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, svg)
		return
	}
	http.NotFound(w, r)
}

// What was there before anybody chose is told from what came after the refusal,
// for the page with the banner and for the next one; no value is told at all.
func TestWhatCameBeforeAndAfterARefusal(t *testing.T) {
	d := newDoor(t, http.HandlerFunc(shopWithTracker))
	b := needBrowser(t)
	v := visitOf(t, b, d, "/banner")
	out, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(out.Notes, schema.NoteBannerRejected) {
		t.Fatalf("the banner was not refused: %v", out.Notes)
	}
	tracker := contactOf(out, "tracker.example")
	if tracker.Requests != 2 || tracker.Refused != 1 {
		t.Errorf("one before the refusal and one by it: %+v", tracker)
	}
	stored := map[string]schema.Stored{}
	for _, s := range out.Observed.Stored {
		stored[string(s.Kind)+" "+s.Name] = s
	}
	for name, refused := range map[string]bool{"cookie basket": false, "cookie _ga": false, "cookie late": false, "local_storage theme": false, "session_storage tab": false, "cookie choice": true} {
		if s, there := stored[name]; !there || s.Refused != refused {
			t.Errorf("%s: there %v, %+v", name, there, s)
		}
	}
	if s := stored["cookie _ga"]; s.Days != 10 || s.Host != "site.example" {
		t.Errorf("%+v", s)
	}
	if s := stored["cookie basket"]; s.Days != 0 || !s.HTTPOnly || s.SameSite != "Lax" {
		t.Errorf("%+v", s)
	}
	raw, err := json.Marshal(out.Observed)
	if err != nil || strings.Contains(string(raw), "value-of") {
		t.Errorf("a value is told: %s %v", raw, err)
	}
	v.URL = "http://site.example/next"
	next, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if c := contactOf(next, "tracker.example"); c.Requests != 1 || c.Refused != 1 {
		t.Errorf("on the next page consent is refused already: %+v", c)
	}
	if len(next.Observed.Stored) != 0 {
		t.Errorf("what was told is told again: %+v", next.Observed.Stored)
	}
}

// What the run's visits share says nothing of a refusal while one of them has not
// met a banner yet.
func TestACookieBesideAVisitThatHasNotRefusedCountsAsBefore(t *testing.T) {
	asked, release := make(chan bool), make(chan bool)
	d := newDoor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			close(asked)
			<-release
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, html("", `<script>document.cookie = "other=value"</script>`))
			return
		}
		shopWithTracker(w, r)
	}))
	b := plainBrowser(t)
	v := visitOf(t, b, d, "/banner")
	held := v
	held.URL = "http://site.example/held"
	done := make(chan Rendered, 1)
	go func() {
		out, _ := b.Visit(t.Context(), held)
		done <- out
	}()
	<-asked
	out, err := b.Visit(t.Context(), v)
	close(release)
	beside := <-done
	if err != nil || !slices.Contains(out.Notes, schema.NoteBannerRejected) {
		t.Fatalf("the banner was not refused: %v %v", out.Notes, err)
	}
	names := map[string]bool{}
	for _, s := range append(out.Observed.Stored, beside.Observed.Stored...) {
		if names[s.Name] = true; s.Refused {
			t.Errorf("%+v", s)
		}
	}
	if !names["choice"] || !names["other"] {
		t.Errorf("the test proves little: %v", names)
	}
}

func contactOf(out Rendered, host string) schema.Contact {
	for _, c := range out.Observed.Contacts {
		if c.Host == host {
			return c
		}
	}
	return schema.Contact{}
}
