package security

import (
	"slices"
	"strings"
	"time"

	"visite/internal/inspect/rule"
	"visite/schema"
)

const (
	baseline    = "CA/Browser Forum, TLS Baseline Requirements"
	rfcPath     = "RFC 5280 section 6"
	rfcHost     = "RFC 9525"
	rfcTLS      = "RFC 8446 section 4.4.2"
	rfcOldTLS   = "RFC 8996"
	rfcBestTLS  = "RFC 9325"
	securityTxt = "RFC 9116"
	googleHTTPS = "Google Search Central, Secure your site with HTTPS"
)

// siteRules are all checks of the site as a whole.
var siteRules = slices.Concat(connectionRules, certificateRules, nameRules, contactRules)

var connectionRules = []siteRule{
	siteFailed("https-missing", serious, "The site cannot be reached over https",
		"Whatever is read and sent there can be read and changed on the way. Set up a certificate and https.", rule.SearchEngine, googleHTTPS, judgeHTTPS),
	siteFailed("https-redirect-missing", serious, "The http address does not lead to https",
		"Visitors who type the name stay unprotected. Redirect every http address to its https address.", rule.SearchEngine, googleHTTPS, judgeRedirect),
	siteFailed("https-redirect-detour", minor, "The http address leads to https by a detour",
		"Only an answer over https of the same host can set Strict-Transport-Security. Redirect to https on the same host first.", rule.Convention, "MDN, HTTP Observatory, redirection", judgeRedirectWay),
	siteFailed("tls-legacy", moderate, "The server still speaks TLS 1.0 or 1.1",
		"Both are broken and deprecated. Allow TLS 1.2 and 1.3 only.", rule.Standard, rfcOldTLS, judgeLegacy),
	siteFailed("tls-1-3-missing", info, "The server does not speak TLS 1.3",
		"It is faster and safer than TLS 1.2. Switch it on beside TLS 1.2.", rule.Convention, rfcBestTLS, judgeModern),
}

var certificateRules = []siteRule{
	siteFailed("certificate-expired", schema.SeverityCritical, "The certificate has run out",
		"Browsers turn visitors away. Renew it, and let it be renewed automatically.", rule.Standard, rfcPath,
		ofCertificate(func(p *schema.SiteProbe, c schema.CertificateFacts) (bool, string) {
			return !c.NotAfter.IsZero() && !p.At.Before(c.NotAfter), "until " + day(c.NotAfter)
		})),
	siteFailed("certificate-not-yet-valid", schema.SeverityCritical, "The certificate is not valid yet",
		"Browsers turn visitors away. Check the server's clock and the certificate.", rule.Standard, rfcPath,
		ofCertificate(func(p *schema.SiteProbe, c schema.CertificateFacts) (bool, string) {
			return p.At.Before(c.NotBefore), "from " + day(c.NotBefore)
		})),
	siteFailed("certificate-expires-soon", moderate, "The certificate runs out soon",
		"Automatic renewal would have replaced it by now. Check that it works.", rule.Convention, baseline, ofCertificate(judgeSoon)),
	siteFailed("certificate-wrong-host", schema.SeverityCritical, "The certificate is for another host",
		"Browsers turn visitors away. Use one that lists the host's name.", rule.Standard, rfcHost,
		ofCertificate(func(_ *schema.SiteProbe, c schema.CertificateFacts) (bool, string) { return !c.Host, "" })),
	siteFailed("certificate-chain-incomplete", serious, "The server leaves its issuer's certificate out",
		"Some browsers and most programs cannot check the certificate. Send the issuer's intermediate certificates along (\"full chain\").", rule.Standard, rfcTLS, ofChain(schema.ChainIncomplete)),
	siteFailed("certificate-self-signed", schema.SeverityCritical, "The certificate is signed by itself",
		"Browsers turn visitors away. Get one from a public authority; some give them away.", rule.Standard, rfcPath, ofChain(schema.ChainSelfSigned)),
	siteFailed("certificate-unknown-issuer", schema.SeverityCritical, "Nobody browsers trust vouches for the certificate",
		"Browsers turn visitors away. Get one from a public authority.", rule.Standard, rfcPath, ofChain(schema.ChainUnknownIssuer, schema.ChainFaulty)),
	siteFailed("certificate-intermediate-expired", serious, "An issuer's certificate the server sends has run out",
		"Programs cannot check the server's own. Send the issuer's current certificates.", rule.Standard, rfcPath, ofChain(schema.ChainIntermediateExpired)),
	siteFailed("certificate-weak", serious, "The certificate's key or signature is weak",
		"Use RSA with at least 2048 bits or ECDSA, signed with SHA-256 or better.", rule.Standard, baseline,
		ofCertificate(func(_ *schema.SiteProbe, c schema.CertificateFacts) (bool, string) {
			if c.WeakSignature {
				return true, "signature"
			}
			return c.WeakKey, c.Key
		})),
}

var contactRules = []siteRule{
	siteFailed("security-txt-missing", info, "There is no security.txt",
		"Whoever finds a hole does not know whom to tell. Put a file with Contact and Expires at /.well-known/security.txt.", rule.Standard, securityTxt, judgeTxt),
	siteFailed("security-txt-invalid", minor, "security.txt does not keep to its format",
		"It needs at least one Contact with mailto:, tel: or https: and exactly one Expires, as text/plain.", rule.Standard, securityTxt,
		ofTxt(func(_ time.Time, s schema.SecurityTxtFacts) (bool, string) {
			return len(s.Faults) > 0, strings.Join(s.Faults, ", ")
		})),
	siteFailed("security-txt-expired", minor, "security.txt has run out",
		"Its contacts count as outdated. Check them and set a new date.", rule.Standard, securityTxt,
		ofTxt(func(at time.Time, s schema.SecurityTxtFacts) (bool, string) {
			return !s.Expires.IsZero() && !at.Before(s.Expires), "until " + day(s.Expires)
		})),
	siteFailed("security-txt-expires-late", info, "security.txt holds for more than a year",
		"Contacts go out of date. Set Expires to less than a year ahead.", rule.Standard, securityTxt,
		ofTxt(func(at time.Time, s schema.SecurityTxtFacts) (bool, string) {
			return s.Expires.After(at.AddDate(1, 0, 1)), "until " + day(s.Expires)
		})),
}
