package activities

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"visite/internal/inspect"
	"visite/schema"
)

// notedStore takes down what a step records; anything it does not expect fails.
type notedStore struct {
	ScanStore
	claims   []schema.Claim
	recorded []schema.Page
	next     []schema.Candidate
	putOff   time.Time
}

func (s *notedStore) Claim(context.Context, string, string) (schema.Claim, error) {
	c := s.claims[0]
	s.claims = s.claims[1:]
	return c, nil
}

func (s *notedStore) RecordPage(_ context.Context, _ schema.Claim, p schema.Page, c []schema.Candidate) error {
	s.recorded, s.next = append(s.recorded, p), c
	return nil
}

func (s *notedStore) PutOff(_ context.Context, _ schema.Claim, until time.Time) error {
	s.putOff = until
	return nil
}

// shutDoor lets nobody in and says why.
type shutDoor struct {
	Door
	admission schema.Admission
	asked     int
}

func (d *shutDoor) Enter(context.Context, schema.Visit) (Pass, schema.Admission, error) {
	d.asked++
	return nil, d.admission, nil
}

var until = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

const markup = `<!doctype html><html lang="en"><head><title>A page of the shop</title></head><body><h1>Shop</h1><p>Words.</p><a href="/next">next</a></body></html>`

// What a load came to decides whether it is recorded, and as what, put off, or
// tried again. A06: an address that leads elsewhere, or answers with an error page
// however tidy, gets no verdict.
//
// proves S-23, S-34, S-37, S-39, S-40, S-42, R-28, R-31
func TestWhatALoadComesTo(t *testing.T) {
	answered := schema.DocumentFacts{Status: 200, Final: "https://shop.example/a", Outcome: schema.OutcomeAnalysed, MediaType: "text/html", Bytes: 100}
	with := func(change func(*schema.DocumentFacts)) schema.DocumentFacts {
		f := answered
		change(&f)
		return f
	}
	refused := func(reload bool) schema.DocumentFacts {
		return schema.DocumentFacts{Status: 429, Outcome: schema.OutcomeErrorAnswer, RetryAfter: &schema.RetryAfter{Until: until, Reload: reload}}
	}
	page := loaded{page: true, document: inspect.Document{Facts: answered, Source: []byte(markup), Engine: schema.EngineHTTP, Registrable: registrable}}
	for name, c := range map[string]struct {
		facts   schema.DocumentFacts
		load    loaded
		claim   schema.Claim // URL and Via are filled in
		browser bool

		again   bool
		wait    bool
		outcome schema.Outcome // empty: nothing is recorded
		reason  schema.Reason
		step    Step
	}{
		"a page":                             {facts: answered, load: page, outcome: schema.OutcomeAnalysed, step: StepLoaded},
		"our browser died":                   {facts: answered, load: loaded{ourFault: true}, again: true},
		"quiet hours began":                  {facts: schema.DocumentFacts{Reason: schema.ReasonQuietHours}, again: true},
		"the server was parked meanwhile":    {facts: schema.DocumentFacts{Reason: schema.ReasonServerParked}, again: true},
		"the site objected meanwhile":        {facts: schema.DocumentFacts{Reason: schema.ReasonObjection}, outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonObjection, step: StepNeutral},
		"refused, to come back soon":         {facts: refused(true), wait: true},
		"refused again":                      {facts: refused(true), claim: schema.Claim{Refused: 1}, outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonRefusedForNow, step: StepNotLoaded},
		"refused for long":                   {facts: refused(false), outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonServerParked, step: StepNotLoaded},
		"not found":                          {facts: schema.DocumentFacts{Status: 404, Outcome: schema.OutcomeErrorAnswer, Reason: schema.ReasonErrorStatus}, outcome: schema.OutcomeErrorAnswer, reason: schema.ReasonErrorStatus, step: StepLoaded},
		"the tab crashed":                    {facts: answered, load: loaded{failure: schema.ReasonBrowserCrashed}, claim: schema.Claim{Loads: 1}, browser: true, again: true},
		"the tab crashed twice":              {facts: answered, load: loaded{failure: schema.ReasonBrowserCrashed}, claim: schema.Claim{Loads: 2}, browser: true, outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonBrowserCrashed, step: StepNotLoaded},
		"a script without end":               {facts: answered, load: loaded{failure: schema.ReasonTimeout}, browser: true, outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonTimeout, step: StepTimedOut},
		"longer than we read":                {facts: answered, load: loaded{page: true, document: inspect.Document{Facts: answered, Cut: true}}, outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonTooLarge, step: StepLoaded},
		"nothing came of a page":             {facts: answered, browser: true, outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonProtocol, step: StepNotLoaded},
		"no page":                            {facts: with(func(f *schema.DocumentFacts) { f.MediaType, f.Bytes = "application/pdf", 0 }), outcome: schema.OutcomeNotPage, reason: schema.ReasonMediaType, step: StepLoaded},
		"it went elsewhere in the site":      {facts: answered, load: loaded{redirect: "/b"}, browser: true, outcome: schema.OutcomeDuplicate, step: StepLoaded},
		"it went elsewhere":                  {facts: answered, load: loaded{redirect: "https://other.example/"}, browser: true, outcome: schema.OutcomeRedirected, step: StepLoaded},
		"a challenge, by its header":         {facts: schema.DocumentFacts{Status: 403, Outcome: schema.OutcomeErrorAnswer, Header: map[string][]string{"Cf-Mitigated": {"challenge"}}}, outcome: schema.OutcomeBlocked, reason: schema.ReasonChallenge, step: StepNotLoaded},
		"a challenge that asks to come back": {facts: schema.DocumentFacts{Status: 429, Outcome: schema.OutcomeErrorAnswer, Header: map[string][]string{"X-Vercel-Mitigated": {"challenge"}}, RetryAfter: &schema.RetryAfter{Until: until, Reload: true}}, outcome: schema.OutcomeBlocked, reason: schema.ReasonChallenge, step: StepNotLoaded},
		// However tidy the page is that comes with it.
		"a server's error": {facts: with(func(f *schema.DocumentFacts) {
			f.Status, f.Outcome, f.Reason = 500, schema.OutcomeErrorAnswer, schema.ReasonErrorStatus
		}), load: page, outcome: schema.OutcomeErrorAnswer, reason: schema.ReasonErrorStatus, step: StepLoaded},
	} {
		t.Run(name, func(t *testing.T) {
			store := &notedStore{}
			p := &Pages{Store: store}
			scan := schema.Scan{ID: "scan", ScopeHost: "shop.example", Engine: schema.EngineHTTP}
			if c.browser {
				scan.Engine = schema.EngineBrowser
			}
			c.load.preview = &schema.Preview{}
			c.claim.URL, c.claim.Via = "https://shop.example/a", schema.ViaLink
			got, err := p.settle(t.Context(), scan, c.claim, c.facts, c.load)
			if err != nil {
				t.Fatal(err)
			}
			if got.again != c.again || (got.wait != nil) != c.wait || got.step != c.step {
				t.Errorf("again %v, wait %v, step %q; want %v, %v, %q", got.again, got.wait, got.step, c.again, c.wait, c.step)
			}
			if c.wait && (!got.wait.Until.Equal(until) || !store.putOff.Equal(until)) {
				t.Errorf("waits until %v, put off until %v, want %v", got.wait.Until, store.putOff, until)
			}
			if c.outcome == "" {
				if len(store.recorded) != 0 {
					t.Errorf("recorded %+v", store.recorded)
				}
				return
			}
			if len(store.recorded) != 1 || store.recorded[0].Outcome != c.outcome || store.recorded[0].Reason != c.reason {
				t.Fatalf("recorded %+v, want one as %s (%s)", store.recorded, c.outcome, c.reason)
			}
			if drawn := store.recorded[0].Preview != nil; drawn != (c.outcome == schema.OutcomeAnalysed) {
				t.Errorf("with a preview: %v", drawn)
			}
			if page := store.recorded[0]; c.outcome != schema.OutcomeAnalysed && (len(page.Findings) > 0 || page.Title != "") {
				t.Errorf("not analysed, and judged: %+v", page)
			}
			if next := len(store.next); next > 0 != (c.outcome == schema.OutcomeAnalysed || c.outcome == schema.OutcomeDuplicate) {
				t.Errorf("%d addresses to follow", next)
			}
		})
	}
}

// Before anything is sent: an address whose loads our crashes have used up is
// not asked for again, one under rest is waited for, one recorded is not loaded,
// and what the door says is kept to.
//
// proves S-37, S-46, R-31
func TestWhetherAnAddressIsLoadedAtAll(t *testing.T) {
	at := func(c schema.Claim) schema.Claim {
		c.URL, c.Found = "https://shop.example/a", true
		return c
	}
	ahead := time.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		claim     schema.Claim
		admission schema.Admission

		asked   int
		want    turn
		outcome schema.Outcome
		reason  schema.Reason
	}{
		"nothing left":            {claim: schema.Claim{Pending: true}, want: turn{exhausted: true, pending: true}},
		"recorded before a crash": {claim: at(schema.Claim{Recorded: true, Outcome: schema.OutcomeAnalysed}), want: turn{step: StepLoaded}},
		"under rest":              {claim: at(schema.Claim{NotUntil: ahead}), want: turn{wait: &Wait{Until: ahead, Words: "shop.example asked for a rest"}}},
		"cut off twice":           {claim: at(schema.Claim{Loads: 2}), want: turn{step: StepNeutral}, outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonOurCrash},
		"refused, then cut off":   {claim: at(schema.Claim{Loads: 1, Refused: 1}), want: turn{step: StepNeutral}, outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonOurCrash},
		"forbidden":               {claim: at(schema.Claim{}), admission: schema.Admission{Kind: schema.AdmissionDenied, Reason: schema.ReasonRobots}, asked: 1, want: turn{step: StepNeutral}, outcome: schema.OutcomeDisallowed, reason: schema.ReasonRobots},
		"guarded":                 {claim: at(schema.Claim{}), admission: schema.Admission{Kind: schema.AdmissionDenied, Reason: schema.ReasonGuarded}, asked: 1, want: turn{step: StepNeutral}, outcome: schema.OutcomeNotAnalysed, reason: schema.ReasonGuarded},
		"to be waited for":        {claim: at(schema.Claim{}), admission: schema.Admission{Kind: schema.AdmissionWait, Until: ahead, Words: "pausing"}, asked: 1, want: turn{wait: &Wait{Until: ahead, Words: "pausing"}}},
	} {
		t.Run(name, func(t *testing.T) {
			store, door := &notedStore{claims: []schema.Claim{c.claim}}, &shutDoor{admission: c.admission}
			p := &Pages{Store: store, Door: door}
			got, err := p.next(t.Context(), schema.Scan{ID: "scan", ScopeHost: "shop.example", Engine: schema.EngineHTTP}, VisitInput{}, "ticket")
			if err != nil || !reflect.DeepEqual(got, c.want) || door.asked != c.asked {
				t.Errorf("%+v (%v), the door asked %d times; want %+v, %d", got, err, door.asked, c.want, c.asked)
			}
			if c.outcome == "" && len(store.recorded) != 0 || c.outcome != "" && (len(store.recorded) != 1 || store.recorded[0].Outcome != c.outcome || store.recorded[0].Reason != c.reason) {
				t.Errorf("recorded %+v, want %q (%q)", store.recorded, c.outcome, c.reason)
			}
		})
	}
}

// A refusal is final, everything else may pass: Temporal is told which.
func TestFaultsAndRefusalsAreToldApart(t *testing.T) {
	if err := asFault("step", nil); err != nil {
		t.Errorf("no error became %v", err)
	}
	var app *temporal.ApplicationError
	err := asFault("step", errors.New("the database is away"))
	if !errors.As(err, &app) || app.NonRetryable() || app.Type() != ErrTypeFault {
		t.Errorf("our trouble became %v", err)
	}
	err = asFault("step", &schema.Refusal{Code: "too-many-pages"})
	if !errors.As(err, &app) || !app.NonRetryable() || app.Type() != ErrTypeRefusal {
		t.Errorf("a refusal became %v", err)
	}
}
