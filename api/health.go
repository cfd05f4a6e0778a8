package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Health says whether the service, or a part of it, answers.
type Health struct {
	Status string        `json:"status" enum:"ok,unavailable"`
	Parts  []HealthOfOne `json:"parts,omitempty"`
}

// HealthOfOne is one part that the API cannot do without.
type HealthOfOne struct {
	Name   string `json:"name" enum:"database,temporal"`
	Status string `json:"status" enum:"ok,unavailable"`
}

type healthOutput struct {
	Status int
	Body   Health
}

const (
	statusOK          = "ok"
	statusUnavailable = "unavailable"
	// pingWithin bounds one part's answer to a readiness question.
	pingWithin = 2 * time.Second
)

func (a *API) registerHealth() {
	tags := []string{"Health"}
	register(a, huma.Operation{
		OperationID: "healthz", Method: http.MethodGet, Path: "/healthz", Tags: tags, Summary: "Is the process alive?",
	}, func(context.Context, *struct{}) (*healthOutput, error) {
		return &healthOutput{Status: http.StatusOK, Body: Health{Status: statusOK}}, nil
	})
	register(a, huma.Operation{
		OperationID: "readyz", Method: http.MethodGet, Path: "/readyz", Tags: tags, Summary: "Can requests be served?",
		Description: "503 where a part does not answer; parts says which.",
		Responses:   map[string]*huma.Response{"503": {Description: "A part does not answer"}},
	}, a.ready)
}

// ready asks database and Temporal at once.
func (a *API) ready(ctx context.Context, _ *struct{}) (*healthOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	parts := []struct {
		name string
		ping func(context.Context) error
	}{{"database", a.Store.Ping}, {"temporal", a.Scans.Ping}}
	out := &healthOutput{Status: http.StatusOK, Body: Health{Status: statusOK, Parts: make([]HealthOfOne, len(parts))}}
	var wg sync.WaitGroup
	for i, part := range parts {
		wg.Go(func() {
			found := HealthOfOne{Name: part.name, Status: statusOK}
			if err := part.ping(ctx); err != nil {
				a.log.WarnContext(ctx, "not ready", "part", part.name, "error", err)
				found.Status = statusUnavailable
			}
			out.Body.Parts[i] = found
		})
	}
	wg.Wait()
	for _, part := range out.Body.Parts {
		if part.Status != statusOK {
			out.Status, out.Body.Status = http.StatusServiceUnavailable, statusUnavailable
		}
	}
	return out, nil
}
