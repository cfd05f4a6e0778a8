package inspect

import (
	"strings"

	"visite/schema"
)

// securityCases are those of package security, by topic.
func securityCases() []ruleCase {
	const csp, hsts, cookie = "Content-Security-Policy", "Strict-Transport-Security", "Set-Cookie"
	question := schema.FindingNeedsReview
	insecure := func(d *Document) {
		d.Facts.Requested, d.Facts.Final = "http://shop.example/", "http://shop.example/"
	}
	local := func(d *Document) {
		d.Facts.Requested, d.Facts.Final = "http://127.0.0.1:8080/", "http://127.0.0.1:8080/"
	}
	address := func(d *Document) {
		d.Facts.Requested, d.Facts.Final = "https://8.8.8.8/", "https://8.8.8.8/"
	}
	none := func(names ...string) func(*Document) {
		return func(d *Document) {
			for _, n := range names {
				delete(d.Facts.Header, n)
			}
		}
	}
	policy := func(values ...string) Document { return at(good, header(csp, values...)) }
	digest := "sha256-" + strings.Repeat("A", 43) + "="
	script := func(attributes string) Document { return at(body("<script " + attributes + "></script>")) }
	return []ruleCase{
		{"csp-missing", "none", at(good, none(csp)), true, "", "", ""},
		{"csp-missing", "empty values", at(head(`<meta http-equiv="Content-Security-Policy" content="">`), header(csp, "", " ; ")), true, "", "", ""},
		{"csp-missing", "in the body", at(body(`<meta http-equiv="Content-Security-Policy" content="default-src 'self'">`), none(csp)), true, "", "", ""},
		{"csp-missing", "in the head", at(head(`<meta http-equiv="Content-Security-Policy" content="default-src 'self'">`), none(csp)), false, "", "", ""},
		// S10 mozilla/http-observatory#492: an empty policy spoils no good one.
		{"csp-missing", "empty one in the markup beside the field", at(head(`<meta http-equiv="content-security-policy" content="">`)), false, "", "", ""},
		{"csp-missing", "this machine", at(good, none(csp), local), false, "", "", ""},
		{"csp-report-only", "tried out", at(good, none(csp), header("Content-Security-Policy-Report-Only", "default-src 'self'")), true, "", "", ""},
		{"csp-report-only", "beside an enforced one", at(good, header("Content-Security-Policy-Report-Only", "default-src 'none'")), false, "", "", ""},
		{"csp-unsafe-inline", "allowed", policy("script-src 'self' 'unsafe-inline'"), true, "", "script-src", ""},
		{"csp-unsafe-inline", "by default-src", policy("default-src 'self' 'unsafe-inline'"), true, "", "script-src", ""},
		{"csp-unsafe-inline", "scripts not restricted", policy("upgrade-insecure-requests"), true, "", "no script-src", ""},
		{"csp-unsafe-inline", "data addresses", policy("script-src 'self' data:"), true, "", "script-src", ""},
		{"csp-unsafe-inline", "in both policies", policy("script-src 'unsafe-inline'", "script-src * 'unsafe-inline'"), true, "", "script-src", ""},
		{"csp-unsafe-inline", "a nonce switches it off", policy("script-src 'self' 'unsafe-inline' 'nonce-abc'"), false, "", "", ""},
		{"csp-unsafe-inline", "strict-dynamic with fallbacks", policy("script-src 'strict-dynamic' 'nonce-abc' https: 'unsafe-inline'; object-src 'none'"), false, "", "", ""},
		{"csp-unsafe-inline", "a second policy forbids it", policy("script-src 'self' 'unsafe-inline'", "default-src 'self'"), false, "", "", ""},
		// S09 mdn/mdn-http-observatory#496: commas part policies.
		{"csp-unsafe-inline", "two policies in one field", policy("default-src 'self', frame-ancestors 'none'; default-src https: 'unsafe-inline'"), false, "", "", ""},
		{"csp-duplicate-directive", "two policies in one field", policy("default-src 'self', frame-ancestors 'none'; default-src https:"), false, "", "", ""},
		{"csp-duplicate-directive", "twice in one", policy("default-src 'self'; Default-Src *; img-src *"), true, "", "default-src", ""},
		{"csp-broad-sources", "everything", policy("default-src *"), true, "", "script-src, object-src", ""},
		{"csp-broad-sources", "plug-ins", policy("script-src 'self'"), true, "", "object-src", ""},
		{"csp-broad-sources", "one policy narrows the other", policy("default-src https:", "default-src 'self'"), false, "", "", ""},
		{"csp-broad-sources", "strict-dynamic", policy("script-src 'nonce-abc' 'strict-dynamic' https:; object-src 'none'"), false, "", "", ""},
		{"csp-unsafe-eval", "scripts", policy("default-src 'self' 'unsafe-eval'"), true, "", "", ""},
		{"csp-unsafe-eval", "WebAssembly only", policy("default-src 'self' 'wasm-unsafe-eval'"), false, "", "", ""},
		{"csp-unsafe-style", "inline", policy("default-src 'self'; style-src 'self' 'unsafe-inline'"), true, "", "style-src", ""},
		{"csp-unsafe-style", "hash", policy("default-src 'self'; style-src 'unsafe-inline' '" + digest + "'"), false, "", "", ""},
		{"csp-insecure-sources", "scheme", policy("default-src 'self'; font-src http:; img-src http://a.example"), true, "", "active content, images and media", ""},
		{"csp-insecure-sources", "images", policy("default-src 'self'; img-src http:"), true, "", "images and media", ""},
		{"csp-insecure-sources", "insecure page", at(good, insecure, header(csp, "default-src http:")), false, "", "", ""},
		{"csp-base-uri", "nonce", policy("script-src 'nonce-abc'; object-src 'none'"), true, "", "base-uri", ""},
		{"csp-base-uri", "set", policy("script-src 'nonce-abc'; base-uri 'none'"), false, "", "", ""},
		{"csp-strict-dynamic", "alone", policy("script-src 'strict-dynamic' https:"), true, "", "strict-dynamic", ""},
		{"csp-strict-dynamic", "with nonce", policy("script-src 'strict-dynamic' 'nonce-abc'"), false, "", "", ""},
		{"csp-unknown-directive", "misspelt", policy("default-src 'self'; scipt-src *; <b>x 1"), true, "", "scipt-src, 1 malformed directive", ""},
		{"csp-unknown-directive", "known", policy("default-src 'self'; report-to x; trusted-types a; require-trusted-types-for 'script'"), false, "", "", ""},
		{"csp-meta-ignored", "frame-ancestors", at(head(`<meta http-equiv="Content-Security-Policy" content="default-src 'self'; frame-ancestors 'none'">`)), true, "", "frame-ancestors", ""},
		{"csp-meta-ignored", "in a field", policy("frame-ancestors 'none'; report-uri /r"), false, "", "", ""},

		{"framing-missing", "none", policy("default-src 'self'"), true, "", "", ""},
		{"framing-missing", "in the markup only", at(head(`<meta http-equiv="Content-Security-Policy" content="frame-ancestors 'none'">`), none(csp)), true, "", "", ""},
		{"framing-missing", "frame-ancestors", policy("frame-ancestors https://partner.example"), false, "", "", ""},
		{"framing-missing", "field", at(good, none(csp), header("X-Frame-Options", "deny")), false, "", "", ""},
		{"framing-missing", "this machine", at(good, none(csp), local), false, "", "", ""},
		{"framing-open", "everybody", policy("frame-ancestors *"), true, "", "frame-ancestors", ""},
		{"framing-open", "one site", policy("frame-ancestors https://partner.example"), false, "", "", ""},
		{"x-frame-options-invalid", "obsolete", at(good, none(csp), header("X-Frame-Options", "ALLOW-FROM https://a.example")), true, "", "ALLOW-FROM", ""},
		{"x-frame-options-invalid", "contrary", at(good, none(csp), header("X-Frame-Options", "DENY", "SAMEORIGIN")), true, "", "2 different values", ""},
		{"x-frame-options-invalid", "no such value", at(good, none(csp), header("X-Frame-Options", "none")), true, "", "", ""},
		{"x-frame-options-invalid", "sent twice alike", at(good, none(csp), header("X-Frame-Options", "SAMEORIGIN", "sameorigin")), false, "", "", ""},
		{"x-frame-options-invalid", "overruled", at(good, header("X-Frame-Options", "ALLOW-FROM https://a.example")), false, "", "", ""},
		{"nosniff-missing", "none", at(good, none("X-Content-Type-Options")), true, "", "", ""},
		{"nosniff-missing", "there", at(good), false, "", "", ""},
		{"nosniff-invalid", "misspelt", at(good, header("X-Content-Type-Options", "no-sniff")), true, "", "", ""},
		{"nosniff-invalid", "capitals", at(good, header("X-Content-Type-Options", "NoSniff")), false, "", "", ""},
		{"referrer-policy-unsafe", "everything", at(good, header("Referrer-Policy", "unsafe-url")), true, "", "unsafe-url", ""},
		{"referrer-policy-unsafe", "markup overrules", at(head(`<meta name="referrer" content="origin">`), header("Referrer-Policy", "no-referrer")), true, "", "origin", ""},
		{"referrer-policy-unsafe", "fallback for old browsers", at(good, header("Referrer-Policy", "unsafe-url, strict-origin-when-cross-origin")), false, "", "", ""},
		{"referrer-policy-invalid", "misspelt", at(good, header("Referrer-Policy", "no-referer")), true, "", "", ""},
		{"referrer-policy-invalid", "none given", at(good), false, "", "", ""},
		{"cors-credentials", "any site", at(good, header("Access-Control-Allow-Origin", "*"), header("Access-Control-Allow-Credentials", "true")), true, "", "*", ""},
		{"cors-credentials", "public", at(good, header("Access-Control-Allow-Origin", "*")), false, "", "", ""},
		{"corp-invalid", "misspelt", at(good, header("Cross-Origin-Resource-Policy", "same origin")), true, "", "", ""},
		{"corp-invalid", "right", at(good, header("Cross-Origin-Resource-Policy", "same-origin")), false, "", "", ""},
		{"server-version", "told", at(good, header("Server", "Apache/2.4.1 (Unix)"), header("X-Powered-By", "PHP/8.1.2")), true, "", "Server, X-Powered-By", ""},
		{"server-version", "name only", at(good, header("Server", "nginx")), false, "", "", ""},

		{"hsts-missing", "none", at(good, none(hsts)), true, "", "", ""},
		{"hsts-missing", "insecure page", at(good, none(hsts), insecure), false, "", "", ""},
		{"hsts-missing", "an address", at(good, none(hsts), address), false, "", "", ""},
		{"hsts-invalid", "no age", at(good, header(hsts, "includeSubDomains")), true, "", "", ""},
		{"hsts-invalid", "no number", at(good, header(hsts, "max-age=1 year")), true, "", "", ""},
		{"hsts-invalid", "directive twice", at(good, header(hsts, "max-age=31536000; max-age=0")), true, "", "", ""},
		{"hsts-invalid", "field twice", at(good, header(hsts, "max-age=31536000; includeSubDomains", "max-age=0")), true, "", "2 fields", ""},
		{"hsts-invalid", "quoted, capitals, unknown directive", at(good, header(hsts, `MAX-AGE="31536000" ; IncludeSubDomains; x=1;`)), false, "", "", ""},
		{"hsts-short", "a day", at(good, header(hsts, "max-age=86400; includeSubDomains")), true, "", "max-age 86400 s", ""},
		{"hsts-short", "switched off", at(good, header(hsts, "max-age=0")), true, "", "max-age 0 s", ""},
		{"hsts-short", "180 days", at(good, header(hsts, "max-age=15552000; includeSubDomains")), false, "", "", ""},
		{"hsts-subdomains", "left out", at(good, header(hsts, "max-age=31536000")), true, "", "", ""},
		{"hsts-subdomains", "in", at(good), false, "", "", ""},
		{"hsts-preload", "terms not met", at(good, header(hsts, "max-age=15552000; preload")), true, "", "max-age 15552000 s, includeSubDomains", ""},
		{"hsts-preload", "not asked for", at(good, header(hsts, "max-age=15552000")), false, "", "", ""},
		{"hsts-over-http", "in vain", at(good, insecure), true, "", "", ""},
		{"hsts-over-http", "none", at(good, insecure, none(hsts)), false, "", "", ""},

		{"cookie-insecure", "not secure", at(good, header(cookie, "theme=dark; SameSite=Lax; Path=/")), true, "", "theme", ""},
		{"cookie-insecure", "secure", at(good, header(cookie, "theme=dark; secure; SameSite=Lax")), false, "", "", ""},
		{"cookie-insecure", "over http", at(good, insecure, header(cookie, "theme=dark")), false, "", "", ""},
		{"cookie-no-httponly", "session", at(good, header(cookie, "PHPSESSID=x; Secure; SameSite=Lax")), true, "", "PHPSESSID", ""},
		{"cookie-no-httponly", "token that scripts must read", at(good, header(cookie, "csrf_session=x; Secure; SameSite=Lax")), false, "", "", ""},
		{"cookie-samesite-missing", "none", at(good, header(cookie, "a<b>=x; Secure")), true, "", "a?b?", ""},
		{"cookie-samesite-missing", "given", at(good, header(cookie, "a=x; Secure; SameSite=Strict")), false, "", "", ""},
		{"cookie-samesite-invalid", "no such value", at(good, header(cookie, "a=x; Secure; SameSite=Loose")), true, "", "a", ""},
		{"cookie-samesite-invalid", "for other sites, not secure", at(good, header(cookie, "a=x; SameSite=None")), true, "", "a SameSite=None", ""},
		{"cookie-samesite-invalid", "for other sites", at(good, header(cookie, "a=x; Secure; SameSite=None")), false, "", "", ""},
		{"cookie-prefix", "domain", at(good, header(cookie, "__Host-a=x; Secure; Path=/; Domain=shop.example")), true, "", "__Host-a", ""},
		{"cookie-prefix", "not secure", at(good, header(cookie, "__secure-a=x")), true, "", "__secure-a", ""},
		{"cookie-prefix", "kept", at(good, header(cookie, "__Host-a=x; Secure; Path=/", "__Secure-b=x; Secure")), false, "", "", ""},

		{"sri-missing", "version in the address", script(`src="https://cdn.example/lib@3.7.1/lib.js?k=1"`), true, "html > body > script", "https://cdn.example/lib@3.7.1/lib.js?k=*", ""},
		{"sri-missing", "may change", script(`src="https://cdn.example/tag.js"`), true, "html > body > script", "https://cdn.example/tag.js", question},
		{"sri-missing", "own subdomain", script(`src="https://static.shop.example/a-1.2.js"`), false, "", "", ""},
		{"sri-missing", "there", script(`src="https://cdn.example/lib@3.7.1/lib.js" integrity="` + digest + `" crossorigin`), false, "", "", ""},
		{"sri-invalid", "no digest", script(`src="/a.js" integrity="md5-abc"`), true, "html > body > script", "https://shop.example/a.js", ""},
		{"sri-invalid", "one of two", script(`src="/a.js" integrity="md5-abc ` + digest + `?x"`), false, "", "", ""},
		{"sri-blocked", "no CORS", script(`src="https://cdn.example/a.js" integrity="` + digest + `"`), true, "html > body > script", "https://cdn.example/a.js", ""},
		{"sri-blocked", "own file", script(`src="/a.js" integrity="` + digest + `"`), false, "", "", ""},

		// S12 uswds/uswds#2584: names of namespaces and plain links are no content.
		{"mixed-content", "a policy in the markup upgrades", at(head(`<meta http-equiv="Content-Security-Policy" content="upgrade-insecure-requests"><script src="http://cdn.example/a.js"></script>`)), false, "", "", ""},
		{"mixed-content", "upgrading is only tried out", at(body(`<script src="http://cdn.example/a.js"></script>`), header("Content-Security-Policy-Report-Only", "upgrade-insecure-requests")), true, "html > body > script", "http://cdn.example/a.js", ""},
	}
}
