package archtest

// Libraries that have one home each.
const (
	rod       = "github.com/go-rod/rod"
	pgx       = "github.com/jackc/pgx"
	robotstxt = "github.com/temoto/robotstxt"
	huma      = "github.com/danielgtaylor/huma"
	goRetry   = "github.com/sethvargo/go-retry"
	temporal  = "go.temporal.io"
	miekgDNS  = "github.com/miekg/dns"
)

// adapters are the packages that touch the world.
var adapters = []string{own + "internal/courtesy/...", own + "internal/fetch/...", own + "internal/browser/...", own + "internal/postgres/..."}

// testSupport may be imported by tests only.
var testSupport = []string{own + "internal/pgtest/...", own + "internal/temporaltest/...", own + "internal/archtest/..."}

// Rooms are the import rules of the house, as docs/architecture.md tells them.
var Rooms = []Room{
	{Path: "schema/...", Never: join(trees("net/http", "os/exec", "database/sql", temporal, rod, pgx))},
	{Path: "internal/inspect/...", May: []string{"schema"}, Never: join(trees("net/http", "os/exec", temporal, rod, pgx, robotstxt), adapters)},
	// A leaf without state: the door and both readers behind it undo content codings alike.
	{Path: "internal/contentcoding", May: nil, Never: join(trees("os/exec", "database/sql", temporal, rod, pgx, robotstxt, huma), adapters)},
	{Path: "internal/courtesy/...", May: []string{"schema", "internal/contentcoding"}, Never: join(trees(temporal, rod, pgx, huma), without(adapters, "internal/courtesy/..."))},
	{Path: "internal/fetch/...", May: []string{"schema", "internal/contentcoding"}, Never: join(trees(temporal, rod, pgx, huma), without(adapters, "internal/fetch/..."))},
	{Path: "internal/browser/...", May: []string{"schema"}, Never: join(trees(temporal, pgx, huma), without(adapters, "internal/browser/..."))},
	{Path: "internal/postgres/...", May: []string{"schema"}, Never: join(trees(temporal, rod, huma), without(adapters, "internal/postgres/..."))},
	{Path: "activities/...", May: []string{"schema", "internal/inspect/..."}, Never: join(trees(rod, pgx, robotstxt, huma, goRetry), adapters)},
	{Path: "workflows/...", May: []string{"schema", "activities"}, Never: join(trees(rod, pgx, robotstxt, huma, goRetry), adapters)},
	{Path: "worker/...", May: []string{"schema", "workflows", "activities"}, Never: join(trees(rod, pgx, robotstxt, huma), adapters)},
	{Path: "api/...", May: []string{"schema", "workflows", "internal/inspect", "internal/report", "internal/config", "internal/conformance"}, Never: join(trees(rod), []string{own + "internal/fetch/...", own + "internal/browser/..."})},
	{Path: "internal/report/...", May: []string{"schema"}, Never: join(trees("net/http", temporal, rod, pgx), adapters)},
	{Path: "internal/config/...", May: []string{"schema", "deployments/profiles"}, Never: adapters},
	{Path: "deployments/profiles", May: nil, Never: adapters},
	// Where programs are: asked by the local stack, by what starts PostgreSQL, and by tests.
	{Path: "internal/toolpath", May: nil, Never: join(trees("net", temporal, rod, pgx), adapters)},
	{Path: "internal/pgcluster/...", May: []string{"internal/toolpath"}, Never: join(trees(temporal, rod), adapters)},
	{Path: "internal/local/...", May: []string{"..."}, Never: testSupport},
	{Path: "cmd/...", May: []string{"..."}, Never: testSupport},
	{Path: "internal/fixturesite/...", Never: trees("testing", temporal, rod, pgx)},
	{Path: "internal/pgtest/...", May: []string{"internal/pgcluster", "internal/postgres/...", "internal/toolpath", "schema"}},
	{Path: "internal/temporaltest/...", May: []string{"internal/toolpath"}},
	{Path: "internal/archtest/...", May: nil},
	{Path: "internal/endtoend/...", May: nil}, // tests only
	{Path: "internal/conformance/...", May: nil},
	{Path: "internal/siteproof/...", May: []string{"schema"}, Never: join(trees(temporal, rod, pgx, huma), adapters)}, // who runs a host: name servers itself, the host through the door
	{Path: "internal/nameservers/...", May: []string{"schema"}, Never: join(trees("net/http", temporal, rod, pgx, huma), adapters)},
}

// Reserves are the libraries with one home.
var Reserves = []Reserve{
	{rod, []string{"internal/browser/..."}},
	{pgx, []string{"internal/postgres/...", "internal/pgtest/...", "internal/pgcluster/...", "internal/local/...", "cmd/..."}},
	{"database/sql", []string{"internal/postgres/..."}},
	{robotstxt, []string{"internal/courtesy/..."}},
	{huma, []string{"api/..."}},
	{miekgDNS, []string{"internal/nameservers/..."}},
	{goRetry, []string{"internal/postgres/...", "internal/pgtest/...", "internal/pgcluster/...", "internal/local/...", "cmd/..."}},
}

// Clock is what reads the time; schema and inspect are told it.
var Clock = []string{"time.Now", "time.Since", "time.Until", "time.After", "time.AfterFunc", "time.Tick", "time.NewTimer", "time.NewTicker", "time.Sleep"}

// Outward is what opens connections.
var Outward = []string{
	"net/http.Client", "net/http.Transport", "net/http.DefaultClient", "net/http.DefaultTransport",
	"net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm",
	"net.Dialer", "net.Dial", "net.DialTimeout", "net.DialTCP", "net.DialUDP", "net.DialIP", "net.DialUnix",
	"net.Resolver", "net.DefaultResolver", "net.LookupHost", "net.LookupIP", "net.LookupAddr", "net.LookupCNAME", "net.LookupTXT",
	"crypto/tls.Dial", "crypto/tls.DialWithDialer", "crypto/tls.Dialer", "crypto/tls.Client",
	"github.com/miekg/dns.Client", "github.com/miekg/dns.Exchange", "github.com/miekg/dns.ExchangeContext", "github.com/miekg/dns.Dial",
	"golang.org/x/net/websocket.Dial", "golang.org/x/net/proxy.Dial",
}

// OutwardExceptions are the places beside the door that open connections, none
// of them to a visited site.
var OutwardExceptions = []Exception{
	{"internal/courtesy/...", "the door itself"},
	{"api/client", "the generated client of our own API; its caller gives it a connection"},
	{"internal/siteproof/...", "asks name servers for proof records; the host itself is asked through the door"},
	{"internal/nameservers/...", "asks name servers about the site's name; the site itself is asked nothing"},
	{"cmd/visite/client.go", "the command line asks our own API"},
	{"internal/local/token.go", "the local stack asks its own API"},
}

// SQLRooms are where SQL lives; migrations are files of their own.
var SQLRooms = []string{"internal/postgres/..."}

// SQLExceptions may do otherwise.
var SQLExceptions = []Exception{
	{"internal/pgcluster/cluster.go", "makes databases, whose names cannot be parameters; they are quoted"},
	{"internal/pgtest/...", "makes and drops tests' databases, whose names cannot be parameters; they are quoted"},
}

func trees(paths ...string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = p + "/..."
	}
	return out
}

func join(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

func without(list []string, path string) []string {
	var out []string
	for _, l := range list {
		if l != own+path {
			out = append(out, l)
		}
	}
	return out
}
