package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"visite/internal/report"
	"visite/schema"
)

// reportPolicy lets the report style itself and nothing else: it shows what
// visited pages say of themselves.
const reportPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// reportWithin bounds how long a report of 50,000 pages may take to render.
const reportWithin = 5 * time.Minute

type reportInput struct {
	ScanRef
	Accept string        `header:"Accept" hidden:"true"`
	Speaks string        `header:"Accept-Language" hidden:"true"`
	Lang   report.Lang   `query:"lang" enum:"en,de,es" doc:"Language of the report and of the rules' names; the same choice as Accept-Language."`
	Format report.Format `query:"format" enum:"html,json,pdf,csv,sarif,earl,junit" doc:"The same choice as Accept, for use in an address bar: a page for people, the same as tagged PDF, the result format, CSV that is safe in spreadsheets, SARIF 2.1.0, EARL 1.0 as JSON-LD, JUnit XML."`
}

func (a *API) registerReport() {
	text := &huma.Schema{Type: huma.TypeString}
	object := &huma.Schema{Type: huma.TypeObject, Description: "The format's own object; keys are only ever added.", AdditionalProperties: true}
	content := map[string]*huma.MediaType{}
	for _, f := range report.Formats() {
		content[f.MediaType()] = &huma.MediaType{Schema: text}
		if f == report.FormatJSON || f == report.FormatSARIF || f == report.FormatEARL {
			content[f.MediaType()].Schema = object
		}
	}
	register(a, huma.Operation{
		OperationID: "get-report", Method: http.MethodGet, Path: "/v1/scans/{id}/report", Tags: []string{"Results"},
		Summary: "The report, for people or machines", Description: "In the format that Accept or format asks for, in the language that Accept-Language or lang asks for. Of a scan that has not ended, what is known so far, marked as partial.",
		Security: needsWorkspace, Errors: []int{401, 404, 406, 501},
		Responses: map[string]*huma.Response{"200": {Description: "The report", Content: content}},
	}, a.getReport)
}

func (a *API) getReport(ctx context.Context, in *reportInput) (*huma.StreamResponse, error) {
	format, err := reportFormat(in)
	if err != nil {
		return nil, err
	}
	scan, err := a.scanOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		a.writeReport(c, scan, report.Request{Format: format, Lang: report.Lang(languageFor(string(in.Lang), in.Speaks))})
	}}, nil
}

// reportFormat chooses by ?format, else by Accept; JSON where the client takes anything.
func reportFormat(in *reportInput) (report.Format, error) {
	if in.Format != "" {
		return in.Format, nil
	}
	if in.Accept == "" {
		return report.FormatJSON, nil
	}
	offered := make([]string, 0, len(report.Formats()))
	for _, f := range report.Formats() {
		offered = append(offered, f.MediaType())
	}
	if f, ok := report.FormatOfMediaType(chooseType(in.Accept, offered...)); ok {
		return f, nil
	}
	detail, remedy := wording(codeNotAcceptable)
	return "", newProblem(http.StatusNotAcceptable, codeNotAcceptable, detail, remedy)
}

// writeReport streams a report from an operation.
func (a *API) writeReport(c huma.Context, scan schema.Scan, want report.Request) {
	_, w := humachi.Unwrap(c)
	if problem := a.streamReport(c.Context(), w, scan, want); problem != nil {
		a.writeProblem(c, problem)
	}
}

// streamReport streams a report. Nothing is sent before the first byte is
// rendered, so that a failure until then is still a problem; one after it cuts
// the connection.
func (a *API) streamReport(ctx context.Context, w http.ResponseWriter, scan schema.Scan, want report.Request) *Problem {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(reportWithin))
	ctx, cancel := context.WithTimeout(ctx, reportWithin)
	defer cancel()
	out := &lateWriter{w: w, want: want, name: reportName(scan, want.Format)}
	err := a.Reports.Render(ctx, out, scan, want)
	if err == nil {
		return nil
	}
	if errors.Is(err, report.ErrNoPDF) {
		detail, remedy := wording(codePDFUnavailable)
		err = newProblem(http.StatusNotImplemented, codePDFUnavailable, detail, remedy)
	}
	problem := a.problemOf(ctx, fmt.Errorf("report of scan %s: %w", scan.ID, err))
	if out.begun {
		panic(http.ErrAbortHandler)
	}
	return problem
}

// reportName is the file a browser keeps the report in.
func reportName(scan schema.Scan, f report.Format) string {
	host := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, scan.ScopeHost)
	return "visite-" + host + "-" + scan.CreatedAt.UTC().Format(time.DateOnly) + f.Suffix()
}

// lateWriter sets the headers with the first byte.
type lateWriter struct {
	w     http.ResponseWriter
	want  report.Request
	name  string
	begun bool
}

var _ io.Writer = (*lateWriter)(nil)

// Write sends b, headers first where nothing was sent yet.
func (l *lateWriter) Write(b []byte) (int, error) {
	if !l.begun {
		l.begun = true
		l.header()
	}
	return l.w.Write(b)
}

func (l *lateWriter) header() {
	h := l.w.Header()
	mediaType := l.want.Format.MediaType()
	switch l.want.Format {
	case report.FormatHTML:
		h.Set("Content-Security-Policy", reportPolicy)
		mediaType += "; charset=utf-8"
	case report.FormatCSV, report.FormatJSON:
		mediaType += "; charset=utf-8"
	}
	if l.want.Format != report.FormatHTML && l.want.Format != report.FormatJSON {
		h.Set("Content-Disposition", `attachment; filename="`+l.name+`"`)
	}
	h.Set("Content-Type", mediaType)
	h.Set("Content-Language", string(l.want.Lang))
	h.Set("Vary", "Accept, Accept-Language")
}
