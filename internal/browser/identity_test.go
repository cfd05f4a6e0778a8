package browser

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"visite/schema"
)

// proves S-03, S-05, S-06
func TestUserAgentIsTheOrdinaryOneOfThisChromium(t *testing.T) {
	b := needBrowser(t)
	version, err := b.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`^Chromium (\d+)(\.\d+){3}$`).FindStringSubmatch(version)
	if m == nil {
		t.Fatalf("version %q", version)
	}
	want := map[schema.Device]string{
		schema.DeviceDesktop: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" + m[1] + ".0.0.0 Safari/537.36",
		schema.DeviceMobile:  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" + m[1] + ".0.0.0 Mobile Safari/537.36",
	}
	for device, ua := range want {
		got, err := b.UserAgent(t.Context(), device)
		if err != nil || got != ua {
			t.Errorf("%s: %q, %v; want %q", device, got, err, ua)
		}
	}
}

const tellTale = `
	const tell = (who, more) => fetch("/told?" + new URLSearchParams({who, ua: navigator.userAgent, data: JSON.stringify(navigator.userAgentData || null), platform: navigator.platform, ...more}));`

// identitySite asks every kind of script who it runs in.
func identitySite() pages {
	return pages{
		"/": html(`<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/s.css">`, `<img src="/a.svg" alt="x"><iframe title="f" src="/frame"></iframe><script>`+tellTale+`
			tell("page", {width: innerWidth, dpr: devicePixelRatio, touch: navigator.maxTouchPoints, reduced: matchMedia("(prefers-reduced-motion: reduce)").matches, coarse: matchMedia("(pointer: coarse)").matches});
			new Worker("/worker.js"); new SharedWorker("/shared.js");
			const f = document.createElement("iframe"); document.body.append(f); tell("blank frame", {ua: f.contentWindow.navigator.userAgent});
		</script>`),
		"/frame": `<!doctype html><script>` + tellTale + `tell("frame")</script>`, "/worker.js": tellTale + `tell("worker")`, "/shared.js": tellTale + `tell("shared worker")`,
		"/s.css": "", "/a.svg": svg, "/told": "",
	}
}

// proves S-02, S-03, S-05, S-06
func TestIdentityIsTheSameEverywhere(t *testing.T) {
	for _, device := range []schema.Device{schema.DeviceDesktop, schema.DeviceMobile} {
		t.Run(string(device), func(t *testing.T) {
			b := needBrowser(t)
			d := newDoor(t, identitySite())
			v := visitOf(t, b, d, "/")
			ua, err := b.UserAgent(t.Context(), device)
			if err != nil {
				t.Fatal(err)
			}
			v.UserAgent, v.Device = ua+" Test/1.0 (+https://visitor.example/about)", device
			v.URL = "http://localhost/" // trustworthy, so that client hints are sent
			if _, err := b.Visit(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			checkRequests(t, d, v)
			checkScripts(t, d, v, device)
		})
	}
}

func checkRequests(t *testing.T, d *door, v Visit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	paths := map[string]bool{}
	for _, r := range d.seen {
		paths[r.URL.Path] = true
		if got := r.Header.Get("User-Agent"); got != v.UserAgent {
			t.Errorf("%s was asked for as %q", r.URL.Path, got)
		}
		checkHints(t, r.Header, v)
	}
	for _, p := range []string{"/", "/frame", "/s.css", "/a.svg", "/worker.js", "/shared.js", "/told"} {
		if !paths[p] {
			t.Errorf("%s was not asked for; the test proves nothing about it", p)
		}
	}
}

func checkHints(t *testing.T, h http.Header, v Visit) {
	t.Helper()
	mobile, platform := "?0", `"Linux"`
	if v.Device == schema.DeviceMobile {
		mobile, platform = "?1", `"Android"`
	}
	major := regexp.MustCompile(`Chrome/(\d+)`).FindStringSubmatch(v.UserAgent)[1]
	for name, want := range map[string]string{"Sec-Ch-Ua-Mobile": mobile, "Sec-Ch-Ua-Platform": platform, "Sec-Ch-Ua": `"Chromium";v="` + major + `", "Not_A Brand";v="99"`} {
		if got := h.Get(name); got != "" && got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func checkScripts(t *testing.T, d *door, v Visit, device schema.Device) {
	told := map[string]map[string]string{}
	plain, err := needBrowser(t).UserAgent(t.Context(), schema.DeviceDesktop)
	if err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.seen {
		if q := r.URL.Query(); r.URL.Path == "/told" {
			told[q.Get("who")] = map[string]string{}
			for k := range q {
				told[q.Get("who")][k] = q.Get(k)
			}
			want := v.UserAgent
			if q.Get("who") == "shared worker" { // belongs to no tab, so it has the browser's own
				want = plain
			}
			if q.Get("ua") != want {
				t.Errorf("%s runs in %q", q.Get("who"), q.Get("ua"))
			}
			if strings.Contains(q.Get("data"), "Headless") {
				t.Errorf("%s: %s", q.Get("who"), q.Get("data"))
			}
		}
	}
	for _, who := range []string{"page", "frame", "blank frame", "worker", "shared worker"} {
		if told[who] == nil {
			t.Errorf("%s told nothing", who)
		}
	}
	var data struct{ Mobile bool }
	if err := json.Unmarshal([]byte(told["page"]["data"]), &data); err != nil || data.Mobile != (device == schema.DeviceMobile) {
		t.Errorf("userAgentData %s", told["page"]["data"])
	}
	want := map[string]string{"width": "1366", "dpr": "1", "touch": "0", "reduced": "true", "coarse": "false"}
	if device == schema.DeviceMobile {
		want = map[string]string{"width": "412", "dpr": "2.625", "touch": "1", "reduced": "true", "coarse": "true"}
	}
	for k, w := range want {
		if got := told["page"][k]; got != w {
			t.Errorf("%s is %s, want %s", k, got, w)
		}
	}
}
