package api

import (
	"errors"
	"net/http"
	"time"

	"visite/internal/report"
	"visite/schema"
)

const (
	// freePage is where people ask for a free analysis and read its result.
	freePage = "/free-analysis"
	// freeHold is how long a page of a running analysis waits for its end, so that
	// most people get the report without asking twice and without scripts.
	freeHold = 12 * time.Second
	// freeHeld bounds how many pages wait at once.
	freeHeld = 100
)

// freeView is what the page of the free analysis is made from.
type freeView struct {
	publicPage
	Profile  schema.Profile
	Action   string
	URL      string // what was filled in
	Fault    *formFault
	Offered  bool
	Running  bool
	Self     string // path of the analysis shown
	Host     string
	Phase    string
	Waiting  string
	BotPath  string
	Contact  string
	Budget   schema.FreePolicy
	Few      int
	Lasts    time.Duration // of a refusal
	KeptDays int           // of the ledger; 0: not said
}

// serveFree serves the form and the results of free analyses.
func (a *API) serveFree() {
	a.freeWaits = make(chan struct{}, freeHeld)
	a.router.Get(freePage, a.limited(ratePages, a.showFree))
	a.router.Post(freePage, a.limited(rateFree, a.postFree))
	a.router.Get(freePage+"/{id}", a.limited(ratePages, a.showFreeResult))
}

func (a *API) freeView(r *http.Request, path string) *freeView {
	v := &freeView{publicPage: a.publicPage(r, path), Lasts: schema.FreeRefusalLasts, KeptDays: a.LedgerDays}
	v.Title = v.T("free.title")
	v.Action = freePage + "?lang=" + v.Lang
	if offers := a.freeProfiles(); len(offers) > 0 {
		v.Offered, v.Profile, v.Budget = true, offers[0], *offers[0].Free
		v.Few = offers[0].Limits.UnverifiedPages
		v.Bot = botPath(v.Profile.Name) + v.LangQuery
	}
	return v
}

func (a *API) showFree(w http.ResponseWriter, r *http.Request) {
	v := a.freeView(r, freePage)
	status := http.StatusOK
	if !v.Offered {
		status = http.StatusNotFound
	}
	a.render(w, r, status, "free.html.tmpl", v.Lang, v)
}

func (a *API) postFree(w http.ResponseWriter, r *http.Request) {
	v := a.freeView(r, freePage)
	w.Header().Set("Cache-Control", "no-store")
	v.URL = cut(r.PostForm.Get("url"), schema.MaxAddressLength)
	f, _, err := a.beginFree(r.Context(), FreeOrder{URL: v.URL})
	if err != nil {
		a.freeFault(w, r, v, err)
		return
	}
	http.Redirect(w, r, freePage+"/"+f.ID+"?lang="+v.Lang, http.StatusSeeOther)
}

// freeFault says in plain words why there is no analysis; the form stays.
func (a *API) freeFault(w http.ResponseWriter, r *http.Request, v *freeView, err error) {
	problem := a.problemOf(r.Context(), err)
	var declined *schema.Refusal
	if !errors.As(err, &declined) || declined.Kind == schema.RefusalNotFound {
		a.answer(w, r, problem)
		return
	}
	v.Fault = &formFault{v.T("free.refused"), problem.Detail + " " + problem.Remedy}
	var more *refusal
	switch key := "fault." + declined.Code; {
	case errors.As(err, &more) && !more.until.IsZero():
		v.Fault.Detail = v.T("fault.host-resting.until", v.moment(more.until))
	case v.has(key):
		v.Fault.Detail = v.T(key)
	}
	if retry := problem.GetHeaders().Get("Retry-After"); retry != "" {
		w.Header().Set("Retry-After", retry)
	}
	a.render(w, r, problem.Status, "free.html.tmpl", v.Lang, v)
}

// showFreeResult shows the report, why there is none, or how far it is.
func (a *API) showFreeResult(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	f, err := a.freeOf(r.Context(), r.PathValue("id"))
	if err == nil && !f.Scan.State.Final() {
		f, err = a.awaitFree(w, r, f)
	}
	v := a.freeView(r, freePage+"/"+r.PathValue("id"))
	var gone *schema.Refusal
	switch {
	case errors.As(err, &gone):
		v.Fault = &formFault{v.T("free.gone"), v.T("free.gone.why")}
		a.render(w, r, http.StatusNotFound, "free.html.tmpl", v.Lang, v)
		return
	case err != nil:
		a.answer(w, r, a.problemOf(r.Context(), err))
		return
	}
	v.URL = f.Scan.URL
	if refused := a.freeRefused(r.Context(), f); refused != nil {
		a.freeFault(w, r, v, refused)
		return
	}
	if f.Scan.State.Final() {
		if problem := a.streamReport(r.Context(), w, f.Scan, report.Request{Format: report.FormatHTML, Lang: report.Lang(v.Lang)}); problem != nil {
			a.answer(w, r, problem)
		}
		return
	}
	v.Running, v.Host, v.Phase = true, f.Scan.ScopeHost, v.T("free.phase."+string(freePhase(f.Scan)))
	v.Self = freePage + "/" + f.ID + "?lang=" + v.Lang
	v.Title = v.T("free.running", v.Host)
	if !f.Scan.WaitingUntil.IsZero() {
		v.Waiting = v.T("free.waiting", v.moment(f.Scan.WaitingUntil))
	}
	w.Header().Set("Retry-After", "5")
	a.render(w, r, http.StatusAccepted, "free.html.tmpl", v.Lang, v)
}

// freePhase is the phase in the three that concern one page.
func freePhase(s schema.Scan) schema.Phase {
	switch s.Phase {
	case schema.PhaseQueued, schema.PhaseRobots:
		return s.Phase
	}
	return schema.PhasePages
}

// awaitFree holds the answer back until the analysis has ended, for a while, where
// not too many wait already.
func (a *API) awaitFree(w http.ResponseWriter, r *http.Request, f schema.FreeAnalysis) (schema.FreeAnalysis, error) {
	select {
	case a.freeWaits <- struct{}{}:
		defer func() { <-a.freeWaits }()
	default:
		return f, nil
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(a.Within + freeHold + 10*time.Second))
	deadline, tick := time.NewTimer(freeHold), time.NewTicker(a.EventPoll)
	defer deadline.Stop()
	defer tick.Stop()
	for !f.Scan.State.Final() {
		select {
		case <-r.Context().Done():
			return f, r.Context().Err()
		case <-a.closing:
			return f, nil
		case <-deadline.C:
			return f, nil
		case <-tick.C:
		}
		var err error
		if f, err = a.Store.FreeAnalysis(r.Context(), f.ID); err != nil {
			return f, err
		}
	}
	return f, nil
}
