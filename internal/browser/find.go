package browser

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoChromium tells that no Chromium was found on this machine.
var ErrNoChromium = errors.New("browser: no Chromium found; install the distribution's chromium package or name the binary in VISITE_CHROMIUM")

// Find returns the path of the Chromium to use: VISITE_CHROMIUM, the PATH,
// .tools/bin under the working folder, then where distributions put it.
func Find() (string, error) {
	if p := os.Getenv("VISITE_CHROMIUM"); p != "" {
		return exec.LookPath(p)
	}
	names := []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"}
	for _, n := range names {
		if p, err := exec.LookPath(n); err == nil {
			return p, nil
		}
	}
	for _, dir := range []string{filepath.Join(".tools", "bin"), "/usr/bin", "/usr/lib/chromium", "/opt/google/chrome", "/snap/bin"} {
		for _, n := range names {
			if p, err := exec.LookPath(filepath.Join(dir, n)); err == nil {
				return filepath.Abs(p)
			}
		}
	}
	return "", ErrNoChromium
}
