package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"visite/schema"
)

const (
	typeHTML = "text/html"
	typeJSON = "application/json"
)

// reportPolicy lets the report style itself and nothing else: it shows what
// visited pages say of themselves.
const reportPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// reportWithin bounds how long a report of 50,000 pages may take to render.
const reportWithin = 5 * time.Minute

type reportInput struct {
	ScanRef
	Accept string `header:"Accept" hidden:"true"`
	Format string `query:"format" enum:"html,json" doc:"The same choice as Accept, for use in an address bar."`
}

func (a *API) registerReport() {
	text := &huma.Schema{Type: huma.TypeString, Description: "A page for people."}
	object := &huma.Schema{Type: huma.TypeObject, Description: "The result format; keys are only ever added.", AdditionalProperties: true}
	register(a, huma.Operation{
		OperationID: "get-report", Method: http.MethodGet, Path: "/v1/scans/{id}/report", Tags: []string{"Results"},
		Summary: "The report, for people or machines", Description: "HTML or JSON by Accept. Of a scan that has not ended, what is known so far, marked as partial.",
		Security: needsWorkspace, Errors: []int{401, 404, 406},
		Responses: map[string]*huma.Response{"200": {
			Description: "The report",
			Content:     map[string]*huma.MediaType{typeHTML: {Schema: text}, typeJSON: {Schema: object}},
		}},
	}, a.getReport)
}

func (a *API) getReport(ctx context.Context, in *reportInput) (*huma.StreamResponse, error) {
	mediaType, err := reportType(in)
	if err != nil {
		return nil, err
	}
	scan, err := a.scanOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(c huma.Context) { a.writeReport(c, scan, mediaType) }}, nil
}

// reportType chooses by ?format, else by Accept; JSON where the client takes anything.
func reportType(in *reportInput) (string, error) {
	switch {
	case in.Format == "html":
		return typeHTML, nil
	case in.Format == "json" || in.Accept == "":
		return typeJSON, nil
	}
	if chosen := chooseType(in.Accept, typeJSON, typeHTML); chosen != "" {
		return chosen, nil
	}
	detail, remedy := wording(codeNotAcceptable)
	return "", newProblem(http.StatusNotAcceptable, codeNotAcceptable, detail, remedy)
}

// writeReport streams a report. Nothing is sent before the first byte is
// rendered, so that a failure until then is still a problem; one after it cuts
// the connection.
func (a *API) writeReport(c huma.Context, scan schema.Scan, mediaType string) {
	_, w := humachi.Unwrap(c)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(reportWithin))
	ctx, cancel := context.WithTimeout(c.Context(), reportWithin)
	defer cancel()
	out := &lateWriter{w: w, mediaType: mediaType}
	render := a.Reports.JSON
	if mediaType == typeHTML {
		render = a.Reports.HTML
	}
	if err := render(ctx, out, scan); err != nil {
		problem := a.problemOf(ctx, fmt.Errorf("report of scan %s: %w", scan.ID, err))
		if out.begun {
			panic(http.ErrAbortHandler)
		}
		a.writeProblem(c, problem)
	}
}

// lateWriter sets the headers with the first byte.
type lateWriter struct {
	w         http.ResponseWriter
	mediaType string
	begun     bool
}

var _ io.Writer = (*lateWriter)(nil)

// Write sends b, headers first where nothing was sent yet.
func (l *lateWriter) Write(b []byte) (int, error) {
	if !l.begun {
		l.begun = true
		l.w.Header().Set("Content-Type", l.mediaType+"; charset=utf-8")
		l.w.Header().Set("Vary", "Accept")
		if l.mediaType == typeHTML {
			l.w.Header().Set("Content-Security-Policy", reportPolicy)
		}
	}
	return l.w.Write(b)
}
