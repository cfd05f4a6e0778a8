package faultsite

// policies: what a page tells browsers by its header. What is missing there is
// not held against a site on loopback, so nothing of that is planted.
func policies() []change {
	of := func(rule, field, value string) change {
		return change{faults: []string{rule}, header: map[string]string{field: value}}
	}
	const csp = "Content-Security-Policy"
	const rest = "; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"
	return []change{
		{faults: []string{"csp-report-only"}, header: map[string]string{csp: "", "Content-Security-Policy-Report-Only": "default-src 'self'", "X-Frame-Options": "SAMEORIGIN"}},
		of("csp-unsafe-inline", csp, "default-src 'self' 'unsafe-inline'; style-src 'self'"+rest),
		of("csp-broad-sources", csp, "default-src 'self'; script-src *"+rest),
		of("csp-unsafe-eval", csp, "default-src 'self' 'unsafe-eval'"+rest),
		{faults: []string{"csp-unsafe-style", "avoid-inline-spacing"}, body: `<p style="letter-spacing: 0 !important">Set tight.</p>` + "\n",
			header: map[string]string{csp: "default-src 'self'; style-src 'self' 'unsafe-inline'" + rest}},
		of("csp-unknown-directive", csp, "default-src 'self'; img-source 'self'"+rest),
		of("csp-duplicate-directive", csp, "default-src 'self'; img-src 'self'; img-src 'none'"+rest),
		of("framing-open", csp, "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors *"),
		{faults: []string{"x-frame-options-invalid"}, header: map[string]string{csp: "default-src 'self'; object-src 'none'; base-uri 'none'", "X-Frame-Options": "ALLOWALL"}},
		of("nosniff-invalid", "X-Content-Type-Options", "no-sniff"),
		of("referrer-policy-unsafe", "Referrer-Policy", "unsafe-url"),
		of("referrer-policy-invalid", "Referrer-Policy", "none-at-all"),
		{faults: []string{"cors-credentials"}, header: map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Credentials": "true"}},
		of("corp-invalid", "Cross-Origin-Resource-Policy", "everywhere"),
		of("server-version", "Server", "Apache/2.4.57 (Debian)"),
		of("hsts-over-http", "Strict-Transport-Security", "max-age=31536000"),
		of("cookie-no-httponly", "Set-Cookie", "sessionid=1; SameSite=Lax"),
		of("cookie-prefix", "Set-Cookie", "__Host-theme=1; SameSite=Lax; HttpOnly; Path=/"),
		of("cookie-samesite-invalid", "Set-Cookie", "theme=1; SameSite=Always; HttpOnly"),
	}
}
