package api

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/internal/report"
	"visite/schema"
)

const (
	freePath = "/v1/free-analyses"
	// rateFree counts orders of free analyses; the day's budgets are the store's.
	rateFree = "free"
	tagFree  = "Free analysis"
	// freePoll is how often a client should look for news.
	freePoll = 2 * time.Second
)

// freeID is the shape of an id: 130 random bits (crypto/rand.Text).
var freeID = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// FreeOrder asks for the analysis of one page without an account.
type FreeOrder struct {
	URL     string `json:"url" maxLength:"4000" example:"https://example.com/" doc:"The page."`
	Profile string `json:"profile,omitempty" maxLength:"100" doc:"Identity to visit with, one of those that offer it (free_analysis in /v1/profiles). Left out: the first of them."`
}

// FreeAnalysis is the analysis of one page, as anybody with its id may see it.
type FreeAnalysis struct {
	ID           string           `json:"id" doc:"Cannot be guessed; whoever has it may read the result."`
	URL          string           `json:"url" doc:"The page, without parameters that only track visitors."`
	Host         string           `json:"host"`
	Profile      string           `json:"profile" doc:"The identity it is visited with."`
	State        schema.ScanState `json:"state" enum:"queued,running,finished,stopped,refused,cancelled,failed" doc:"All but queued and running are final."`
	StateReason  string           `json:"state_reason,omitempty"`
	Phase        schema.Phase     `json:"phase" enum:"queued,robots,sitemap,pages,verdicts,done"`
	WaitingFor   string           `json:"waiting_for,omitempty"`
	WaitingUntil *time.Time       `json:"waiting_until,omitempty"`
	CreatedAt    time.Time        `json:"created_at"`
	FinishedAt   *time.Time       `json:"finished_at,omitempty"`
	ExpiresAt    time.Time        `json:"expires_at" doc:"The result is deleted then. Until then the address is answered from it, without any request."`
	Cached       bool             `json:"cached" doc:"In the answer to an order: it was analysed, or is being analysed, already; nothing is requested for it."`
	Progress     *schema.Progress `json:"progress,omitempty"`
	ReportPath   string           `json:"report_path"`
	PagePath     string           `json:"page_path" doc:"The same for people."`
	Problem      *Problem         `json:"problem,omitempty" doc:"Why there is no report: the site forbids it, for example."`
}

// FreeRef names a free analysis in a path.
type FreeRef struct {
	ID string `path:"id" maxLength:"64"`
}

type freeInput struct{ Body FreeOrder }

type freeOutput struct {
	Status     int
	Location   string `header:"Location" doc:"Address of the analysis."`
	RetryAfter string `header:"Retry-After" doc:"Seconds after which to look again, until it has ended."`
	Body       FreeAnalysis
}

type freeReportInput struct {
	FreeRef
	Accept string        `header:"Accept" hidden:"true"`
	Format report.Format `query:"format" enum:"html,json" doc:"The same choice as Accept, for use in an address bar."`
	Lang   string        `query:"lang" enum:"en,de,es" doc:"Language of the page; by Accept-Language where left out."`
	Speaks string        `header:"Accept-Language" hidden:"true"`
}

func (a *API) registerFree() {
	tags := []string{tagFree}
	register(a, huma.Operation{
		OperationID: "order-free-analysis", Method: http.MethodPost, Path: freePath, Tags: tags, Metadata: rateOf(rateFree),
		Summary: "Have one page analysed, without an account",
		Description: "robots.txt is read, then that one page is loaded in a browser with its files; no second page, no sitemap, no link is asked for. " +
			"202: it was begun; 200: the address was analysed within the last day and that result stands, without any request. " +
			"Begun ones are counted by caller and by host and day.",
		DefaultStatus: http.StatusAccepted, Errors: []int{400, 403, 413, 415, 422, 429},
	}, a.orderFree)
	register(a, huma.Operation{
		OperationID: "get-free-analysis", Method: http.MethodGet, Path: freePath + "/{id}", Tags: tags, Metadata: rateOf(ratePages),
		Summary: "Show a free analysis and its progress", Errors: []int{404, 429},
	}, a.getFree)
	register(a, huma.Operation{
		OperationID: "get-free-report", Method: http.MethodGet, Path: freePath + "/{id}/report", Tags: tags, Metadata: rateOf(ratePages),
		Summary: "The report of a free analysis, for people or machines", Description: "HTML or JSON by Accept. Until it has ended, what is known so far, marked as partial. Where there is none, the problem says why.",
		Errors: []int{403, 404, 406, 422, 429},
		Responses: map[string]*huma.Response{"200": {Description: "The report", Content: map[string]*huma.MediaType{
			report.FormatHTML.MediaType(): {Schema: &huma.Schema{Type: huma.TypeString, Description: "A page for people."}},
			report.FormatJSON.MediaType(): {Schema: &huma.Schema{Type: huma.TypeObject, Description: "The result format; keys are only ever added.", AdditionalProperties: true}},
		}}},
	}, a.getFreeReport)
}

func (a *API) orderFree(ctx context.Context, in *freeInput) (*freeOutput, error) {
	f, created, err := a.beginFree(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	out, err := a.freeAnswer(ctx, f)
	if err != nil {
		return nil, err
	}
	out.Status, out.Location, out.Body.Cached = http.StatusAccepted, freePath+"/"+f.ID, !created
	if f.Scan.State.Final() {
		out.Status = http.StatusOK
	}
	return out, nil
}

// beginFree judges an order, cheapest questions first, and begins the analysis
// where none answers for the address. Refused ones record nothing and send
// nothing.
func (a *API) beginFree(ctx context.Context, o FreeOrder) (f schema.FreeAnalysis, created bool, err error) {
	profile, err := a.freeProfile(o.Profile)
	if err != nil {
		return f, false, err
	}
	t, err := a.freeTarget(o.URL)
	if err != nil {
		return f, false, err
	}
	if f, found, err := a.Store.FreeByAddress(ctx, t.text); err != nil || found {
		return f, false, errors.Join(err, a.freeRefused(ctx, f))
	}
	if err := a.freeWelcome(ctx, t, profile); err != nil {
		return f, false, err
	}
	if err := a.resolve(ctx, &t); err != nil {
		return f, false, err
	}
	contact := firstOf(a.Contact, profile.Contact)
	f, created, err = a.Store.CreateFree(ctx, schema.FreeOrder{
		ID: rand.Text(), Loopback: t.loopback, Caller: network(caller(ctx)), Unverified: profile.Limits.UnverifiedPages,
		Scan: schema.Scan{
			URL: t.text, ScopeHost: t.host, Engine: schema.EngineBrowser, Device: schema.DeviceDesktop, Profile: a.identity(profile, contact), Contact: contact,
		},
	})
	if err != nil {
		return f, false, err
	}
	if !created {
		return f, false, a.freeRefused(ctx, f)
	}
	_, err = a.begin(ctx, f.Scan)
	return f, true, err
}

// freeProfile is the profile asked for, or the first that offers free analyses.
func (a *API) freeProfile(name string) (schema.Profile, error) {
	offers := a.freeProfiles()
	if name != "" {
		p, err := a.profileOf(ScanOrder{Profile: name})
		if err != nil || p.Free != nil {
			return p, err
		}
		r := refuse(schema.RefusalForbidden, codeFreeNotOffered, "/profile")
		if len(offers) > 0 {
			r.Remedy = "Leave the profile out, or choose " + offers[0].Name + "."
		}
		return p, r
	}
	if len(offers) == 0 {
		return schema.Profile{}, refuse(schema.RefusalForbidden, codeFreeNotOffered, "")
	}
	return offers[0], nil
}

// freeProfiles are those that offer free analyses.
func (a *API) freeProfiles() []schema.Profile {
	var offers []schema.Profile
	if a.Profiles == nil {
		return nil
	}
	for _, p := range a.Profiles.All() {
		if p.Free != nil && !p.LoopbackOnly {
			offers = append(offers, p)
		}
	}
	return offers
}

// freeTarget reads an address. The result is for whoever asks for the same one, so
// it must not depend on a secret, nor on who followed which link there.
func (a *API) freeTarget(input string) (target, error) {
	t, err := a.targetOf(input)
	if err != nil {
		return t, err
	}
	if schema.CarriesSecret(t.text) {
		return t, refuse(schema.RefusalInvalid, codeURLSecret, "/url")
	}
	t.text = schema.AddressKey(t.url)
	t.url, err = url.Parse(t.text)
	return t, err
}
