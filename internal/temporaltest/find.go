package temporaltest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// envCLI names the variable that says where the Temporal CLI is.
const envCLI = "VISITE_TEMPORAL"

// findCLI gives the path of the Temporal CLI: from VISITE_TEMPORAL, PATH,
// .tools/bin in a folder above, or where `go install` puts programs.
func findCLI() (string, error) {
	if set := os.Getenv(envCLI); set != "" {
		return set, nil
	}
	if path, err := exec.LookPath("temporal"); err == nil {
		return path, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("look for the Temporal CLI: %w", err)
	}
	var places []string
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(dir, ".tools", "bin"))
	}
	if out, err := exec.Command("go", "env", "GOPATH").Output(); err == nil {
		places = append(places, filepath.Join(strings.TrimSpace(string(out)), "bin"))
	}
	for _, place := range places {
		path := filepath.Join(place, "temporal")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("the Temporal CLI (temporal) was not found: set %s, or run make setup", envCLI)
}
