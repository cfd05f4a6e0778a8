package browser

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

func TestABuildWithoutPageScriptsSaysHowToGetThem(t *testing.T) {
	_, err := loadScripts(fstest.MapFS{"scripts/dist/.keep": {}})
	if !errors.Is(err, ErrNoScripts) || !strings.Contains(err.Error(), "make generate") {
		t.Errorf("%v", err)
	}
}
