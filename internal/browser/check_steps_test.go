package browser

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"visite/schema"
)

// What nobody looked at has not run, for all checks that use the page and for each.
func TestChecksThatCouldNotLookHaveNotRun(t *testing.T) {
	const nothing = `{"audio": 0, "changes": 0, "turned": 0, "boxes": 0, "hidden": 0, "stops": 0, "motion": 0, "scripts": 0}`
	all := []string{"audio-autoplay", "content-changes", "device-motion", "orientation-lock", "zoom-clips-text", "aria-hidden-keeps-focus", "keyboard-trap", "focus-not-visible", "character-key-shortcut"}
	for answer, notRun := range map[string][]string{
		"null":  all,
		nothing: nil,
		`{"audio": null, "changes": 0, "turned": 0, "boxes": null, "hidden": 0, "stops": 0, "motion": 0, "scripts": null}`: {"audio-autoplay", "zoom-clips-text", "character-key-shortcut"},
		`{"audio": 0, "changes": null, "turned": 0, "boxes": 0, "hidden": 0, "stops": null, "motion": 1, "scripts": null}`: {"content-changes", "device-motion", "keyboard-trap", "focus-not-visible", "character-key-shortcut"},
	} {
		var p *plan
		if err := json.Unmarshal([]byte(answer), &p); err != nil {
			t.Fatal(err)
		}
		c := &checker{until: time.Now().Add(time.Hour)}
		c.use(c.steps(p, schema.DeviceDesktop))
		if !slices.Equal(c.results.NotRun, notRun) || len(c.results.Ran)+len(notRun) != len(all) {
			t.Errorf("%s: ran %v, not run %v, want %v", answer, c.results.Ran, c.results.NotRun, notRun)
		}
	}
}
