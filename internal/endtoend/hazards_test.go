package endtoend_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// patient is a profile for sites of this machine in which page after page is
// meant to fail.
const patient = `
name: patient
product: Visite
version: "1.0"
info: http://127.0.0.1/about
user_agents:
  browser: "{chrome} Visite/1.0 (+{info})"
  client: "Mozilla/5.0 (compatible; Visite/1.0; +{info})"
robots_tokens: [visite]
loopback_only: true
limits:
  pages_at_once: 2
  visits_per_ip: 4
  pause_min: 0s
  pause_factor: 0
  unverified_pages: 3
  retry_after_min: 1s
  retry_after_max: 30s
  retry_after_default: 1s
  stop_after: 1000
`

// deployPatient deploys with the patient profile and a page deadline of 15 s
// where the settings name none.
func deployPatient(t *testing.T, settings ...string) *deployment {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "patient.yaml"), []byte(patient), 0o600); err != nil {
		t.Fatal(err)
	}
	return deploy(t, append([]string{"VISITE_PROFILES_DIR=" + dir, "VISITE_PAGE_DEADLINE=15s"}, settings...)...)
}

// proves S-19, S-23, S-40, S-42, C-41, R-24
func TestHostilePagesAreOutcomesAndTheScanGoesOn(t *testing.T) {
	t.Parallel()
	// What must come of each page: outcome and reason; empty: anything but a hang.
	want := map[string]map[string][2]string{
		"browser": {
			"endless": {"not_analysed", ""}, "events": {"analysed", ""}, "bomb": {"not_analysed", "too_large"}, "big": {"not_analysed", "too_large"},
			"silent": {"not_analysed", "timeout"}, "drip": {"analysed", ""}, "not-gzip": {"not_analysed", "undecodable"}, "refused-once": {"analysed", ""},
			"dropped": {"not_analysed", "connection_failed"}, "dropped-mid": {"not_analysed", ""}, "garbled": {"not_analysed", "protocol_error"},
			"loop": {"not_analysed", ""}, "no-location": {"not_analysed", "bad_redirect"}, "chain/1": {"redirected_in_scope", ""},
			"long-chain/1": {"not_analysed", "too_many_redirects"}, "cookie-wall": {"analysed", ""}, "password": {"password_protected", ""},
			"download": {"not_a_page", "download"}, "latin-as-utf8": {"analysed", ""}, "dialogs": {"analysed", ""}, "prints": {"analysed", ""},
			"popups": {"analysed", ""}, "crashes-tab": {"not_analysed", ""}, "spins": {"not_analysed", "timeout"}, "many-elements": {"analysed", ""},
			"sends": {"analysed", ""}, "sound": {"analysed", ""}, "worker/": {"analysed", ""},
		},
		"http": {
			"endless": {"not_analysed", ""}, "bomb": {"not_analysed", "too_large"}, "big": {"not_analysed", "too_large"}, "silent": {"not_analysed", "timeout"},
			"not-gzip": {"not_analysed", "undecodable"}, "refused-once": {"analysed", ""}, "dropped": {"not_analysed", "connection_failed"},
			"garbled": {"not_analysed", "protocol_error"}, "loop": {"not_analysed", "redirect_loop"}, "no-location": {"not_analysed", "bad_redirect"},
			"chain/1": {"redirected_in_scope", ""}, "long-chain/1": {"not_analysed", "too_many_redirects"}, "cookie-wall": {"analysed", ""},
			"password": {"password_protected", ""}, "download": {"not_a_page", "download"}, "latin-as-utf8": {"analysed", ""},
			"many-elements": {"analysed", ""}, "spins": {"analysed", ""}, "sound": {"analysed", ""},
		},
	}
	for engine, outcomes := range want {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			site := fixturesite.New()
			var links []string
			for _, path := range site.Hazards() {
				if name := strings.TrimPrefix(path, fixturesite.HazardPrefix+"/"); !slices.Contains(timingOut, name) {
					links = append(links, path)
				}
			}
			site.Handle(fixturesite.HazardPrefix+"/", doc("Hazards", links...))
			site.SetText("/robots.txt", "User-agent: *\nAllow: /\n")
			site.Start(t)
			// What is to end otherwise than by the clock has all the time it wants.
			unhurried, hasty := deployPatient(t, "VISITE_PAGE_DEADLINE=2m"), deployPatient(t)
			scan := func(d *deployment, path string, o order) report {
				o["url"], o["engine"], o["profile"] = site.URL(path), engine, "patient"
				s := d.scan(o)
				if s = d.finish(s.ID, 4*time.Minute); s.State != "finished" && s.StateReason != "nothing_analysed" {
					t.Fatalf("%s: ended %s (%s)", path, s.State, s.StateReason)
				}
				return d.report(s.ID)
			}
			all := scan(unhurried, fixturesite.HazardPrefix+"/", order{})
			for name, w := range outcomes {
				r, path := all, fixturesite.HazardPrefix+"/"+name
				if slices.Contains(timingOut, name) {
					r = scan(hasty, path, order{"max_pages": 1})
				}
				p := r.page(t, site.URL(path))
				if p.Outcome != w[0] || (w[1] != "" && p.Reason != w[1]) {
					t.Errorf("%s: %s (%s), want %s (%s)", name, p.Outcome, p.Reason, w[0], w[1])
				}
				if p.Outcome != "analysed" && len(p.Findings) > 0 {
					t.Errorf("%s was not analysed and has %d findings", name, len(p.Findings))
				}
			}
			arrivals := site.Arrivals()
			arrivals.NoMethodsBut(t, "GET", "HEAD", "OPTIONS")
			for _, a := range arrivals {
				if strings.Contains(a.Path, "/sink/") && !strings.HasSuffix(a.Path, "/get") {
					t.Errorf("a page's %s got out", a.Request())
				}
			}
		})
	}
}

// timingOut are scanned one by one: several of them in one scan would end it,
// out of courtesy (C-51).
var timingOut = []string{"endless", "silent", "spins", "crashes-tab", "dropped-mid"}
