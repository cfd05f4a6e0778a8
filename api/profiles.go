package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// Profile is an identity and its limits as the API shows it.
type Profile struct {
	Name         string        `json:"name"`
	Product      string        `json:"product"`
	Version      string        `json:"version"`
	Info         string        `json:"info,omitempty" doc:"Page that explains the visits; where empty, the contact of the scan stands in the User-Agent."`
	Contact      string        `json:"contact,omitempty"`
	BrowserAgent string        `json:"browser_user_agent" doc:"{chrome} is the ordinary User-Agent of the browser really used, {info} the page or contact."`
	ClientAgent  string        `json:"client_user_agent" doc:"Of robots.txt, sitemaps and the http engine."`
	RobotsTokens []string      `json:"robots_tokens" doc:"Names the visits go by in robots.txt."`
	LoopbackOnly bool          `json:"loopback_only" doc:"For this machine's own sites only."`
	Limits       ProfileLimits `json:"limits"`
	Free         *ProfileFree  `json:"free_analysis,omitempty" doc:"Missing where the profile offers none."`
}

// ProfileFree bounds the free analyses of a profile.
type ProfileFree struct {
	CachedFor  float64 `json:"cached_for_seconds" doc:"An address is not visited again within."`
	HostADay   int     `json:"host_a_day" doc:"Of one host in a UTC day, whoever asks."`
	CallerADay int     `json:"caller_a_day" doc:"One caller may begin in a UTC day."`
}

// ProfileLimits bound the visits of a profile. Times are in seconds.
type ProfileLimits struct {
	PagesAtOnce     int     `json:"pages_at_once" doc:"On one host, over all customers."`
	VisitsPerIP     int     `json:"visits_per_ip" doc:"At once on one address."`
	PauseMin        float64 `json:"pause_min_seconds"`
	PauseFactor     float64 `json:"pause_factor" doc:"The pause is at least this many times the last response time."`
	UnverifiedPages int     `json:"unverified_pages" doc:"A site and day, without proof of ownership."`
	RetryAfterMin   float64 `json:"retry_after_min_seconds"`
	RetryAfterMax   float64 `json:"retry_after_max_seconds" doc:"A page put off for longer is not loaded again in the same scan."`
	RetryAfterNone  float64 `json:"retry_after_default_seconds"`
	StopAfter       int     `json:"stop_after" doc:"Pages in a row that cannot be loaded before a scan is given up."`
}

func showProfile(p schema.Profile) Profile {
	l := p.Limits
	var free *ProfileFree
	if p.Free != nil {
		free = &ProfileFree{CachedFor: p.Free.CachedFor.Seconds(), HostADay: p.Free.HostADay, CallerADay: p.Free.CallerADay}
	}
	return Profile{
		Free: free, Name: p.Name, Product: p.Product, Version: p.Version, Info: p.Info, Contact: p.Contact,
		BrowserAgent: p.UserAgents.Browser, ClientAgent: p.UserAgents.Client, RobotsTokens: p.Tokens, LoopbackOnly: p.LoopbackOnly,
		Limits: ProfileLimits{
			PagesAtOnce: l.PagesAtOnce, VisitsPerIP: l.VisitsPerIP, PauseMin: l.PauseMin.Seconds(), PauseFactor: l.PauseFactor,
			UnverifiedPages: l.UnverifiedPages, RetryAfterMin: l.RetryAfterMin.Seconds(), RetryAfterMax: l.RetryAfterMax.Seconds(),
			RetryAfterNone: l.RetryAfterNone.Seconds(), StopAfter: l.StopAfter,
		},
	}
}

type profilesOutput struct {
	Body List[Profile]
}

func (a *API) registerProfiles() {
	register(a, huma.Operation{
		OperationID: "list-profiles", Method: http.MethodGet, Path: "/v1/profiles", Tags: []string{"Profiles"},
		Summary: "List the identities scans may be ordered under", Security: needsWorkspace, Errors: []int{401},
	}, a.listProfiles)
}

func (a *API) listProfiles(context.Context, *struct{}) (*profilesOutput, error) {
	out := &profilesOutput{}
	out.Body.Items = []Profile{}
	for _, p := range a.Profiles.All() {
		out.Body.Items = append(out.Body.Items, showProfile(p))
	}
	return out, nil
}
