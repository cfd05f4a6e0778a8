package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// deadProxy is where traffic of anything but a run's own context would go: a
// port nothing listens on, so that it goes nowhere.
const deadProxy = "http://127.0.0.1:1"

// smallShm is the size of /dev/shm in bytes under which Chromium must not keep
// shared memory there: containers give 64 MiB, and renderers die of it.
const smallShm = 512 << 20

// features of Chromium that are switched off, and why.
var disabledFeatures = []string{
	// They keep cross-origin frames in processes of their own, out of reach of the
	// accessibility engine. Contexts of different runs never share a process.
	"IsolateOrigins", "site-per-process", "IsolateSandboxedIframes", "OriginKeyedProcessesByDefault", "ProcessPerSiteUpToMainFrameThreshold",
	// They ask for another address than the page names, and hide what is there.
	"HttpsUpgrades", "HttpsFirstBalancedMode", "HttpsFirstBalancedModeAutoEnable", "HttpsFirstModeV2",
	// They call home or look ahead.
	"OptimizationHints", "OptimizationHintsFetching", "OptimizationGuideModelDownloading", "OptimizationTargetPrediction",
	"MediaRouter", "DialMediaRouteProvider", "Translate", "TranslateUI", "InterestFeedContentSuggestions", "CertificateTransparencyComponentUpdater",
	"AutofillServerCommunication", "NetworkTimeServiceQuerying", "DnsOverHttps", "AsyncDns", "Prerender2", "SpeculationRulesPrefetchFuture", "NoStatePrefetch",
	"PreconnectToSearch", "LoadingPredictorPrefetch", "PrivacySandboxSettings4", "FedCm", "FledgeInterestGroups",
	// The door decides which addresses may be reached.
	"LocalNetworkAccessChecks", "BlockInsecurePrivateNetworkRequests",
	// Tabs of one run load side by side; none may be held back as hidden.
	"CalculateNativeWinOcclusion", "IntensiveWakeUpThrottling", "DestroyProfileOnBrowserClose", "GlobalMediaControls", "PaintHolding",
	// Each window of the full browser would start renderers for its address bar.
	"WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
}

// flags is Chromium's command line. userAgent is the plain one of this
// Chromium: it holds where no override of a tab reaches (shared workers), so
// that "Headless" stands nowhere. Empty: unknown.
func flags(dir, userAgent string, spki []string, root bool) []string {
	f := []string{
		"--headless=new", "--remote-debugging-pipe", "--no-startup-window",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--password-store=basic", "--use-mock-keychain",
		"--no-first-run", "--no-default-browser-check", "--no-service-autorun", "--disable-default-apps", "--disable-extensions", "--disable-component-extensions-with-background-pages",
		// Nothing calls home.
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-domain-reliability", "--disable-client-side-phishing-detection",
		"--disable-breakpad", "--disable-crash-reporter", "--no-crash-upload", "--disable-field-trial-config", "--disable-variations-safe-mode", "--metrics-recording-only", "--no-pings",
		"--disable-search-engine-choice-screen", "--safebrowsing-disable-auto-update", "--disable-features=" + strings.Join(disabledFeatures, ","), "--disable-site-isolation-trials",
		// One way out: the context's proxy, for this machine's own addresses too.
		"--proxy-server=" + deadProxy, "--proxy-bypass-list=<-loopback>", "--disable-quic", "--dns-prefetch-disable",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--webrtc-ip-handling-policy=disable_non_proxied_udp", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		// Pages behave as if seen, and the same on each run.
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--disable-hang-monitor",
		"--force-color-profile=srgb", "--hide-scrollbars", "--mute-audio", "--lang=en-US", "--window-size=1366,768", "--disable-gpu", "--disable-popup-blocking", "--disable-prompt-on-repost",
		"--js-flags=--max-old-space-size=1536", // a page that allocates without end loses its own renderer, not the machine
	}
	if userAgent != "" {
		f = append(f, "--user-agent="+userAgent)
	}
	if len(spki) > 0 {
		f = append(f, "--ignore-certificate-errors-spki-list="+strings.Join(spki, ","))
	}
	if root { // Chromium's sandbox refuses root
		f = append(f, "--no-sandbox", "--test-type")
	}
	if shmBytes() < smallShm {
		f = append(f, "--disable-dev-shm-usage")
	}
	return f
}

// preferences are what no flag says: nothing is fetched ahead of need (also
// where a page's speculation rules ask for it), and no datagram leaves.
const preferences = `{
	"net": {"network_prediction_options": 2},
	"webrtc": {"ip_handling_policy": "disable_non_proxied_udp", "multiple_routes_enabled": false, "nonproxied_udp_enabled": false},
	"signin": {"allowed": false, "allowed_on_next_startup": false},
	"safebrowsing": {"enabled": false},
	"search": {"suggest_enabled": false},
	"translate": {"enabled": false},
	"credentials_enable_service": false
}`

func writePreferences(dir string) error {
	profile := filepath.Join(dir, "profile", "Default")
	if err := os.MkdirAll(profile, 0o700); err != nil {
		return fmt.Errorf("browser: folder for Chromium's profile: %w", err)
	}
	if err := os.WriteFile(filepath.Join(profile, "Preferences"), []byte(preferences), 0o600); err != nil {
		return fmt.Errorf("browser: Chromium's preferences: %w", err)
	}
	return nil
}

func shmBytes() uint64 {
	var s unix.Statfs_t
	if unix.Statfs("/dev/shm", &s) != nil {
		return 0
	}
	return s.Blocks * uint64(s.Bsize)
}

// environ is what Chromium sees of our environment: nothing that could be a
// secret, and no folder outside its own to write to.
func environ(dir string) []string {
	env := []string{
		"HOME=" + dir, "TMPDIR=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_CACHE_HOME=" + dir, "XDG_RUNTIME_DIR=" + dir,
		"LANG=C.UTF-8", "DBUS_SESSION_BUS_ADDRESS=disabled:",
		"GOOGLE_API_KEY=no", "GOOGLE_DEFAULT_CLIENT_ID=no", "GOOGLE_DEFAULT_CLIENT_SECRET=no",
	}
	for _, k := range []string{"PATH", "TZ", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH"} {
		if v, ok := os.LookupEnv(k); ok {
			env = append(env, k+"="+v)
		}
	}
	return env
}
