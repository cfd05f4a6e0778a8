package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/internal/report"
	"visite/schema"
	"visite/workflows"
)

// freeWelcome declines an address whose host does not want us now, as far as that
// is known without asking it: an objection, a rest, a robots.txt read a moment ago
// (contract S-48, C-43, C-50).
func (a *API) freeWelcome(ctx context.Context, t target, p schema.Profile) error {
	if a.Visited == nil {
		return nil
	}
	if err := a.unwanted(ctx, t.host); err != nil {
		return err
	}
	until, err := a.Visited.RestsUntil(ctx, t.host)
	if err != nil {
		return err
	}
	if wait := until.Sub(a.now()); wait > schema.FreeWaitMost {
		return resting(t.host, until, wait)
	}
	if a.Robots == nil {
		return nil
	}
	v, known, err := a.Robots.KnownRobots(ctx, p, t.text)
	if err != nil || !known || v.Allow {
		return err
	}
	return robotsRefusal(t.host, v.Rule, false)
}

// resting says until when a host rests.
func resting(host string, until time.Time, wait time.Duration) error {
	r := refuse(schema.RefusalBusy, codeHostResting, "/url")
	r.Detail = fmt.Sprintf("%s asked to be left alone until %s.", host, until.UTC().Format(time.RFC3339))
	return &refusal{Refusal: r, retryAfter: max(wait, time.Second), until: until}
}

// robotsRefusal says that robots.txt forbids the visit; its owner's too (S-48).
func robotsRefusal(host, rule string, unreached bool) *schema.Refusal {
	if unreached {
		r := refuse(schema.RefusalForbidden, codeRobotsUnreached, "/url")
		r.Detail = fmt.Sprintf("The robots.txt of %s could not be read; as long as that is so, nothing is visited.", host)
		return r
	}
	r := refuse(schema.RefusalForbidden, codeRobotsForbids, "/url")
	if rule != "" {
		r.Detail = fmt.Sprintf("The robots.txt of %s forbids us the page, by the line %q.", host, rule)
	}
	return r
}

// freeRefused is why an analysis that has ended has no report; nil where it has
// one, or has not ended.
func (a *API) freeRefused(ctx context.Context, f schema.FreeAnalysis) error {
	s := f.Scan
	if f.ID == "" || !s.State.Final() {
		return nil
	}
	switch {
	case s.State == schema.ScanRefused && s.StateReason == string(schema.ReasonRobots):
		return robotsRefusal(s.ScopeHost, s.Robots.Rule, false)
	case s.State == schema.ScanRefused && s.StateReason == string(schema.ReasonRobotsUnreached):
		return robotsRefusal(s.ScopeHost, "", true)
	case s.State == schema.ScanRefused && s.StateReason == string(schema.ReasonNameNotFound):
		return refuse(schema.RefusalInvalid, "name-not-found", "/url")
	case s.State == schema.ScanRefused:
		return refuse(schema.RefusalInvalid, "guarded-address", "/url")
	case s.StateReason == string(schema.ReasonObjection), s.StateReason == "objected":
		return refuse(schema.RefusalForbidden, codeHostObjected, "/url")
	case s.StateReason == workflows.ReasonHostResting && !f.Loaded:
		return a.freeRests(ctx, s.ScopeHost)
	case (s.State == schema.ScanFailed || s.State == schema.ScanCancelled) && !f.Loaded:
		return refuse(schema.RefusalConflict, codeFreeFailed, "")
	}
	return nil
}

// freeRests says until when the host of an analysis rests that gave up waiting.
func (a *API) freeRests(ctx context.Context, host string) error {
	if a.Visited != nil {
		until, err := a.Visited.RestsUntil(ctx, host)
		if err != nil {
			return err
		}
		if wait := until.Sub(a.now()); wait > 0 {
			return resting(host, until, wait)
		}
	}
	return &refusal{Refusal: refuse(schema.RefusalBusy, codeHostResting, "/url"), retryAfter: time.Second}
}

// freeOf reads an analysis by the id of a path.
func (a *API) freeOf(ctx context.Context, id string) (schema.FreeAnalysis, error) {
	if !freeID.MatchString(id) {
		return schema.FreeAnalysis{}, notFound()
	}
	return a.Store.FreeAnalysis(ctx, id)
}

func (a *API) getFree(ctx context.Context, in *FreeRef) (*freeOutput, error) {
	f, err := a.freeOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out, err := a.freeAnswer(ctx, f)
	if err != nil {
		return nil, err
	}
	out.Status = http.StatusOK
	return out, nil
}

// freeAnswer shows an analysis; why it has no report stands in it as a problem.
func (a *API) freeAnswer(ctx context.Context, f schema.FreeAnalysis) (*freeOutput, error) {
	s := f.Scan
	progress, err := a.Store.Progress(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	out := &freeOutput{Body: FreeAnalysis{
		ID: f.ID, URL: s.URL, Host: s.ScopeHost, Profile: s.Profile.Name, State: s.State, StateReason: s.StateReason, Phase: s.Phase,
		WaitingFor: s.WaitingFor, WaitingUntil: timeOrNil(s.WaitingUntil), CreatedAt: s.CreatedAt.UTC(), FinishedAt: timeOrNil(s.FinishedAt),
		ExpiresAt: f.ExpiresAt, Progress: &progress, ReportPath: freePath + "/" + f.ID + "/report", PagePath: freePage + "/" + f.ID,
	}}
	if !s.State.Final() {
		out.RetryAfter = fmt.Sprint(int(freePoll.Seconds()))
	}
	if refused := a.freeRefused(ctx, f); refused != nil {
		out.Body.Problem = a.problemOf(ctx, refused)
		out.Body.Problem.RequestID = ""
	}
	return out, nil
}

func (a *API) getFreeReport(ctx context.Context, in *freeReportInput) (*huma.StreamResponse, error) {
	format, err := freeFormat(in)
	if err != nil {
		return nil, err
	}
	f, err := a.freeOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := a.freeRefused(ctx, f); err != nil {
		return nil, err
	}
	lang := languageFor(in.Lang, in.Speaks)
	return &huma.StreamResponse{Body: func(c huma.Context) {
		a.writeReport(c, f.Scan, report.Request{Format: format, Lang: report.Lang(lang)})
	}}, nil
}

// freeFormat chooses by ?format, else by Accept; JSON where the client takes
// anything. A PDF costs too much to print one for anybody.
func freeFormat(in *freeReportInput) (report.Format, error) {
	if in.Format != "" {
		return in.Format, nil
	}
	if in.Accept == "" {
		return report.FormatJSON, nil
	}
	if f, ok := report.FormatOfMediaType(chooseType(in.Accept, report.FormatJSON.MediaType(), report.FormatHTML.MediaType())); ok {
		return f, nil
	}
	detail, remedy := wording(codeNotAcceptable)
	return "", newProblem(http.StatusNotAcceptable, codeNotAcceptable, detail, remedy)
}

// callerKey carries the address of whoever asks.
type callerKey struct{}

// withCaller notes who asks, for what is counted by caller in the store.
func withCaller(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, remoteHost(r))))
	})
}

func caller(ctx context.Context) string {
	address, _ := ctx.Value(callerKey{}).(string)
	return address
}
