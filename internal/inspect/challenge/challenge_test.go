package challenge

import (
	"net/http"
	"strings"
	"testing"

	"visite/internal/inspect/page"
	"visite/schema"
)

const (
	menu   = `<nav><a href="/a">A</a><a href="/b">B</a><a href="/c">C</a></nav>`
	widget = `<div class="cf-turnstile" data-sitekey="k"></div><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>`
)

func words(n int) string { return strings.Repeat("word ", n) }

func doc(title, body string) string {
	return `<!doctype html><html><head><title>` + title + `</title></head><body>` + body + `</body></html>`
}

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

type situation struct {
	name    string
	status  int
	header  http.Header
	html    string
	product string
	blocked bool
}

func (s situation) content(engine schema.Engine) *page.Content {
	d := page.Document{Engine: engine, Facts: schema.DocumentFacts{
		Requested: "https://site.example/", Final: "https://site.example/", Status: s.status, Header: s.header, MediaType: "text/html",
	}}
	if engine == schema.EngineBrowser {
		d.Rendered = s.html
	} else {
		d.Source = []byte(s.html)
	}
	return page.Read(d, "site.example")
}

var challenges = []situation{
	{"Cloudflare by header", 403, headers("Cf-Mitigated", "challenge", "Server", "cloudflare"), doc("", menu+words(900)), "Cloudflare", true},
	{"Cloudflare by script", 403, nil, doc("Just a moment...", `<script>window._cf_chl_opt={cvId:'3'}</script>`), "Cloudflare", true},
	{"Cloudflare orchestrate", 503, nil, doc("x", `<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1"></script>`), "Cloudflare", true},
	{"bare title only", 503, nil, doc("Just a moment...", `<h1>site.example</h1>`), "", true},
	{"bare title, German", 403, nil, doc("Nur einen Moment…", `<p>site.example</p>`), "", true},
	{"Cloudflare block", 403, nil, doc("Attention Required! | Cloudflare", `<h1>Sorry, you have been blocked</h1><div id="cf-error-details"></div>`), "Cloudflare", true},
	{"Vercel by header at 429", 429, headers("X-Vercel-Mitigated", "challenge"), "", "Vercel", true},
	{"Vercel by title", 403, nil, doc("Vercel Security Checkpoint", `<p>Wait</p>`), "Vercel", true},
	{"AWS WAF challenge", 202, headers("X-Amzn-Waf-Action", "challenge"), "", "AWS WAF", true},
	{"AWS WAF captcha", 405, headers("X-Amzn-Waf-Action", "captcha"), "", "AWS WAF", true},
	{"AWS WAF in markup", 202, nil, doc("", `<script>window.gokuProps = {"key":"x"}</script><div id="challenge-container"></div>`), "AWS WAF", true},
	{"AWS WAF by script address", 405, nil, doc("Human Verification", `<script src="https://1a.token.awswaf.com/1a/captcha.js"></script>`), "AWS WAF", true},
	{"CloudFront refuses", 403, headers("X-Cache", "Error from cloudfront"), doc("ERROR: The request could not be satisfied", `<h1>403 ERROR</h1><h2>The request could not be satisfied.</h2><hr>Request blocked.`), "CloudFront", true},
	{"DataDome", 403, headers("X-Datadome", "protected"), doc("site.example", `<script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script><script src="https://ct.captcha-delivery.com/c.js"></script>`), "DataDome", true},
	{"Akamai reference", 403, headers("Server", "AkamaiGHost"), doc("Access Denied", `<h1>Access Denied</h1>You don't have permission.<p>Reference #18.5c6c1402.1700000000.1a2b3c</p>`), "Akamai", true},
	{"Akamai interstitial", 200, nil, doc("", `<div id="sec-if-cpt-container"></div>`), "Akamai", true},
	{"Distil title", 403, nil, doc("Pardon Our Interruption", `<p>Something about your browser made us think</p>`), "", true},
	{"Imperva stub", 403, headers("X-Iinfo", "1-2-3"), doc("", `<iframe src="/_Incapsula_Resource?SWUDNSAI=31&amp;xinfo=1"></iframe>Request unsuccessful. Incapsula incident ID: 1-2`), "Imperva", true},
	{"PerimeterX", 403, nil, doc("Access to this page has been denied", `<div id="px-captcha"></div><script>window._pxAppId='PX1'</script>`), "PerimeterX", true},
	{"Kasada", 429, nil, doc("", `<script>window.KPSDK={}</script>`), "Kasada", true},
	{"Sucuri", 403, nil, doc("Sucuri WebSite Firewall - Access Denied", `<h1>Access Denied - Sucuri Website Firewall</h1>`), "Sucuri", true},
	{"Anubis, wordy", 200, nil, doc("Making sure you're not a bot!", `<main><h1>Making sure you're not a bot!</h1>`+words(260)+`</main><script id="anubis_challenge" type="application/json">{}</script>`), "Anubis", true},
	{"go-away", 403, nil, doc("Checking you", `<link rel="stylesheet" href="/.well-known/.git.gammaspectra.live/git/go-away/assets/style.css">`), "go-away", true},
	{"DDoS-Guard", 403, nil, doc("DDoS-Guard", `<h1>Checking your browser before accessing</h1>`), "DDoS-Guard", true},
	{"FullStory", 200, nil, `<html><head><title>Client Challenge</title><meta name="robots" content="noindex"></head><script src="/_fs-ch-1/script.js"></script>`, "FullStory Challenge", true},
	{"hCaptcha alone at 403", 403, nil, doc("One more step", `<h1>Please verify you are human</h1><div class="h-captcha"></div>`), "hCaptcha", true},
	{"reCAPTCHA alone at 429", 429, nil, doc("", `<form id="captcha-form"><div class="g-recaptcha"></div></form>`), "reCAPTCHA", true},
	{"unknown maker, Spanish", 403, nil, doc("Acceso", `<h1>Verifique que es humano</h1><button>Soy humano</button>`), "", true},
	{"unknown maker, 200", 200, nil, doc("Acceso", `<h1>No soy un robot</h1><div class="frc-captcha"></div>`), "", true},
	{"ALTCHA at 403", 403, nil, doc("Check", `<altcha-widget></altcha-widget>`), "", true},
}

var ordinary = []situation{
	{"passed Cloudflare", 200, headers("Server", "cloudflare", "Cf-Ray", "1", "Set-Cookie", "cf_clearance=x; path=/"), doc("Shop", menu+words(300)+`<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`), "", false},
	{"passed Cloudflare, a very short page", 200, headers("Server", "cloudflare", "Set-Cookie", "cf_clearance=x"), doc("Hello", `<h1>Hello</h1><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`), "", false},
	{"Turnstile in a contact form", 200, nil, doc("Contact", `<form><input name="n"><textarea name="t"></textarea>`+widget+`</form>`), "", false},
	{"Turnstile beside the words", 200, nil, doc("Attention Required", menu+`<p>Attention Required: book early</p>`+widget), "", false},
	{"reCAPTCHA in a login at 401", 401, nil, doc("Login", `<form><input name="u"><input type="password" name="p"><div class="g-recaptcha"></div></form>`), "", false},
	{"hCaptcha on a short page with a menu", 200, nil, doc("Vote", menu+`<div class="h-captcha"></div><p>Vote here</p>`), "", false},
	{"script of a widget on an empty shell", 200, nil, doc("App", `<div id="root"></div><script src="https://www.google.com/recaptcha/api.js"></script><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>`), "", false},
	{"widget alone on a short page", 200, nil, doc("Unsubscribe", `<form><input name="mail"><div class="g-recaptcha"></div></form>`), "", false},
	{"Akamai cookie at 200", 200, headers("Set-Cookie", "_abck=1~-1", "Set-Cookie", "bm_sz=1"), doc("Shop", menu), "", false},
	{"Akamai cookie at an ordinary 403", 403, headers("Set-Cookie", "_abck=1"), doc("403 Forbidden", `<h1>Forbidden</h1>`), "", false},
	{"DataDome cookie at 200", 200, headers("Set-Cookie", "datadome=x", "X-Datadome", "protected"), doc("Shop", `<p>short</p>`), "", false},
	{"Imperva script at the end", 200, headers("X-Iinfo", "1", "X-Cdn", "Incapsula"), doc("Bank", menu+words(250)+`<script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3,719d34d31c8e3a6e"></script>`), "", false},
	{"a server's own 403", 403, headers("Server", "nginx"), doc("403 Forbidden", `<center><h1>403 Forbidden</h1></center><hr><center>nginx</center>`), "", false},
	{"a file missing behind CloudFront", 403, headers("X-Cache", "Error from cloudfront"), doc("Error", `<h1>AccessDenied</h1>`), "", false},
	{"a server down behind CloudFront", 502, headers("X-Cache", "Error from cloudfront"), doc("ERROR: The request could not be satisfied", `<h1>502 ERROR</h1><h2>The request could not be satisfied.</h2>`), "", false},
	{"a server down behind Cloudflare", 522, headers("Server", "cloudflare"), doc("site.example | 522: Connection timed out", `<div id="cf-error-details">Error</div>`), "", false},
	{"maintenance", 503, nil, `<html><head><title>Back soon</title><meta http-equiv="refresh" content="10"><meta name="robots" content="noindex"></head><body>Maintenance</body></html>`, "", false},
	{"missing page with a widget", 404, nil, doc("Not found", widget), "", false},
	{"an article about challenges", 200, nil, doc("Just a moment... explained", menu+words(40)+`<code>_cf_chl_opt anubis_challenge verify you are human</code>`), "", false},
	{"a long essay without links", 200, nil, doc("Are you a robot?", words(600)+"<h1>Are you a robot?</h1>window._cf_chl_opt"), "", false},
	{"an empty page", 200, nil, "", "", false},
	{"a short page", 200, nil, doc("Hello", "<p>Hello</p>"), "", false},
}

// proves S-23
func TestDetect(t *testing.T) {
	for _, s := range append(append([]situation(nil), challenges...), ordinary...) {
		for _, engine := range []schema.Engine{schema.EngineBrowser, schema.EngineHTTP} {
			t.Run(s.name+"/"+string(engine), func(t *testing.T) {
				product, blocked := Detect(s.content(engine))
				if product != s.product || blocked != s.blocked {
					t.Errorf("%q, %v; want %q, %v", product, blocked, s.product, s.blocked)
				}
			})
		}
	}
}

// Every rule of the list that is about answers in general can be applied.
func TestTheListOfBotFiltersIsRead(t *testing.T) {
	list, err := providers()
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	for _, p := range list {
		rules += len(p.rules)
	}
	if len(list) < 20 || rules < 50 {
		t.Errorf("%d products, %d rules", len(list), rules)
	}
}

func TestConjunctionsMatchAsWritten(t *testing.T) {
	both, err := allOf(`^(?=[\s\S]*\bh-captcha(?!-response))(?=[\s\S]*(?:Verify you are (?:a )?human|Attention Required))`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`<p>attention required</p> <div class="h-captcha">`:    true,
		`<div class="h-captcha"> verify you are a human`:       true,
		`<div class="h-captcha">`:                              false,
		`<input name="h-captcha-response"> attention required`: false,
		`<div class="h-captcha-box"> attention required`:       true,
		`attention required h-captcha`:                         true,
	} {
		if got := both(answer{html: text}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if _, err := allOf(`^(?=[\s\S]*a`); err == nil {
		t.Error("half a condition compiled")
	}
}

// FuzzDetect: whatever a page is made of, looking at it ends.
func FuzzDetect(f *testing.F) {
	for _, s := range challenges {
		f.Add(s.status, s.html)
	}
	f.Add(403, strings.Repeat("<title", 5000))
	f.Fuzz(func(t *testing.T, status int, html string) {
		Detect(situation{status: status, html: html}.content(schema.EngineBrowser))
	})
}

func BenchmarkDetect(b *testing.B) {
	for name, html := range map[string]string{
		"ordinary": doc("Shop", menu+words(2000)),
		"hostile":  doc("x", `<p hidden>`+strings.Repeat("<title x window._pxappid ", 8000)),
	} {
		c := situation{status: 200, html: html}.content(schema.EngineBrowser)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Detect(c)
			}
		})
	}
}
