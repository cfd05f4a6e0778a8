package privacy

import (
	"embed"
	"encoding/json"
	"strings"
	"sync"
)

// data holds the list of third parties that the build takes from the
// third-party-web package (MIT), see internal/browser/scripts/bundle.
//
//go:embed all:data
var data embed.FS

// class is what a third party is for. A closed list.
type class string

const (
	classTracker class = "tracker"     // advertising, analytics, marketing, social networks
	classMeasure class = "measurement" // counts visits without cookies
	classTags    class = "tag manager" // brings others
	classFonts   class = "fonts"
	classEmbed   class = "embed"   // films, maps, security checks
	classConsent class = "consent" // asks for consent
	classOther   class = "other"
)

// entity is who runs a host.
type entity struct {
	name    string // from the list; empty where it is not known
	company string
	class   class
	ours    bool // judged by us, case by case: what lists say of its files does not count
}

// sameOwner tells whether two hosts are known to be run by one company.
func (e entity) sameOwner(other entity) bool { return e.name != "" && e.company == other.company }

// classes are ours for the list's categories; what is not named is classOther.
var classes = map[string]class{
	"ad": classTracker, "analytics": classTracker, "marketing": classTracker, "social": classTracker,
	"tag-manager": classTags, "video": classEmbed, "consent-provider": classConsent,
}

// named sorts entities of the list whose category says too little.
var named = map[string]class{
	"Google Fonts": classFonts, "Adobe TypeKit": classFonts, "FontAwesome CDN": classFonts, "Monotype": classFonts, "Fonts.com": classFonts, "Typekit": classFonts,
	"Google Maps": classEmbed, "Google reCAPTCHA": classEmbed, "Mapbox": classEmbed, "hCaptcha": classEmbed,
	"Clarity": classTracker, "Cookiebot": classConsent, "Usercentrics": classConsent, "OneTrust": classConsent,
	"Plausible": classMeasure, "Fathom Analytics": classMeasure,
	"Gravatar": classOther, "Trust Pilot": classOther, "Bazaarvoice": classOther, "Feefo.com": classOther, "Net Reviews": classOther, "PowerReviews": classOther,
	"Reviews.co.uk": classOther, "Reviews.io": classOther, "Stamped.io": classOther, "Yotpo": classOther, "Judge.me": classOther, "eKomi": classOther,
	// Lists name them, but they tell a site of its own faults, or visitors whom others trust.
	"Sentry": classOther, "New Relic": classOther, "Bugsnag": classOther, "Rollbar": classOther, "Raygun": classOther, "Trusted Shops": classOther,
	"YouTube": classEmbed, "Vimeo": classEmbed, "Dailymotion": classEmbed, "SoundCloud": classEmbed, "Spotify": classEmbed,
}

// added are hosts that the list does not have, or has among others of their owner.
var added = map[string]entity{
	"gstatic.com":                   {name: "Google", company: "Google", class: classOther},
	"fonts.bunny.net":               {name: "Bunny Fonts", company: "BunnyWay", class: classFonts},
	"use.fontawesome.com":           {name: "Font Awesome", company: "Fonticons", class: classFonts},
	"linkedin.com":                  {name: "LinkedIn", company: "Microsoft", class: classTracker},
	"datadoghq-browser-agent.com":   {name: "Datadog", company: "Datadog", class: classOther},
	"datadoghq.com":                 {name: "Datadog", company: "Datadog", class: classOther},
	"datadoghq.eu":                  {name: "Datadog", company: "Datadog", class: classOther},
	"piwik.pro":                     {name: "Piwik PRO", company: "Piwik PRO", class: classTracker},
	"cloudflareinsights.com":        {name: "Cloudflare Web Analytics", company: "Cloudflare", class: classMeasure},
	"static.cloudflareinsights.com": {name: "Cloudflare Web Analytics", company: "Cloudflare", class: classMeasure},
	"simpleanalytics.com":           {name: "Simple Analytics", company: "Simple Analytics", class: classMeasure},
	"simpleanalyticscdn.com":        {name: "Simple Analytics", company: "Simple Analytics", class: classMeasure},
	"goatcounter.com":               {name: "GoatCounter", company: "GoatCounter", class: classMeasure},
	"gc.zgo.at":                     {name: "GoatCounter", company: "GoatCounter", class: classMeasure},
	"hs-banner.com":                 {name: "HubSpot consent banner", company: "Hubspot", class: classConsent},
	"hsforms.com":                   {name: "HubSpot forms", company: "Hubspot", class: classOther},
	"hsforms.net":                   {name: "HubSpot forms", company: "Hubspot", class: classOther},
	"openstreetmap.org":             {name: "OpenStreetMap", company: "OpenStreetMap Foundation", class: classEmbed},
	"player.vimeo.com":              {name: "Vimeo", company: "Vimeo", class: classEmbed},
	"youtube-nocookie.com":          {name: "YouTube", company: "Google", class: classEmbed},
	"hcaptcha.com":                  {name: "hCaptcha", company: "Intuition Machines", class: classEmbed},
	"consent.cookiebot.com":         {name: "Cookiebot", company: "Cybot", class: classConsent},
	"consentcdn.cookiebot.eu":       {name: "Cookiebot", company: "Cybot", class: classConsent},
}

// entities are those of the list by domain; "*." before one takes in what is below it.
var entities = sync.OnceValue(func() map[string]entity {
	out := map[string]entity{}
	raw, err := data.ReadFile("data/entities.json")
	var list []struct {
		Name, Company, Category string
		Domains                 []string
	}
	if err == nil && json.Unmarshal(raw, &list) == nil { // a build without the list knows only what is added
		for _, e := range list {
			known := entity{name: e.Name, company: e.Company, class: classes[e.Category]}
			if known.company == "" {
				known.company = e.Name
			}
			if c, ok := named[e.Name]; ok {
				known.class, known.ours = c, true
			}
			if known.class == "" {
				known.class = classOther
			}
			for _, d := range e.Domains {
				out[strings.ToLower(strings.TrimPrefix(d, "*."))] = known
			}
		}
	}
	for d, e := range added {
		e.ours = true
		out[d] = e
	}
	return out
})

// entityOf is who runs a host (lower case): the longest domain of the list that it
// is or lies below.
func entityOf(host string) entity {
	list := entities()
	for d := host; d != ""; {
		if e, ok := list[d]; ok {
			return e
		}
		_, rest, ok := strings.Cut(d, ".")
		if !ok {
			break
		}
		d = rest
	}
	return entity{class: classOther}
}
