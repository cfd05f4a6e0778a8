package fixturesite

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// HazardPrefix is where Hazards puts its pages.
const HazardPrefix = "/hazard"

// Hazards adds pages that have broken other tools, each at HazardPrefix/name,
// and an index of them at HazardPrefix/. It returns their paths in index order.
func (s *Site) Hazards() []string {
	sound := page("All well", "")
	at := func(name string) string { return HazardPrefix + "/" + name }
	list := []struct {
		name string
		h    http.Handler
	}{
		{"endless", Endless(50 * time.Millisecond)},
		{"events", ListensForEver(at("event-stream"))},
		{"bomb", GzipBomb(256 << 20)},
		{"big", BigPage(200 << 20)},
		{"silent", Silent()},
		{"drip", Drip(20, 50*time.Millisecond)},
		{"not-gzip", Broken()},
		{"refused-once", Refusing(1, http.StatusTooManyRequests, "1", sound)},
		{"dropped", Drop()},
		{"dropped-mid", DropMid()},
		{"garbled", Garbled()},
		{"loop", RedirectTo(http.StatusFound, at("loop-back"))},
		{"no-location", RedirectTo(http.StatusMovedPermanently, "")},
		{"chain/1", Chain(at("chain"), 4, at("sound"))},
		{"long-chain/1", Chain(at("long-chain"), 30, at("sound"))},
		{"cookie-wall", CookieWall(sound)},
		{"password", BasicAuth("staging")},
		{"download", RedirectTo(http.StatusFound, at("files/42"))},
		{"latin-as-utf8", LatinAsUTF8()},
		{"dialogs", Dialogs()},
		{"prints", Prints()},
		{"popups", Popups(at("popped-up"))},
		{"crashes-tab", CrashesTab()},
		{"spins", Spins()},
		{"many-elements", ManyElements(100_000)},
		{"sends", Sends(at("sink"))},
		{"sound", sound},
	}
	paths := make([]string, 0, len(list))
	var index strings.Builder
	for _, hazard := range list {
		path := at(hazard.name)
		pattern := path
		if family, ok := strings.CutSuffix(path, "/1"); ok {
			pattern = family + "/*"
		}
		s.Handle(pattern, hazard.h)
		fmt.Fprintf(&index, "<p><a href=\"%s\">%s</a></p>\n", path, hazard.name)
		paths = append(paths, path)
	}
	s.Handle(at("event-stream"), EventStream(100*time.Millisecond))
	s.Handle(at("loop-back"), RedirectTo(http.StatusFound, at("loop")))
	s.Handle(at("files/42"), Attachment("overview.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", 4096))
	s.Handle(at("popped-up"), sound)
	s.Handle(at("sink/*"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	s.AddWorker(at("worker"))
	paths = append(paths, at("worker/"))
	fmt.Fprintf(&index, "<p><a href=\"%s\">worker</a></p>\n", at("worker/"))
	s.Handle(at(""), page("Hazards", index.String()))
	return paths
}
