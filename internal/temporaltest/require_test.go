package temporaltest

import (
	"fmt"
	"testing"

	"visite/internal/toolpath"
)

// verdict is a TB that notes whether a test was skipped or failed.
type verdict struct {
	testing.TB
	said string
}

func (v *verdict) Helper()        {}
func (v *verdict) Skip(a ...any)  { v.end("skipped: ", a) }
func (v *verdict) Fatal(a ...any) { v.end("failed: ", a) }

// end keeps the first verdict: the real ones do not return.
func (v *verdict) end(how string, a []any) {
	if v.said == "" {
		v.said = how + fmt.Sprint(a...)
	}
}

func TestWithoutTheProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"PATH", "HOME", "GOPATH", "GOBIN"} {
		t.Setenv(name, t.TempDir())
	}
	t.Setenv(toolpath.EnvTemporal, "")
	why := toolpath.ErrNoTemporal.Error()
	for ci, want := range map[string]string{"": "skipped: " + why, "true": "failed: " + why} {
		t.Setenv("CI", ci)
		v := &verdict{TB: t}
		if requireCLI(v); v.said != want {
			t.Errorf("CI=%q: %q, want %q", ci, v.said, want)
		}
	}
}
