// Package config reads Visite's settings: environment variables, once, into one
// validated struct, and the profiles (identities) that scans run under.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"visite/schema"
)

// Prefix begins the name of every variable Visite reads.
const Prefix = "VISITE_"

// Config is everything a Visite process can be told from outside. Each field's
// doc tag is what `visite config` prints.
type Config struct {
	DatabaseURL       Secret `env:"DATABASE_URL" doc:"PostgreSQL connection string; needed by api, worker and migrate, while up and scan bring their own database"`
	TemporalAddress   string `env:"TEMPORAL_ADDRESS" envDefault:"127.0.0.1:7233" doc:"host:port of the Temporal frontend"`
	TemporalNamespace string `env:"TEMPORAL_NAMESPACE" envDefault:"default" doc:"Temporal namespace"`

	Listen         string `env:"LISTEN" envDefault:"127.0.0.1:8480" doc:"host:port the API listens on; port 0 asks the system for a free one"`
	PublicURL      string `env:"PUBLIC_URL" doc:"address under which people reach this deployment, without trailing slash; named in the User-Agent where a profile has no page of its own"`
	TrustedProxies string `env:"TRUSTED_PROXIES" doc:"addresses and networks (CIDR), with commas between, of the reverse proxies in front of the API; only from them X-Forwarded-For and Forwarded (RFC 7239) are believed, from the right and one hop for each of them; without it everybody behind a proxy counts as one asker"`
	BootstrapToken Secret `env:"BOOTSTRAP_TOKEN" doc:"the operator's secret: lets its holder make workspaces and order a brisk gait, at least 16 characters; without it neither can be done over HTTP"`

	DataDir         string `env:"DATA_DIR" doc:"folder of the local stack's data; empty: visite in the user's data folder, /var/lib/visite for root"`
	ProfilesDir     string `env:"PROFILES_DIR" doc:"folder with further profiles, one YAML file each"`
	AllowLoopback   bool   `env:"ALLOW_LOOPBACK" envDefault:"false" doc:"let scans visit this machine's own addresses; for the local stack only"`
	OwnPorts        string `env:"OWN_PORTS" doc:"ports of this machine, separated by commas, that scans never visit, besides those of our own database, Temporal and API"`
	EgressAddresses string `env:"EGRESS_ADDRESSES" doc:"addresses and networks (CIDR) that this deployment's requests come from, with commas between; named on the page for the visited, so only once they are fixed"`
	Contact         string `env:"CONTACT" doc:"e-mail address or web page a visited site can turn to, where a scan names none"`

	BrowserSlots    int `env:"BROWSER_SLOTS" envDefault:"2" doc:"pages open in Chromium at once in one worker, 1 to 64"`
	MaxPagesDefault int `env:"MAX_PAGES_DEFAULT" envDefault:"200" doc:"pages of a scan that asks for no number, 1 to 50000"`
	MaxPagesLimit   int `env:"MAX_PAGES_LIMIT" envDefault:"50000" doc:"most pages one scan may ask for, 1 to 50000"`

	PageDeadline     time.Duration `env:"PAGE_DEADLINE" envDefault:"60s" doc:"longest time for one page, from 5s to 10m; travels in each scan ordered from now on"`
	HeartbeatTimeout time.Duration `env:"HEARTBEAT_TIMEOUT" envDefault:"30s" doc:"how long a worker may be silent before its page is taken up by another, from 5s to 5m; travels in each scan"`

	API       string `env:"API" doc:"address of a deployment's API that scan and cancel use instead of the local stack"`
	TokenFile string `env:"TOKEN_FILE" doc:"file with the token of that API"`

	LedgerDays int `env:"LEDGER_DAYS" envDefault:"90" doc:"days a line of the ledger of requests is kept, 1 to 3650; older days are dropped once a day"`

	LogLevel  slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"debug, info, warn or error"`
	LogFormat string     `env:"LOG_FORMAT" envDefault:"text" doc:"text or json"`

	Chromium     string `env:"CHROMIUM" doc:"path of the Chromium program; empty: looked for"`
	TrackerLists string `env:"TRACKER_LISTS" doc:"folder with easyprivacy.txt and easylist.txt, by which workers tell trackers; empty: where the distribution's package webext-ublock-origin-chromium puts them; none: not used, trackers are judged by the names of known companies alone"`
	PostgresBin  string `env:"POSTGRES_BIN" doc:"folder of the PostgreSQL server programs for the local stack; empty: looked for"`
	Temporal     string `env:"TEMPORAL" doc:"path of the temporal command for the local stack; empty: looked for"`
}

// Load reads the settings from an environment in os.Environ form. It reports
// every fault at once, each naming the variable and the remedy, never a value
// of a secret.
func Load(environ []string) (Config, error) {
	var c Config
	err := env.ParseWithOptions(&c, env.Options{Prefix: Prefix, Environment: variables(environ)})
	faults := parseFaults(err)
	for _, f := range c.faults() {
		// A value that could not be read is one fault, not two.
		if !slices.ContainsFunc(faults, func(other error) bool { return sameVariable(f, other) }) {
			faults = append(faults, f)
		}
	}
	return c, errors.Join(faults...)
}

// RequireDatabase reports the variable missing in a process that has no
// database of its own.
func (c Config) RequireDatabase() error {
	if c.DatabaseURL == "" {
		return fault("DATABASE_URL", "is not set", "Set it to the connection string of the database, for example postgres://visite@db.example/visite.")
	}
	return nil
}

// variables keeps ours that have a value: an empty variable counts as not set,
// as compose files and unit files cannot leave one out.
func variables(environ []string) map[string]string {
	kept := map[string]string{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, Prefix) && value != "" {
			kept[name] = value
		}
	}
	return kept
}

// Fault is one thing wrong with one variable.
type Fault struct {
	Variable string // with Prefix
	What     string
	Remedy   string
}

// Error names the variable and the remedy, never the value.
func (f *Fault) Error() string { return f.Variable + " " + f.What + ". " + f.Remedy }

func fault(name, what, remedy string) error {
	return &Fault{Variable: Prefix + name, What: what, Remedy: remedy}
}

func sameVariable(a, b error) bool {
	var first, second *Fault
	return errors.As(a, &first) && errors.As(b, &second) && first.Variable == second.Variable
}

// parseFaults turns the parser's errors, which name Go fields, into ours.
func parseFaults(err error) []error {
	var all env.AggregateError
	if !errors.As(err, &all) {
		if err != nil {
			return []error{err}
		}
		return nil
	}
	var faults []error
	for _, e := range all.Errors {
		var parse env.ParseError
		if !errors.As(e, &parse) {
			faults = append(faults, e)
			continue
		}
		field, _ := reflect.TypeFor[Config]().FieldByName(parse.Name)
		faults = append(faults, fault(field.Tag.Get("env"), "is no "+typeName(field.Type), "Allowed: "+field.Tag.Get("doc")+"."))
	}
	return faults
}

// faults checks what a type alone does not say.
func (c Config) faults() []error {
	var faults []error
	need := func(ok bool, name, what, remedy string) {
		if !ok {
			faults = append(faults, fault(name, what, remedy))
		}
	}
	if c.DatabaseURL != "" {
		u, err := url.Parse(c.DatabaseURL.Reveal())
		need(err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql"), "DATABASE_URL", "is no PostgreSQL address", "Write postgres://user:password@host:port/database.")
	}
	need(hostPort(c.TemporalAddress), "TEMPORAL_ADDRESS", "is not host:port", "Write for example temporal.example:7233.")
	need(c.TemporalNamespace != "", "TEMPORAL_NAMESPACE", "is empty", "Leave it out for the namespace default.")
	need(hostPort(c.Listen), "LISTEN", "is not host:port", "Write for example 127.0.0.1:8480, or :8480 for all addresses.")
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		need(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" && !strings.HasSuffix(c.PublicURL, "/"),
			"PUBLIC_URL", "is no plain web address", "Write for example https://visite.example, without trailing slash.")
	}
	need(c.BootstrapToken == "" || len(c.BootstrapToken) >= 16, "BOOTSTRAP_TOKEN", "is shorter than 16 characters", "Make one with: openssl rand -hex 32")
	_, err := c.Egress()
	need(err == nil, "EGRESS_ADDRESSES", "holds something else than addresses and networks", "Write for example 192.0.2.7, 2001:db8::/64.")
	_, err = c.Proxies()
	need(err == nil, "TRUSTED_PROXIES", "holds something else than addresses and networks, or all addresses there are", "Write for example 127.0.0.1, 10.1.0.0/16, 2001:db8::/64.")
	need(c.Contact == "" || ValidContact(c.Contact), "CONTACT", "is neither an e-mail address nor a web address", "Write for example webmaster@example.org.")
	need(c.BrowserSlots >= 1 && c.BrowserSlots <= 64, "BROWSER_SLOTS", "is out of range", "Give 1 to 64; each slot takes about 300 MB of memory.")
	need(c.PageDeadline >= 5*time.Second && c.PageDeadline <= 10*time.Minute, "PAGE_DEADLINE", "is out of range", "Give 5s to 10m.")
	need(c.HeartbeatTimeout >= 5*time.Second && c.HeartbeatTimeout <= 5*time.Minute, "HEARTBEAT_TIMEOUT", "is out of range", "Give 5s to 5m.")
	need(c.MaxPagesLimit >= 1 && c.MaxPagesLimit <= schema.MaxPagesLimit, "MAX_PAGES_LIMIT", "is out of range", fmt.Sprintf("Give 1 to %d.", schema.MaxPagesLimit))
	need(c.MaxPagesDefault >= 1 && c.MaxPagesDefault <= c.MaxPagesLimit, "MAX_PAGES_DEFAULT", "is out of range", "Give 1 to what VISITE_MAX_PAGES_LIMIT says.")
	need(c.LedgerDays >= 1 && c.LedgerDays <= 3650, "LEDGER_DAYS", "is out of range", "Give 1 to 3650.")
	need(c.TrackerLists == "" || c.TrackerLists == "none" || filepath.IsAbs(c.TrackerLists), "TRACKER_LISTS", "is neither an absolute path nor none", "Name a folder that holds easyprivacy.txt and easylist.txt, leave it out, or write none.")
	need(c.LogFormat == "text" || c.LogFormat == "json", "LOG_FORMAT", "is unknown", "Give text or json.")
	return faults
}

// Egress is EgressAddresses read: single addresses are networks of one.
func (c Config) Egress() ([]netip.Prefix, error) { return networks(c.EgressAddresses) }

// Proxies is TrustedProxies read. A network of all addresses is none to trust:
// then anybody could claim to be anybody.
func (c Config) Proxies() ([]netip.Prefix, error) {
	list, err := networks(c.TrustedProxies)
	for _, p := range list {
		if p.Bits() == 0 {
			return nil, fmt.Errorf("%s is everybody", p)
		}
	}
	return list, err
}

// networks reads addresses and networks with commas or spaces between.
func networks(list string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			var addr netip.Addr
			if addr, err = netip.ParseAddr(text); err != nil || addr.Zone() != "" {
				return nil, fmt.Errorf("%q is neither an address nor a network", text)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		if prefix.Addr().Is4In6() { // addresses are compared without the mapping
			if prefix.Bits() < 96 {
				return nil, fmt.Errorf("%q holds more than the IPv4 addresses it is written as", text)
			}
			prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
		}
		out = append(out, prefix.Masked())
	}
	return out, nil
}

func hostPort(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && port != ""
}

// ValidContact reports whether a visited site could turn to s, and whether s may
// stand in a User-Agent's comment: an e-mail address or an http(s) URL of at
// most 200 visible ASCII characters without brackets (RFC 9110 section 5.6.5).
func ValidContact(s string) bool {
	if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()\"<>;,{}`, r) }) {
		return false
	}
	if u, err := url.Parse(s); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return u.Hostname() != "" && u.User == nil
	}
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s
}
