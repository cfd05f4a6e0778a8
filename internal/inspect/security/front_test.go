package security

import (
	"strings"
	"testing"

	"visite/internal/inspect/page"
	"visite/internal/inspect/security/observatory"
	"visite/schema"
)

// answer is a page read from its address, markup and fields ("Name", "value", ...).
func answer(address, markup string, fields ...string) *page.Content {
	d := page.Document{Source: []byte("<!doctype html><html><head>" + markup + "</head><body></body></html>"), Engine: schema.EngineHTTP}
	d.Registrable = func(host string) string { return strings.TrimPrefix(host, "static.") }
	d.Facts = schema.DocumentFacts{Requested: address, Final: address, Status: 200, MediaType: "text/html", Header: map[string][]string{}}
	for i := 0; i+1 < len(fields); i += 2 {
		d.Facts.Header[fields[i]] = append(d.Facts.Header[fields[i]], fields[i+1])
	}
	return page.Read(d, "shop.example")
}

func TestFrontResults(t *testing.T) {
	const (
		secure, insecure = "https://shop.example/", "http://shop.example/"
		csp, cookie      = "Content-Security-Policy", "Set-Cookie"
		long             = "max-age=31536000"
		digest           = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	)
	of := func(f func(schema.FrontSecurity) string, want, address, markup string, fields ...string) {
		t.Helper()
		if got := f(Front(answer(address, markup, fields...))); got != want {
			t.Errorf("%s %s %q: %s, want %s", address, markup, fields, got, want)
		}
	}
	policy := func(f schema.FrontSecurity) string { return f.CSP }
	of(policy, observatory.CSPNone, secure, "")
	of(policy, observatory.CSPNone, secure, "", csp, " ; ")
	of(policy, observatory.CSPReportOnly, secure, "", csp+"-Report-Only", "default-src 'self'")
	of(policy, observatory.CSPDefaultNone, secure, "", csp, "default-src 'none'; script-src 'self'; style-src 'self'")
	of(policy, observatory.CSPNoUnsafe, secure, "", csp, "default-src 'self'")
	of(policy, observatory.CSPUnsafeStyle, secure, "", csp, "default-src 'self'; style-src 'self' 'unsafe-inline'")
	of(policy, observatory.CSPInsecurePassive, secure, "", csp, "default-src 'self'; img-src http:")
	of(policy, observatory.CSPNoUnsafe, insecure, "", csp, "default-src 'self'; img-src http:")
	of(policy, observatory.CSPInsecure, secure, "", csp, "default-src 'self'; connect-src http://a.example")
	of(policy, observatory.CSPUnsafeEval, secure, "", csp, "default-src 'self' 'unsafe-eval'")
	of(policy, observatory.CSPUnsafeInline, secure, "", csp, "default-src 'self' 'unsafe-inline'")
	of(policy, observatory.CSPUnsafeInline, secure, "", csp, "frame-ancestors 'none'")
	of(policy, observatory.CSPInvalid, secure, "", csp, "script-src 'strict-dynamic'")
	of(policy, observatory.CSPDuplicates, secure, "", csp, "default-src 'self'; report-uri /a; report-uri /b")
	// S09: both policies hold, so the second one's https: opens nothing.
	of(policy, observatory.CSPNoUnsafe, secure, "", csp, "default-src 'self', frame-ancestors 'none'; default-src https:")
	// S10: an empty policy in the markup is no policy.
	of(policy, observatory.CSPNoUnsafe, secure, `<meta http-equiv="content-security-policy" content="">`, csp, "default-src 'self'")
	of(policy, observatory.CSPNoUnsafe, secure, `<meta http-equiv="content-security-policy" content="default-src 'self'">`)
	of(policy, observatory.CSPNone, secure, `<meta http-equiv="content-security-policy" content="frame-ancestors 'none'">`)

	cookies := func(f schema.FrontSecurity) string { return f.Cookies }
	of(cookies, observatory.CookiesNone, secure, "")
	of(cookies, observatory.CookiesSameSite, secure, "", cookie, "sessionid=1; Secure; HttpOnly; SameSite=Lax", cookie, "a=1; Secure; SameSite=None")
	of(cookies, observatory.CookiesSecure, secure, "", cookie, "a=1; Secure")
	of(cookies, observatory.CookiesInsecureHSTS, secure, "", cookie, "a=1", "Strict-Transport-Security", long)
	of(cookies, observatory.CookiesSessionHSTS, secure, "", cookie, "sess=1; HttpOnly", "Strict-Transport-Security", long)
	of(cookies, observatory.CookiesInsecure, secure, "", cookie, "a=1", "Strict-Transport-Security", "max-age=60")
	of(cookies, observatory.CookiesSameSiteInvalid, secure, "", cookie, "a=1; Secure; SameSite")
	of(cookies, observatory.CookiesAntiCSRF, secure, "", cookie, "csrftoken=1; Secure")
	of(cookies, observatory.CookiesSessionScripted, secure, "", cookie, "a=1", cookie, "sess=1; Secure")
	of(cookies, observatory.CookiesSessionInsecure, secure, "", cookie, "login=1")

	files := func(f schema.FrontSecurity) string { return f.SRI }
	of(files, observatory.SRINoScripts, secure, "<script>1</script>")
	of(files, observatory.SRIOwn, secure, `<script src="/a.js"></script><script src="https://static.shop.example/b.js"></script>`)
	of(files, observatory.SRIAll, secure, `<script src="/a.js" integrity="`+digest+`"></script>`)
	of(files, observatory.SRIExternal, secure, `<script src="https://cdn.example/a.js" integrity="`+digest+`"></script>`)
	of(files, observatory.SRIMissing, secure, `<script src="https://cdn.example/a.js"></script><script src="https://cdn.example/b.js" integrity="`+digest+`"></script>`)
	of(files, observatory.SRIInsecure, secure, `<script src="http://cdn.example/a.js" integrity="`+digest+`"></script>`)
	of(files, observatory.SRIMissingInsecure, secure, `<script src="http://cdn.example/a.js"></script>`)

	of(func(f schema.FrontSecurity) string { return f.CORS }, observatory.CORSPublic, secure, "", "Access-Control-Allow-Origin", "*")
	of(func(f schema.FrontSecurity) string { return f.CORS }, observatory.CORSRestricted, secure, "", "Access-Control-Allow-Origin", "https://a.example")
	for value, want := range map[string]string{"no-referrer": observatory.ReferrerPrivate, "origin": observatory.ReferrerUnsafe, "x": observatory.ReferrerInvalid, "": observatory.ReferrerNone} {
		of(func(f schema.FrontSecurity) string { return f.Referrer }, want, secure, "", "Referrer-Policy", value)
	}
	for value, want := range map[string]string{"nosniff": observatory.ContentTypeNosniff, "x": observatory.ContentTypeInvalid, "": observatory.ContentTypeNone} {
		of(func(f schema.FrontSecurity) string { return f.ContentType }, want, secure, "", "X-Content-Type-Options", value)
	}
	for value, want := range map[string]string{"DENY": observatory.FramingSameOrigin, "x": observatory.FramingInvalid, "": observatory.FramingNone, "ALLOW-FROM https://a.example": observatory.FramingAllowFrom} {
		of(func(f schema.FrontSecurity) string { return f.Framing }, want, secure, "", "X-Frame-Options", value)
	}
	of(func(f schema.FrontSecurity) string { return f.Framing }, observatory.FramingCSP, secure, "", csp, "frame-ancestors 'self'", "X-Frame-Options", "x")
	for value, want := range map[string]string{"same-origin": observatory.CORPSameOrigin, "same-site": observatory.CORPSameSite, "cross-origin": observatory.CORPCrossOrigin, "x": observatory.CORPInvalid, "": observatory.CORPNone} {
		of(func(f schema.FrontSecurity) string { return f.CORP }, want, secure, "", "Cross-Origin-Resource-Policy", value)
	}
}

func TestHosts(t *testing.T) {
	for host, want := range map[string]hostKind{
		"shop.example": publicName, "www.shop.example.": publicName, "localhost": localHost, "app.localhost": localHost, "intranet": localHost,
		"127.0.0.1": localHost, "[::1]": localHost, "192.168.1.4": localHost, "8.8.8.8": bareAddress, "printer.local": localHost,
	} {
		if got := kindOf(host); got != want {
			t.Errorf("%s: %d, want %d", host, got, want)
		}
	}
}
