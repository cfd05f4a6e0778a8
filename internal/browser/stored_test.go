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
				banner = `<div id="box" role="dialog" aria-label="Cookies" style="` + fixed + `"><p>` + we + `</p><button onclick="document.cookie='choice=value-of-the-choice;max-age=9000';track('after');document.getElementById('box').remove()">Reject all</button></div>`
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
	if tracker.Requests < 1 || tracker.Refused >= tracker.Requests {
		t.Errorf("nothing before the refusal: %+v", tracker)
	}
	stored := map[string]schema.Stored{}
	for _, s := range out.Observed.Stored {
		stored[string(s.Kind)+" "+s.Name] = s
	}
	for name, refused := range map[string]bool{"cookie basket": false, "cookie _ga": false, "local_storage theme": false, "session_storage tab": false, "cookie choice": true} {
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

func contactOf(out Rendered, host string) schema.Contact {
	for _, c := range out.Observed.Contacts {
		if c.Host == host {
			return c
		}
	}
	return schema.Contact{}
}
