package challenge

import (
	"regexp"
	"slices"
	"strings"
)

// answer is what is searched for marks. html is lower case.
type answer struct {
	status int
	header map[string][]string
	html   string
}

// mark is what stands in a product's challenge and in none of the pages that
// passed it. All of its parts have to be there.
type mark struct {
	product  string
	statuses []int // empty: any
	parts    []string
	pattern  *regexp.Regexp
}

// marks are those; parts lower case.
var marks = []mark{
	{product: "Cloudflare", parts: []string{"_cf_chl_opt"}},
	{product: "Cloudflare", pattern: regexp.MustCompile(`/cdn-cgi/challenge-platform/[^"'\s]{0,40}/?orchestrate/`)},
	{product: "Cloudflare", statuses: []int{403, 429}, parts: []string{"cf-error-details"}},
	{product: "Cloudflare", parts: []string{"<title>attention required! | cloudflare</title>"}, statuses: []int{403, 429, 503}},
	{product: "AWS WAF", parts: []string{"window.gokuprops"}},
	{product: "AWS WAF", parts: []string{"awswafcookiedomainlist"}},
	{product: "CloudFront", statuses: []int{403}, parts: []string{"the request could not be satisfied", "request blocked"}},
	{product: "DataDome", parts: []string{"captcha-delivery.com", "var dd="}},
	{product: "DataDome", statuses: []int{403, 405, 429}, parts: []string{"captcha-delivery.com"}},
	{product: "Akamai", statuses: []int{403}, parts: []string{"access denied"}, pattern: regexp.MustCompile(`reference\s?(?:#|&#35;)\s?[0-9]{1,3}\.[0-9a-f]{4,}`)},
	{product: "Akamai", parts: []string{"sec-if-cpt-container"}},
	{product: "Imperva", pattern: regexp.MustCompile(`incapsula incident id`)},
	{product: "Imperva", statuses: []int{403, 429, 503}, parts: []string{"/_incapsula_resource?"}},
	{product: "PerimeterX", parts: []string{"window._pxappid"}, pattern: regexp.MustCompile(`px-captcha|/captcha/captcha\.js|_pxaction`)},
	{product: "PerimeterX", statuses: []int{403, 429}, parts: []string{"px-captcha"}},
	{product: "Kasada", statuses: []int{403, 429}, parts: []string{"kpsdk"}},
	{product: "Sucuri", parts: []string{"sucuri website firewall", "access denied"}},
	{product: "Sucuri", parts: []string{"sucuri_cloudproxy_js", "document.cookie"}},
	{product: "Vercel", parts: []string{"/.well-known/vercel/security/"}},
	{product: "Vercel", parts: []string{"<title>vercel security checkpoint</title>"}},
	{product: "Anubis", parts: []string{`id="anubis_challenge"`}},
	{product: "Anubis", parts: []string{"/.within.website/x/cmd/anubis/"}},
	{product: "go-away", parts: []string{"/.well-known/.git.gammaspectra.live/git/go-away/"}},
	{product: "DDoS-Guard", statuses: []int{403, 429, 503}, parts: []string{"ddos-guard", "checking your browser"}},
	{product: "DDoS-Guard", parts: []string{"<title>ddos-guard</title>"}},
}

// marked is the product whose mark the answer bears, or empty.
func marked(a answer) string {
	for _, m := range marks {
		if m.stands(a) {
			return m.product
		}
	}
	return ""
}

func (m mark) stands(a answer) bool {
	if len(m.statuses) > 0 && !slices.Contains(m.statuses, a.status) {
		return false
	}
	for _, part := range m.parts {
		if !strings.Contains(a.html, part) {
			return false
		}
	}
	return m.pattern == nil || m.pattern.MatchString(a.html)
}
