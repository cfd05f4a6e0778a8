package inspect

import (
	"strings"

	"visite/schema"
)

// contacted puts beside a document whom the browser saw it contact: by host, how
// often, and how often of that after consent was refused.
func contacted(host string, requests, refused int) func(*Document) {
	return observed(schema.Observed{Contacts: []schema.Contact{{Host: "shop.example", Requests: 1}, {Host: host, Requests: requests, Refused: refused, FullReferrer: 0}}})
}

// listed is contacted with so many of the requests named by EasyPrivacy.
func listed(host string, requests, refused, named, namedRefused int) func(*Document) {
	return observed(schema.Observed{Contacts: []schema.Contact{{Host: host, Requests: requests, Refused: refused, Listed: named, ListedRefused: namedRefused, List: schema.ListEasyPrivacy}}})
}

func kept(s ...schema.Stored) func(*Document) { return observed(schema.Observed{Stored: s}) }

func cookie(host, name string, days int, refused bool) func(*Document) {
	return kept(schema.Stored{Kind: schema.StoredCookie, Host: host, Name: name, Days: days, Refused: refused})
}

// on moves a document to another address.
func on(address string) func(*Document) {
	return func(d *Document) { d.Facts.Requested, d.Facts.Final = address, address }
}

var (
	inGerman  = strings.Replace(good, `lang="en"`, `lang="de"`, 1)
	inSpanish = strings.Replace(good, `lang="en"`, `lang="es-MX"`, 1)
)

func with(page, markup string) string { return strings.Replace(page, "</body>", markup+"</body>", 1) }

const contactForm = `<form method="post" action="/send"><label>E-mail <input type="email" name="m"></label><button>Send</button></form>`

// privacyCases are those of the rules about privacy.
func privacyCases() []ruleCase {
	const ask = schema.FindingNeedsReview
	return []ruleCase{
		{"tracker-before-consent", "analytics", at(good, contacted("www.google-analytics.com", 2, 0)), true, "", "www.google-analytics.com (Google Analytics)", ""},
		{"tracker-before-consent", "a gap of the list", at(good, contacted("px.ads.linkedin.com", 1, 0)), true, "", "px.ads.linkedin.com (LinkedIn Ads)", ""},
		{"tracker-before-consent", "portraits", at(good, contacted("secure.gravatar.com", 1, 0)), false, "", "", ""},
		{"tracker-before-consent", "reviews", at(good, contacted("widget.trustpilot.com", 1, 0)), false, "", "", ""},
		{"tracker-before-consent", "a marketing company's banner", at(good, contacted("js.hs-banner.com", 1, 0)), false, "", "", ""},
		{"tracker-before-consent", "a marketing company's forms", at(good, contacted("js.hsforms.net", 1, 0)), false, "", "", ""},
		{"tracker-before-consent", "a marketing company's analytics", at(good, contacted("js.hs-analytics.net", 1, 0)), true, "", "js.hs-analytics.net (Hubspot)", ""},
		{"tracker-before-consent", "without cookies", at(good, contacted("plausible.io", 1, 0)), false, "", "", ""},
		{"third-party-contacted", "measurement", at(good, contacted("plausible.io", 1, 0)), true, "", "plausible.io (Plausible)", ask},
		{"third-party-contacted", "measurement of a delivery network", at(good, contacted("static.cloudflareinsights.com", 1, 0)), true, "", "cloudflareinsights.com (Cloudflare Web Analytics)", ask},
		{"tracker-before-consent", "in the source", at(body(`<script src="https://connect.facebook.net/en_US/fbevents.js"></script>`)), true, "", "connect.facebook.net (Facebook)", ""},
		{"tracker-before-consent", "tag manager", at(good, contacted("www.googletagmanager.com", 1, 0)), true, "", "www.googletagmanager.com (Google Tag Manager)", ""},
		{"tracker-before-consent", "waits for consent", at(body(`<script type="text/plain" src="https://connect.facebook.net/en_US/fbevents.js"></script><noscript><img alt="" src="https://www.facebook.com/tr?id=1"></noscript>`)), false, "", "", ""},
		{"tracker-before-consent", "asks for consent", at(good, contacted("consent.cookiebot.com", 3, 0)), false, "", "", ""},
		{"tracker-after-refusal", "goes on", at(good, contacted("script.hotjar.com", 2, 1)), true, "", "script.hotjar.com (Hotjar)", ""},
		{"tracker-after-refusal", "stops", at(good, contacted("script.hotjar.com", 2, 0)), false, "", "", ""},
		{"tracker-after-refusal", "what asks", at(good, contacted("consent.cookiebot.com", 3, 3)), false, "", "", ""},
		{"tracker-before-consent", "named by a list alone", at(good, listed("count.other.example", 3, 0, 1, 0)), true, "", "count.other.example, EasyPrivacy", ""},
		{"tracker-before-consent", "named by a list and by us", at(good, listed("www.google-analytics.com", 1, 0, 1, 0)), true, "", "www.google-analytics.com (Google Analytics)", ""},
		{"tracker-before-consent", "named by a list after the refusal alone", at(good, listed("count.other.example", 2, 1, 1, 1)), false, "", "", ""},
		{"tracker-before-consent", "named by a list, without cookies", at(good, listed("plausible.io", 1, 0, 1, 0)), false, "", "", ""},
		{"tracker-before-consent", "named by a list, reviews", at(good, listed("widget.trustpilot.com", 1, 0, 1, 0)), false, "", "", ""},
		{"tracker-before-consent", "named by a list, reports of faults", at(good, listed("o1.ingest.sentry.io", 1, 0, 1, 0)), false, "", "", ""},
		{"third-party-contacted", "named by a list, reports of faults", at(good, listed("o1.ingest.sentry.io", 1, 0, 1, 0)), true, "", "o1.ingest.sentry.io (Sentry)", ask},
		{"tracker-after-refusal", "named by a list alone", at(good, listed("count.other.example", 3, 2, 1, 1)), true, "", "count.other.example, EasyPrivacy", ""},
		{"tracker-after-refusal", "named by a list before alone", at(good, listed("count.other.example", 3, 2, 1, 0)), false, "", "", ""},
		{"third-party-contacted", "a tracker by a list", at(good, listed("count.other.example", 3, 0, 1, 0)), false, "", "", ""},
		{"third-party-contacted", "a tracker after the refusal", at(good, listed("count.other.example", 2, 1, 1, 1)), true, "", "count.other.example", ask},
		{"privacy-link-missing", "contacts what a list names", at(good, listed("count.other.example", 1, 0, 1, 0)), true, "", "", ask},
		{"fonts-third-party", "Google", at(good, contacted("fonts.gstatic.com", 1, 0)), true, "", "fonts.gstatic.com (Google Fonts)", ""},
		{"fonts-third-party", "in the source", at(head(`<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=A">`)), true, "", "fonts.googleapis.com (Google Fonts)", ""},
		{"fonts-third-party", "its own", at(good, contacted("static.shop.example", 1, 0)), false, "", "", ""},
		{"fonts-third-party", "only a hint", at(head(`<link rel="preconnect" href="https://fonts.gstatic.com">`)), false, "", "", ""},
		{"embed-third-party", "film", at(body(`<iframe title="A film" src="https://www.youtube-nocookie.com/embed/x"></iframe>`)), true, "", "www.youtube-nocookie.com (YouTube)", ""},
		{"embed-third-party", "map", at(good, contacted("maps.googleapis.com", 1, 0)), true, "", "maps.googleapis.com (Google Maps)", ""},
		{"embed-third-party", "a link alone", at(body(`<a href="https://www.youtube.com/watch?v=x">A film</a>`)), false, "", "", ""},
		{"third-party-contacted", "unknown", at(good, contacted("files.other.example", 1, 0)), true, "", "files.other.example", ask},
		{"third-party-contacted", "this machine", at(good, contacted("localhost", 1, 0)), false, "", "", ""},
		{"cookie-before-consent", "known name", at(good, cookie("shop.example", "_ga_ABC123", 400, false)), true, "", "_ga_* (Google Analytics), lasts 400 days", ""},
		{"cookie-before-consent", "of a tracker", at(good, cookie("doubleclick.net", "x1", 30, false)), true, "", "a name that is not shown (Google/Doubleclick Ads), lasts 30 days", ""},
		{"cookie-before-consent", "of another site", at(good, cookie("files.other.example", "user12345678", 1, false)), true, "", "a name that is not shown of files.other.example, lasts 1 day", ask},
		{"cookie-before-consent", "keeps robots out", at(good, cookie("hubspot.com", "__cf_bm", 1, false)), true, "", "__cf_bm of hubspot.com, lasts 1 day", ask},
		{"cookie-before-consent", "the same owner's", at(good, cookie("fbcdn.net", "x", 0, false), on("https://www.facebook.com/")), false, "", "", ""},
		{"cookie-before-consent", "its own, lasting", at(good, header("Set-Cookie", "seen=yes; Max-Age=86401; Secure; HttpOnly")), true, "", "seen, lasts 2 days, Secure, HttpOnly", ask},
		{"cookie-before-consent", "a name that could be words", at(good, cookie("shop.example", "jane doe", 9, false)), true, "", "a name that is not shown, lasts 9 days", ask},
		{"cookie-before-consent", "its own, of the session", at(good, cookie("shop.example", "basket", 0, false)), false, "", "", ""},
		{"cookie-before-consent", "after the refusal", at(good, cookie("shop.example", "_ga", 400, true)), false, "", "", ""},
		{"cookie-after-refusal", "tracker", at(good, cookie("shop.example", "_fbp", 90, true)), true, "", "_fbp (Facebook), lasts 90 days", ""},
		{"cookie-after-refusal", "the choice itself", at(good, cookie("shop.example", "consent", 365, true)), false, "", "", ""},
		{"storage-before-consent", "known name", at(good, kept(schema.Stored{Kind: schema.StoredSession, Name: "_hjActiveViewportIds"})), true, "", "_hj* (Hotjar), session storage", ""},
		{"storage-before-consent", "unknown", at(good, kept(schema.Stored{Kind: schema.StoredLocal, Name: "theme"})), true, "", "theme, local storage", ask},
		{"storage-before-consent", "of the session", at(good, kept(schema.Stored{Kind: schema.StoredSession, Name: "theme"})), false, "", "", ""},
		{"referrer-leak", "whole", at(good, observed(schema.Observed{Contacts: []schema.Contact{{Host: "files.other.example", Requests: 1, FullReferrer: 1}}})), true, "", "files.other.example", ""},
		{"referrer-leak", "host alone", at(good, contacted("files.other.example", 1, 0)), false, "", "", ""},
		{"form-unencrypted", "e-mail", at(body(contactForm), on("http://shop.example/contact")), true, "html > body > form", "", ""},
		{"form-unencrypted", "sent encrypted", at(body(strings.Replace(contactForm, "/send", "https://shop.example/send", 1)), on("http://shop.example/contact")), false, "", "", ""},
		{"form-unencrypted", "a search", at(body(`<form action="/s"><input type="search" name="q" aria-label="Search"></form>`), on("http://shop.example/")), false, "", "", ""},
		{"form-unencrypted", "encrypted", at(body(contactForm)), false, "", "", ""},
		{"imprint-missing", "German", at(inGerman), true, "", "", ask},
		{"imprint-missing", "Spanish", at(inSpanish), true, "", "", ask},
		{"imprint-missing", "linked", at(with(inGerman, `<a href="/Impressum/">Über uns</a>`)), false, "", "", ""},
		{"imprint-missing", "linked by its text", at(with(inSpanish, `<a href="/p/7">Aviso legal</a>`)), false, "", "", ""},
		{"imprint-missing", "itself", at(inGerman, on("https://shop.example/impressum")), false, "", "", ""},
		{"imprint-missing", "English", at(good), false, "", "", ""},
		{"privacy-link-missing", "German", at(with(inGerman, `<a href="/impressum">Impressum</a>`)), true, "", "", ask},
		{"privacy-link-missing", "asks for an address", at(body(contactForm)), true, "", "", ask},
		{"privacy-link-missing", "contacts trackers", at(good, contacted("www.google-analytics.com", 1, 0)), true, "", "", ask},
		{"privacy-link-missing", "linked", at(with(inGerman, `<a href="/x">Datenschutz&shy;erklärung</a>`)), false, "", "", ""},
		{"privacy-link-missing", "linked by its address", at(body(contactForm + `<a href="https://group.example/privacy-policy">More</a>`)), false, "", "", ""},
		{"privacy-link-missing", "asks for nothing", at(good), false, "", "", ""},
	}
}
