package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"visite/internal/pgtest"
)

// textColumns is every column that could hold words, with the reason why it
// holds none of a page's running text.
var textColumns = map[string]string{
	"workspaces.id":   "our id",
	"workspaces.name": "the customer's own name for the workspace",

	"tokens.id":           "our id",
	"tokens.workspace_id": "our id",
	"tokens.hash":         "SHA-256",

	"sites.id":           "our id",
	"sites.workspace_id": "our id",
	"sites.url":          "address as ordered",
	"sites.host":         "host of the address",

	"scans.id":              "our id",
	"scans.workspace_id":    "our id",
	"scans.site_id":         "our id",
	"scans.url":             "address as ordered",
	"scans.scope_host":      "host of the address",
	"scans.engine":          "closed list",
	"scans.device":          "closed list",
	"scans.profile":         "our identity and limits",
	"scans.basis_kind":      "closed list",
	"scans.basis_party":     "who permitted the scan, in the customer's words",
	"scans.contact":         "the customer's contact for the visited site",
	"scans.state":           "closed list",
	"scans.state_reason":    "our words",
	"scans.phase":           "closed list",
	"scans.waiting_for":     "our words",
	"scans.browser_version": "the browser's own",
	"scans.robots_rule":     "a line of robots.txt, written for robots",
	"scans.user_agent":      "ours",
	"scans.cause":           "closed list",
	"scans.scores":          "figures by topic",

	"items.fingerprint":    "hash of rule and place",
	"items.selector":       "CSS selector as in findings, its numbers left out",
	"items.template":       "path of an address, its last part left out",
	"items.subject":        "whom a finding names: a registrable domain, a cookie's plain name",
	"item_folds.templates": "paths of addresses, their last parts left out",

	"item_states.site_id":     "our id",
	"item_states.fingerprint": "hash of rule and place",
	"item_states.state":       "closed list",
	"item_states.reason":      "the customer's own words about a finding",

	"free_analyses.id":           "our id",
	"free_analyses.scan_id":      "our id",
	"free_analyses.address_hash": "SHA-256",
	"free_analyses.host":         "host of the address",
	"free_analyses.caller":       "SHA-256, salted by the day",
	"free_salts.salt":            "random",

	"idempotency_keys.workspace_id": "our id",
	"idempotency_keys.key_hash":     "SHA-256",
	"idempotency_keys.order_hash":   "SHA-256",
	"idempotency_keys.scan_id":      "our id",

	"addresses.key_hash": "16 bytes of SHA-256",
	"addresses.url":      "address of a page or a link's target",

	"frontier.via":    "closed list",
	"frontier.ticket": "our name for a step",

	"pages.outcome":     "closed list",
	"pages.reason":      "closed list",
	"pages.blocked_by":  "our name for a product",
	"pages.final_url":   "address (C-59)",
	"pages.media_type":  "technical figure (C-59)",
	"pages.charset":     "technical figure (C-59)",
	"pages.protocol":    "technical figure (C-59)",
	"pages.encoding":    "technical figure (C-59)",
	"pages.title":       "what a page says of itself: title (C-60)",
	"pages.description": "what a page says of itself: description (C-60)",
	"pages.sharing":     "what a page says of itself: sharing data (C-60)",
	"pages.languages":   "what a page says of itself: language marking (C-60)",
	"pages.canonical":   "address (C-59)",
	"pages.redirects":   "addresses and status codes (C-59)",
	"pages.robots_tags": "directives to robots (C-59)",
	"pages.notes":       "closed list",
	"pages.measured":    "figures, kinds of files, selectors of element names and places",
	"pages.link_kinds":  "one number a link",

	"previews.drawing": "numbers, and selectors of findings (R-23)",

	"rules.hash":      "16 bytes of SHA-256",
	"rules.rule":      "rule id",
	"rules.engine":    "name of the engine",
	"rules.category":  "closed list",
	"rules.outcome":   "closed list",
	"rules.wcag":      "success criteria",
	"rules.act_rules": "rule ids",
	"rules.help":      "our words or the engine's",
	"rules.title":     "our words or the engine's",

	"findings.selector": "CSS selector without attribute values that can carry text (R-23)",
	"findings.detail":   "figures or addresses",

	"links.verdict": "closed list",
	"links.reason":  "closed list",
	"links.target":  "address with its query values redacted (C-15)",

	"link_servers.server":   "host name",
	"link_targets.key_hash": "16 bytes of SHA-256",
	"link_targets.server":   "host name",
	"link_targets.url":      "address of a link's target, without query",
	"link_targets.verdict":  "closed list",
	"link_targets.reason":   "closed list",
	"link_targets.redirect": "address with its query values redacted (C-15)",
	"link_orders.server":    "host name",
	"link_orders.site_id":   "our id",
	"link_orders.scan_id":   "our id",

	"site_security.probe":   "figures, times and closed words about a site's connections",
	"site_security.front":   "closed words about what a page tells browsers",
	"site_reading.robots":   "figures about robots.txt",
	"site_reading.sitemaps": "addresses of sitemaps with their query values redacted, figures and closed words",

	"site_security.verdict": "a grade, rule ids, figures",

	"courtesy_hosts.host":           "host",
	"courtesy_hosts.starting":       "our name for a visit",
	"courtesy_turns.host":           "host",
	"courtesy_turns.ip":             "IP address",
	"courtesy_turns.holder":         "our name for a visit",
	"courtesy_robots.origin":        "scheme and host",
	"courtesy_robots.outcome":       "closed list",
	"courtesy_robots.reason":        "closed list",
	"courtesy_robots.body":          "robots.txt, kept as promised (C-52); no page",
	"courtesy_robots.etag":          "header for asking again, of robots.txt alone",
	"courtesy_robots.last_modified": "header for asking again, of robots.txt alone",

	"objections.id":         "our id",
	"objections.host":       "host",
	"objections.kind":       "closed list",
	"objections.quiet_from": "time of day",
	"objections.quiet_to":   "time of day",
	"objections.zone":       "name of a time zone",
	"objections.contact":    "contact of whoever objected, as given to us",
	"objections.message":    "words written to us by whoever objected; no page",
	"objections.proven_by":  "closed list",

	"brisk_gaits.id":       "our id",
	"brisk_gaits.scan_id":  "our id",
	"brisk_gaits.asked_by": "operator's name, as given to us",
	"brisk_gaits.reason":   "operator's words (C-47)",
	"brisk_gaits.outcome":  "closed list",
	"brisk_gaits.refusal":  "code of a refusal of ours",
	"brisk_gaits.held":     "closed list",

	"ledger.scan_id":      "our id",
	"ledger.workspace_id": "our id",
	"ledger.host":         "host",
	"ledger.ip":           "IP address",
	"ledger.method":       "closed list",
	"ledger.url":          "address with its query values redacted (R-23)",
	"ledger.purpose":      "closed list (S-11)",
	"ledger.cause":        "closed list (S-11)",
	"ledger.profile":      "name of our identity",
	"ledger.rule":         "line of robots.txt that decided",
	"ledger.failure":      "closed list",

	"host_proofs.token_hash": "SHA-256",
	"host_proofs.host":       "host",
	"host_proofs.method":     "closed list",

	"objection_keys.objection_id": "our id",
	"objection_keys.key_hash":     "SHA-256",
}

// proves C-58, C-59, C-60, C-61: whoever adds a column that could hold words has
// to say here why it holds none of a page's.
func TestNoColumnIsForRunningText(t *testing.T) {
	pool := pgtest.DB(t)
	rows, err := pool.Query(t.Context(), `SELECT c.relname || '.' || a.attname
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'm') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
AND coalesce(e.typname, t.typname) NOT IN ('bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'timestamptz', 'date', 'interval')
AND c.relname <> 'goose_db_version'`)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, c := range columns {
		there[c] = true
		if textColumns[c] == "" {
			t.Errorf("column %s could hold text and is not on the list", c)
		}
	}
	for c := range textColumns {
		if !there[c] {
			t.Errorf("%s is on the list but not in the database", c)
		}
	}
}

// proves C-58, C-59: of a page as large as can be, only figures, findings and
// what it says of itself reach any row.
func TestAPagesRowsHoldOnlyWhatIsRecorded(t *testing.T) {
	w := newWorld(t)
	scan := w.running(5)
	c := w.claim(scan, "t0")
	w.record(c, fullPage(c.URL))
	var row string
	err := w.pool.QueryRow(w.ctx, `SELECT to_jsonb(p)::text FROM pages p WHERE id = $1`, c.ID).Scan(&row)
	if err != nil {
		t.Fatal(err)
	}
	if len(row) > 2000 {
		t.Errorf("a page's row has %d characters: %s", len(row), row)
	}
}
