package api

import (
	"net/http"
	"net/url"
)

// refuseCrossOrigin declines what another website's page makes its visitor's
// browser send here: an objection, a free analysis or a question in somebody
// else's name, counted at their address. Nothing here is meant for other
// websites' scripts. Clients that are no browsers say nothing of an origin and
// are not concerned.
func (a *API) refuseCrossOrigin(next http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	// Behind a proxy that rewrites Host, pages of our own come from here. A PublicURL
	// that is no origin adds nothing: then Host decides alone.
	if u, err := url.Parse(a.PublicURL); err == nil {
		_ = guard.AddTrustedOrigin(u.Scheme + "://" + u.Host)
	}
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		detail, remedy := wording(codeCrossOrigin)
		a.answer(w, r, newProblem(http.StatusForbidden, codeCrossOrigin, detail, remedy))
	}))
	return guard.Handler(next)
}
