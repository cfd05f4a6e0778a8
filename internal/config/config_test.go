package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/internal/config"
)

func TestLoadDefaults(t *testing.T) {
	c, err := config.Load([]string{"PATH=/bin", "VISITE_CONTACT="})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{
		TemporalAddress: "127.0.0.1:7233", TemporalNamespace: "default", Listen: "127.0.0.1:8480",
		BrowserSlots: 2, LedgerDays: 90, MaxPagesDefault: 200, MaxPagesLimit: 50000, PageDeadline: time.Minute, HeartbeatTimeout: 30 * time.Second, LogLevel: slog.LevelInfo, LogFormat: "text",
	}
	if c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
	var missing *config.Fault
	if err := c.RequireDatabase(); !errors.As(err, &missing) || missing.Variable != "VISITE_DATABASE_URL" {
		t.Errorf("RequireDatabase: %v", err)
	}
}

func TestLoadReadsEveryVariable(t *testing.T) {
	values := map[string]string{
		"VISITE_DATABASE_URL": "postgres://visite:pw-of-db@db.example/visite", "VISITE_TEMPORAL_ADDRESS": "temporal.example:7233", "VISITE_TEMPORAL_NAMESPACE": "visite",
		"VISITE_LISTEN": ":80", "VISITE_PUBLIC_URL": "https://visite.example", "VISITE_BOOTSTRAP_TOKEN": "0123456789abcdef",
		"VISITE_DATA_DIR": "/var/lib/visite", "VISITE_PROFILES_DIR": "/etc/visite/profiles", "VISITE_ALLOW_LOOPBACK": "true", "VISITE_CONTACT": "hello@visite.example", "VISITE_EGRESS_ADDRESSES": "192.0.2.7, 2001:db8::/64", "VISITE_TRUSTED_PROXIES": "127.0.0.1, 10.1.0.0/16",
		"VISITE_BROWSER_SLOTS": "3", "VISITE_MAX_PAGES_DEFAULT": "10", "VISITE_MAX_PAGES_LIMIT": "100", "VISITE_PAGE_DEADLINE": "45s", "VISITE_HEARTBEAT_TIMEOUT": "15s", "VISITE_OWN_PORTS": "8081,9000", "VISITE_LEDGER_DAYS": "30", "VISITE_API": "https://visite.example", "VISITE_TOKEN_FILE": "/etc/visite/token", "VISITE_LOG_LEVEL": "DEBUG", "VISITE_LOG_FORMAT": "json",
		"VISITE_CHROMIUM": "/usr/bin/chromium", "VISITE_TRACKER_LISTS": "/srv/lists", "VISITE_POSTGRES_BIN": "/usr/lib/postgresql/15/bin", "VISITE_TEMPORAL": "/opt/temporal",
	}
	var environ []string
	for name, value := range values {
		environ = append(environ, name+"="+value)
	}
	c, err := config.Load(environ)
	if err != nil {
		t.Fatal(err)
	}
	shown := c.Values()
	for _, v := range config.Describe() {
		set, ok := values[v.Name]
		if !ok {
			t.Errorf("%s is described but not tried here", v.Name)
		}
		if v.Secret {
			set = "***"
		}
		if shown[v.Name] != set {
			t.Errorf("%s = %q, want %q", v.Name, shown[v.Name], set)
		}
		if v.Meaning == "" || v.Type == "" {
			t.Errorf("%s is not described", v.Name)
		}
	}
	if len(shown) != len(values) {
		t.Errorf("%d values, want %d", len(shown), len(values))
	}
	if c.DatabaseURL.Reveal() != values["VISITE_DATABASE_URL"] {
		t.Error("the database address was not read")
	}
}

func TestLoadReportsEveryFaultAtOnce(t *testing.T) {
	_, err := config.Load([]string{
		"VISITE_DATABASE_URL=mysql://root:hunter2hunter2@db/visite", "VISITE_TEMPORAL_ADDRESS=temporal", "VISITE_LISTEN=8480",
		"VISITE_PUBLIC_URL=visite.example", "VISITE_BOOTSTRAP_TOKEN=tooshort", "VISITE_ALLOW_LOOPBACK=perhaps", "VISITE_CONTACT=me (at) home",
		"VISITE_BROWSER_SLOTS=many", "VISITE_MAX_PAGES_DEFAULT=0", "VISITE_MAX_PAGES_LIMIT=1000000", "VISITE_LEDGER_DAYS=0", "VISITE_LOG_LEVEL=loud", "VISITE_LOG_FORMAT=xml", "VISITE_TRACKER_LISTS=lists",
	})
	if err == nil {
		t.Fatal("no fault reported")
	}
	lines := strings.Split(err.Error(), "\n")
	var names []string
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		names = append(names, name)
		if len(strings.Split(rest, ". ")) < 2 {
			t.Errorf("no remedy in %q", line)
		}
	}
	slices.Sort(names)
	want := []string{
		"VISITE_ALLOW_LOOPBACK", "VISITE_BOOTSTRAP_TOKEN", "VISITE_BROWSER_SLOTS", "VISITE_CONTACT", "VISITE_DATABASE_URL", "VISITE_LEDGER_DAYS", "VISITE_LISTEN", "VISITE_LOG_FORMAT",
		"VISITE_LOG_LEVEL", "VISITE_MAX_PAGES_DEFAULT", "VISITE_MAX_PAGES_LIMIT", "VISITE_PUBLIC_URL", "VISITE_TEMPORAL_ADDRESS", "VISITE_TRACKER_LISTS",
	}
	if !slices.Equal(names, want) {
		t.Errorf("faults of %v, want %v", names, want)
	}
	for _, secret := range []string{"hunter2hunter2", "tooshort"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("a fault shows the secret %q", secret)
		}
	}
}

func TestSecretIsNeverShown(t *testing.T) {
	c, err := config.Load([]string{"VISITE_BOOTSTRAP_TOKEN=canary-canary-canary"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	asJSON, err := json.Marshal(map[string]any{"config": c, "token": c.BootstrapToken})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(asJSON)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		fmt.Fprintf(&out, verb+verb, c, c.BootstrapToken)
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "token", c.BootstrapToken, "config", c)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "token", c.BootstrapToken, "config", c)
	if strings.Contains(out.String(), "canary") {
		t.Errorf("the secret shows in %s", out.String())
	}
	if !strings.Contains(out.String(), "***") {
		t.Error("a set secret is not told from an empty one")
	}
	if config.Secret("").String() != "" {
		t.Error("an empty secret looks like a set one")
	}
}

func TestValidContact(t *testing.T) {
	for contact, want := range map[string]bool{
		"webmaster@example.org": true, "https://example.org/contact": true, "http://example.org": true,
		"": false, "me": false, "a@b\r\nX: y": false, "https://u:p@example.org/": false, "ftp://example.org/": false,
		"me@example.org) Chrome/1 (": false, "Me <me@example.org>": false, "https:///x": false, "https://example.org/" + strings.Repeat("a", 200): false,
	} {
		if got := config.ValidContact(contact); got != want {
			t.Errorf("ValidContact(%q) = %v", contact, got)
		}
	}
}

func TestLoggerFollowsTheSettings(t *testing.T) {
	c, err := config.Load([]string{"VISITE_LOG_FORMAT=json", "VISITE_LOG_LEVEL=warn"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	log := c.Logger(&out)
	log.Info("quiet")
	log.Warn("loud")
	if strings.Contains(out.String(), "quiet") || !strings.Contains(out.String(), `"msg":"loud"`) {
		t.Errorf("log is %q", out.String())
	}
}

func TestEgressAddresses(t *testing.T) {
	c, err := config.Load([]string{"VISITE_EGRESS_ADDRESSES=192.0.2.7, 2001:db8::1/64,::ffff:198.51.100.4"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.Egress()
	if got := fmt.Sprint(list); err != nil || got != "[192.0.2.7/32 2001:db8::/64 198.51.100.4/32]" {
		t.Errorf("%s %v", got, err)
	}
	for _, wrong := range []string{"example.com", "192.0.2.7/40", "fe80::1%eth0"} {
		var f *config.Fault
		if _, err := config.Load([]string{"VISITE_EGRESS_ADDRESSES=" + wrong}); !errors.As(err, &f) || f.Variable != "VISITE_EGRESS_ADDRESSES" {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestTrustedProxies(t *testing.T) {
	c, err := config.Load([]string{"VISITE_TRUSTED_PROXIES=127.0.0.1, 10.1.0.0/16,2001:db8::5/64 ::ffff:192.0.2.0/120"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.Proxies()
	if got := fmt.Sprint(list); err != nil || got != "[127.0.0.1/32 10.1.0.0/16 2001:db8::/64 192.0.2.0/24]" {
		t.Errorf("%s, %v", got, err)
	}
	for _, wrong := range []string{"proxy.example", "10.0.0.0/33", "0.0.0.0/0", "10.0.0.1, ::/0", "::ffff:0.0.0.0/96", "::ffff:0.0.0.0/90", "fe80::1%eth0"} {
		var f *config.Fault
		if _, err := config.Load([]string{"VISITE_TRUSTED_PROXIES=" + wrong}); !errors.As(err, &f) || f.Variable != "VISITE_TRUSTED_PROXIES" {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
