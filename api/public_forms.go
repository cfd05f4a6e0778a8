package api

import (
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"visite/schema"
)

// askForm is the form "was this you?" with what was filled in and the answer.
type askForm struct {
	Action, Line, Host string
	Answered           bool
	Ours               bool
	Headline, Why      string
	Pretender          bool
	Requests           []askedRequest
	Fault              *formFault
}

type askedRequest struct{ When, What, Purpose, Cause, Profile string }

// formFault is what was wrong with a form.
type formFault struct{ Headline, Detail string }

// objectForm is the form of an objection with what was filled in and its
// acknowledgement.
type objectForm struct {
	Action                       string
	Host, Kind, Contact, Message string
	From, To, Zone, Factor       string
	Confirmed                    bool
	Kinds                        []schema.ObjectionKind
	FactorMin, FactorMax         string
	ContactMax, MessageMax       int
	UnprovenLasts, UnprovenEvery time.Duration
	Ticket, Key, Until           string
	InForce                      bool
	Fault                        *formFault
}

func newObjectForm(action string) objectForm {
	return objectForm{
		Action: action, Kind: string(schema.ObjectionStop), Kinds: []schema.ObjectionKind{schema.ObjectionStop, schema.ObjectionQuietHours, schema.ObjectionSlower},
		FactorMin: strconv.Itoa(schema.ObjectionFactorMin), FactorMax: strconv.Itoa(schema.ObjectionFactorMax), Factor: strconv.Itoa(schema.ObjectionFactorMin),
		ContactMax: schema.ObjectionContactMax, MessageMax: schema.ObjectionMessageMax, UnprovenLasts: unprovenLasts, UnprovenEvery: unprovenEvery,
	}
}

// formView begins the answer to a form; false where it was answered already.
func (a *API) formView(w http.ResponseWriter, r *http.Request) (*botView, bool) {
	v, ok := a.botView(r)
	if !ok || a.Visited == nil {
		a.notFound(w, r)
		return nil, false
	}
	w.Header().Set("Cache-Control", "no-store")
	return v, true
}

func (a *API) postIdentify(w http.ResponseWriter, r *http.Request) {
	v, ok := a.formView(w, r)
	if !ok {
		return
	}
	v.Ask.Line, v.Ask.Host = cut(r.PostForm.Get("log_line"), 4000), cut(r.PostForm.Get("host"), 300)
	found, err := a.identify(r.Context(), IdentifyOrder{LogLine: v.Ask.Line, Host: v.Ask.Host})
	status := http.StatusOK
	if err != nil {
		if v.Ask.Fault, status = a.faultOf(r, err, v.phrases, v.T("answer.unclear")); v.Ask.Fault == nil {
			a.answer(w, r, a.problemOf(r.Context(), err))
			return
		}
	} else {
		v.Ask.answer(v.phrases, found)
	}
	a.render(w, r, status, "bot.html.tmpl", v.Lang, v)
}

// answer puts what was found into words.
func (f *askForm) answer(p phrases, found Identified) {
	f.Answered, f.Ours, f.Why = true, found.Ours, p.T("reason."+found.Reason)
	f.Headline = p.T("answer.no")
	if f.Ours {
		f.Headline = p.T("answer.yes")
	}
	f.Pretender = !f.Ours && found.Reason != identifiedNotKept
	for _, q := range found.Requests {
		f.Requests = append(f.Requests, askedRequest{
			When: p.moment(q.At), What: q.Method + " " + q.Path, Purpose: p.T("purpose." + string(q.Purpose)), Cause: p.T("cause." + string(q.Cause)), Profile: q.Profile,
		})
	}
}

// faultOf words a refusal for a form, nil for our own faults, with its status.
func (a *API) faultOf(r *http.Request, err error, p phrases, headline string) (*formFault, int) {
	problem := a.problemOf(r.Context(), err)
	var declined *schema.Refusal
	if !errors.As(err, &declined) {
		return nil, problem.Status
	}
	key := "fault." + declined.Code
	if !p.has(key) && declined.Field == "/host" {
		key = "fault.host"
	}
	if p.has(key) {
		return &formFault{headline, p.T(key)}, problem.Status
	}
	return &formFault{headline, problem.Detail + " " + problem.Remedy}, problem.Status
}

func (a *API) postObject(w http.ResponseWriter, r *http.Request) {
	v, ok := a.formView(w, r)
	if !ok {
		return
	}
	f := &v.Object
	form := r.PostForm
	f.Host, f.Kind, f.Contact, f.Message = cut(form.Get("host"), 300), form.Get("kind"), cut(form.Get("contact"), schema.ObjectionContactMax), cut(form.Get("message"), schema.ObjectionMessageMax)
	f.From, f.To, f.Zone, f.Factor, f.Confirmed = cut(form.Get("from"), 5), cut(form.Get("to"), 5), cut(form.Get("zone"), 64), firstOf(cut(form.Get("factor"), 10), f.Factor), form.Get("confirm") == "yes"
	ticket, err := a.objectByForm(r, f)
	if err != nil {
		fault, status := a.faultOf(r, err, v.phrases, v.T("object.refused"))
		if fault == nil {
			a.answer(w, r, a.problemOf(r.Context(), err))
			return
		}
		f.Fault = fault
		a.render(w, r, status, "bot.html.tmpl", v.Lang, v)
		return
	}
	f.Ticket, f.Key, f.InForce = ticket.Ticket, ticket.Key, ticket.InForce
	if ticket.Until != nil {
		f.Until = v.moment(*ticket.Until)
	}
	a.render(w, r, http.StatusCreated, "bot.html.tmpl", v.Lang, v)
}

func (a *API) objectByForm(r *http.Request, f *objectForm) (ObjectionTicket, error) {
	if !f.Confirmed {
		return ObjectionTicket{}, refuse(schema.RefusalInvalid, codeNotConfirmed, "/confirm")
	}
	o := ObjectionOrder{Host: f.Host, Kind: schema.ObjectionKind(f.Kind), Contact: f.Contact, Message: f.Message, From: f.From, To: f.To, Zone: f.Zone}
	if o.Kind == schema.ObjectionSlower {
		factor, err := strconv.ParseFloat(f.Factor, 64)
		if err != nil {
			return ObjectionTicket{}, refuse(schema.RefusalInvalid, "factor-out-of-range", "/factor")
		}
		o.Factor = factor
	}
	return a.object(r.Context(), o, "")
}

// cut bounds what a form may send, in characters.
func cut(s string, limit int) string {
	s = strings.TrimSpace(s)
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit])
	}
	return s
}

// prefixText writes a single address without its length.
func prefixText(p netip.Prefix) string {
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}
