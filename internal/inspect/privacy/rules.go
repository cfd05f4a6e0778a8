package privacy

import (
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// Where the rules come from.
const (
	ePrivacy  = "Directive 2002/58/EC (ePrivacy), article 5(3)"
	gdpr      = "GDPR, articles 5, 6 and 44"
	gdprTells = "GDPR, articles 12 to 14"
	munich    = "LG München I, 3 O 17493/20"
	gdprSafe  = "GDPR, article 32"
	imprint   = "Germany: DDG section 5; Spain: LSSI article 10"
	referrer  = "W3C Referrer Policy"
)

func described(id string, severity schema.Severity, outcome schema.FindingOutcome, title, help, reference string, run func(*page.Content) []rule.Hit) rule.Rule {
	return rule.Rule{
		Info: rule.Info{ID: id, Category: schema.CategoryPrivacy, Severity: severity, Outcome: outcome, Title: title, Help: help, Source: rule.Standard, Reference: reference},
		Run:  run,
	}
}

// Rules lists them. What they say of the law is a hint, not advice.
func Rules() []rule.Rule {
	const failed, question = schema.FindingFailed, schema.FindingNeedsReview
	return []rule.Rule{
		described("tracker-before-consent", schema.SeveritySerious, failed, "Trackers are contacted before anybody agreed",
			"Load them only once visitors have agreed, the tag manager included.", ePrivacy, before(classTracker, classTags)),
		described("tracker-after-refusal", schema.SeveritySerious, failed, "Trackers are contacted although consent was refused",
			"Set the consent tool up so that it really holds them back, and check with the network view of the browser.", ePrivacy, after),
		described("fonts-third-party", schema.SeverityModerate, failed, "Fonts are loaded from another site",
			"Serve the font files yourself; most licences allow it.", munich, before(classFonts)),
		described("embed-third-party", schema.SeverityModerate, failed, "Content of another site is embedded without asking",
			"Show a picture first and load the film, the map or the check when somebody wants it.", gdpr, before(classEmbed)),
		described("third-party-contacted", schema.SeverityMinor, question, "The page contacts another site",
			"See whether it is needed and named in the privacy notice; serve files yourself where you can.", gdpr, before(classOther, classMeasure)),
		described("cookie-before-consent", schema.SeveritySerious, failed, "A cookie is set before anybody agreed",
			"Set it only after consent unless it is strictly needed; whether it is, a person has to decide.", ePrivacy, cookies(false)),
		described("cookie-after-refusal", schema.SeveritySerious, failed, "A cookie is set although consent was refused",
			"Set the consent tool up so that it lets no such cookies through after a refusal.", ePrivacy, cookies(true)),
		described("storage-before-consent", schema.SeveritySerious, failed, "The page keeps something in the browser's storage before anybody agreed",
			"Keep what is not strictly needed only after consent; whether it is, a person has to decide.", ePrivacy, keys),
		described("referrer-leak", schema.SeverityModerate, failed, "Other sites are told the page's whole address",
			"Send Referrer-Policy: strict-origin-when-cross-origin, and leave out referrerpolicy attributes that allow more.", referrer, told),
		described("form-unencrypted", schema.SeveritySerious, failed, "A form asks for personal data over an unencrypted connection",
			"Set up https and offer the page and its form there only.", gdprSafe, openForms),
		described("imprint-missing", schema.SeverityMinor, question, "No link to an imprint can be found",
			"Link to it from each page, for example in the footer. Whether the site needs one, a person has to decide.", imprint, missing(owesImprint, imprintWords)),
		described("privacy-link-missing", schema.SeverityMinor, question, "No link to a privacy notice can be found",
			"Link to it from each page, for example in the footer.", gdprTells, missing(owesNotice, privacyWords)),
	}
}

// before finds parties of some classes that are contacted though nobody chose.
// Tag managers weigh less: what they bring counts by itself.
func before(of ...class) func(*page.Content) []rule.Hit {
	return func(c *page.Content) []rule.Hit {
		var hits []rule.Hit
		for _, p := range parties(c) {
			for _, class := range of {
				if !p.is(class) {
					continue
				}
				hit := rule.Hit{Detail: p.label()}
				if class == classTracker {
					hit.Detail = p.tracked()
				}
				if class == classTags {
					hit.Severity = schema.SeverityModerate
				}
				hits = append(hits, hit)
			}
		}
		return hits
	}
}

// after finds trackers that are contacted after consent was refused.
func after(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, p := range parties(c) {
		if p.afterRefusal() {
			hits = append(hits, rule.Hit{Detail: p.tracked()})
		}
	}
	return hits
}

// told finds parties that learn more of the page's address than its host.
func told(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, p := range parties(c) {
		if p.full > 0 {
			hits = append(hits, rule.Hit{Detail: p.label()})
		}
	}
	return hits
}
