package privacy

import (
	"fmt"
	"regexp"
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// tracking are names under which trackers are known to keep what they recognise
// visitors by; a star stands for what may follow.
var tracking = []struct{ name, owner string }{
	{"_ga", "Google Analytics"}, {"_ga_*", "Google Analytics"}, {"_gid", "Google Analytics"}, {"_gat*", "Google Analytics"}, {"__utm*", "Google Analytics"},
	{"_gcl_*", "Google Ads"}, {"__gads", "Google Ads"}, {"__gpi*", "Google Ads"}, {"IDE", "Google Ads"},
	{"_fbp", "Facebook"}, {"_fbc", "Facebook"}, {"_hj*", "Hotjar"}, {"_clck", "Clarity"}, {"_clsk", "Clarity"}, {"_uet*", "Microsoft Ads"}, {"MUID", "Microsoft Ads"},
	{"_pk_id*", "Matomo"}, {"_pk_ses*", "Matomo"}, {"_pk_ref*", "Matomo"}, {"_ttp", "TikTok"}, {"_tt_*", "TikTok"}, {"_pin_unauth", "Pinterest"}, {"_pinterest_*", "Pinterest"},
	{"_scid*", "Snap"}, {"_sctr", "Snap"}, {"li_fat_id", "LinkedIn"}, {"bcookie", "LinkedIn"}, {"li_sugr", "LinkedIn"}, {"hubspotutk", "HubSpot"}, {"__hstc", "HubSpot"}, {"__hssrc", "HubSpot"},
	{"ajs_anonymous_id", "Segment"}, {"ajs_user_id", "Segment"}, {"mp_*_mixpanel", "Mixpanel"}, {"amplitude_*", "Amplitude"}, {"AMP_*", "Amplitude"}, {"_ym_*", "Yandex Metrica"},
	{"optimizelyEndUserId", "Optimizely"}, {"_vwo_*", "VWO"}, {"_vis_opt_*", "VWO"}, {"AMCV_*", "Adobe"}, {"s_vi*", "Adobe"}, {"_mkto_trk", "Marketo"}, {"__qca", "Quantcast"},
	{"_rdt_uuid", "Reddit"}, {"_twclid", "X"}, {"muc_ads", "X"}, {"personalization_id", "X"}, {"_shopify_y", "Shopify"}, {"_shopify_s", "Shopify"}, {"VISITOR_INFO1_LIVE", "YouTube"},
	{"cto_bundle", "Criteo"}, {"_etm*", "Etracker"}, {"et_coid", "Etracker"}, {"wt3_*", "Mapp"}, {"_derived_epik", "Pinterest"},
}

// needed are names of cookies that keep robots or fraud out, whoever sets them.
var needed = map[string]bool{"__cf_bm": true, "_cfuvid": true, "cf_clearance": true, "__stripe_mid": true, "__stripe_sid": true}

// tracker is the known name that a name is an instance of.
func tracker(name string) (known, owner string, ok bool) {
	for _, t := range tracking {
		before, after, star := strings.Cut(t.name, "*")
		if name == t.name || (star && len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)) {
			return t.name, t.owner, true
		}
	}
	return "", "", false
}

var plainName = regexp.MustCompile(`^[A-Za-z_]{1,24}$`)

// plain is a name as a detail may have it: sites put numbers of sessions, names of
// people and what they searched for into names, so all but short words is hidden.
func plain(name string) string {
	if !plainName.MatchString(name) {
		return schema.HiddenName
	}
	return name
}

// left is what a page left in the browser: as the browser found it, or by the
// headers of its answer.
func left(c *page.Content) []schema.Stored {
	if c.Doc.Observed != nil {
		return c.Doc.Observed.Stored
	}
	if !c.Static() {
		return nil
	}
	var out []schema.Stored
	for _, f := range c.Doc.Header("Set-Cookie") {
		pair, attributes, _ := strings.Cut(f, ";")
		name, value, ok := strings.Cut(pair, "=")
		if !ok || strings.TrimSpace(value) == "" { // being deleted, most likely
			continue
		}
		s := schema.Stored{Kind: schema.StoredCookie, Name: strings.TrimSpace(name), Host: strings.ToLower(c.URL.Hostname())}
		for a := range strings.SplitSeq(attributes, ";") {
			key, value, _ := strings.Cut(a, "=")
			switch strings.ToLower(strings.TrimSpace(key)) {
			case "max-age":
				var seconds int
				if _, err := fmt.Sscan(strings.TrimSpace(value), &seconds); err == nil && seconds > 0 {
					s.Days = (seconds + 86399) / 86400
				}
			case "secure":
				s.Secure = true
			case "httponly":
				s.HTTPOnly = true
			}
		}
		out = append(out, s)
	}
	return out
}

// cookies judges those that came before or after consent was refused: of trackers
// they are faults; of other sites, which may need them to serve their files or to
// take a payment, and lasting ones of the page's own, they are a question.
func cookies(refused bool) func(*page.Content) []rule.Hit {
	return func(c *page.Content) []rule.Hit {
		var hits []rule.Hit
		own := entityOf(strings.ToLower(c.URL.Hostname()))
		for _, s := range left(c) {
			if s.Kind != schema.StoredCookie || s.Refused != refused {
				continue
			}
			known, owner, tracks := tracker(s.Name)
			e := entityOf(s.Host)
			third := s.Host != "" && c.ThirdParty(s.Host) && !e.sameOwner(own)
			if third && !tracks && !needed[s.Name] && e.class == classTracker {
				known, owner, tracks = plain(s.Name), e.name, true
			}
			switch {
			case tracks:
				hits = append(hits, rule.Hit{Detail: known + " (" + owner + ")" + traits(s)})
			case third && e.class != classConsent:
				hits = append(hits, rule.Hit{Detail: plain(s.Name) + " of " + shown(c.Doc.RegistrableOf(s.Host)) + traits(s), Severity: schema.SeverityModerate, Outcome: schema.FindingNeedsReview})
			case !third && !refused && s.Days > 0:
				hits = append(hits, rule.Hit{Detail: plain(s.Name) + traits(s), Severity: schema.SeverityMinor, Outcome: schema.FindingNeedsReview})
			}
		}
		return hits
	}
}

// traits are a cookie's attributes in figures and closed words.
func traits(s schema.Stored) string {
	out := ", ends with the session"
	if s.Days > 0 {
		out = ", lasts " + rule.Count(s.Days, "day")
	}
	if s.Secure {
		out += ", Secure"
	}
	if s.HTTPOnly {
		out += ", HttpOnly"
	}
	switch s.SameSite {
	case "Strict", "Lax", "None":
		out += ", SameSite=" + s.SameSite
	}
	return out
}

// keys judges what the page's own storage holds before anybody chose.
func keys(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, s := range left(c) {
		if s.Refused || s.Kind == schema.StoredCookie {
			continue
		}
		place := strings.ReplaceAll(string(s.Kind), "_", " ")
		if known, owner, tracks := tracker(s.Name); tracks {
			hits = append(hits, rule.Hit{Detail: known + " (" + owner + "), " + place})
		} else if s.Kind == schema.StoredLocal {
			hits = append(hits, rule.Hit{Detail: plain(s.Name) + ", " + place, Severity: schema.SeverityMinor, Outcome: schema.FindingNeedsReview})
		}
	}
	return hits
}
