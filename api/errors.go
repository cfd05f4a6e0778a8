package api

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// Problem is how every failure is answered: application/problem+json (RFC 9457).
// It never carries values a client sent or internals of ours.
type Problem struct {
	Type      string         `json:"type" format:"uri-reference" example:"/problems/scheme-not-web" doc:"Stable name of this kind of problem; leads to its explanation."`
	Title     string         `json:"title" example:"Not a web address" doc:"The same words for every problem of this type."`
	Status    int            `json:"status" example:"422" doc:"HTTP status code."`
	Detail    string         `json:"detail,omitempty" doc:"What is wrong this time."`
	Remedy    string         `json:"remedy,omitempty" doc:"What to do about it."`
	RequestID string         `json:"request_id,omitempty" doc:"Names this request in the server's log."`
	ScanID    string         `json:"scan_id,omitempty" doc:"The scan that stands in the way, where one does."`
	Errors    []ProblemField `json:"errors,omitempty" doc:"Each field at fault."`

	retryAfter time.Duration
}

// ProblemField tells what is wrong with one part of a request. Exactly one of
// Pointer, Parameter and Header says which.
type ProblemField struct {
	Pointer   string `json:"pointer,omitempty" example:"/url" doc:"JSON pointer (RFC 6901) into the request body."`
	Parameter string `json:"parameter,omitempty" doc:"Name of a query or path parameter."`
	Header    string `json:"header,omitempty" doc:"Name of a request header."`
	Code      string `json:"code" example:"scheme-not-web" doc:"Stable, kebab case."`
	Detail    string `json:"detail" doc:"What is wrong."`
	Remedy    string `json:"remedy,omitempty" doc:"What to do about it."`
}

// Error makes a Problem usable as an error value.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status (huma.StatusError).
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is the media type of RFC 9457 section 3 (huma.ContentTypeFilter).
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders gives Retry-After and WWW-Authenticate where they belong (huma.HeadersError).
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="visite"`)
	}
	return h
}

// statusOf is how each kind of refusal is answered.
var statusOf = map[schema.RefusalKind]int{
	schema.RefusalInvalid:   http.StatusUnprocessableEntity,
	schema.RefusalUnauth:    http.StatusUnauthorized,
	schema.RefusalForbidden: http.StatusForbidden,
	schema.RefusalNotFound:  http.StatusNotFound,
	schema.RefusalConflict:  http.StatusConflict,
	schema.RefusalBusy:      http.StatusTooManyRequests,
}

// refusal is a schema.Refusal with what only HTTP can say.
type refusal struct {
	*schema.Refusal
	retryAfter time.Duration // 0: no Retry-After
	scanID     string
	until      time.Time // a host rests until then, for pages to tell
}

// Unwrap lets errors.As find the Refusal.
func (r *refusal) Unwrap() error { return r.Refusal }

// problemOf translates an error to its answer. What is no refusal is our own
// fault: it is logged here and answered without internals.
func (a *API) problemOf(ctx context.Context, err error) *Problem {
	p := a.translate(ctx, err)
	p.RequestID = requestID(ctx)
	return p
}

func (a *API) translate(ctx context.Context, err error) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		copied := *known
		return &copied
	}
	var declined *schema.Refusal
	if errors.As(err, &declined) {
		if declined.Kind == schema.RefusalNotFound {
			declined = notFound()
		}
		p := newProblem(statusOf[declined.Kind], declined.Code, declined.Detail, declined.Remedy)
		if declined.Field != "" {
			p.Errors = []ProblemField{fieldOf(declined)}
		}
		var more *refusal
		if errors.As(err, &more) {
			p.retryAfter, p.ScanID = more.retryAfter, more.scanID
		}
		if p.retryAfter == 0 {
			p.retryAfter = a.comesBack(declined.Code)
		}
		return p
	}
	if errors.Is(err, context.DeadlineExceeded) {
		a.log.WarnContext(ctx, "request took too long", "request_id", requestID(ctx), "error", err)
		p := newProblem(http.StatusServiceUnavailable, codeTimeout, "The answer took too long.", "Try again later.")
		p.retryAfter = 5 * time.Second
		return p
	}
	if ctx.Err() == nil {
		a.log.ErrorContext(ctx, "request failed", "request_id", requestID(ctx), "error", err)
	}
	return newProblem(http.StatusInternalServerError, codeInternal, "Something failed on our side.", "Try again later; if it stays, tell the operator the request_id.")
}

// fieldOf tells a JSON pointer from a "?parameter" and a "Header:" by its shape.
func fieldOf(r *schema.Refusal) ProblemField {
	f := ProblemField{Code: r.Code, Detail: r.Detail, Remedy: r.Remedy}
	switch {
	case strings.HasPrefix(r.Field, "?"):
		f.Parameter = r.Field[1:]
	case strings.HasSuffix(r.Field, ":"):
		f.Header = strings.TrimSuffix(r.Field, ":")
	default:
		f.Pointer = r.Field
	}
	return f
}

func newProblem(status int, code, detail, remedy string) *Problem {
	if status == 0 {
		status = http.StatusInternalServerError
	}
	return &Problem{Type: problemPath + code, Title: titleOf(code), Status: status, Detail: detail, Remedy: remedy}
}

// comesBack is after how long what is used up is there again; 0 where that is not
// known, or not the matter.
func (a *API) comesBack(code string) time.Duration {
	switch code {
	case codeFewPagesUsedUp, codeFreeCallerUsedUp, codeFreeHostUsedUp:
		return untilMidnight(a.now())
	case codeFreeTooMany:
		return time.Minute
	case codeRobotsUnreached:
		return schema.RobotsAge
	}
	return 0
}

// untilMidnight is the time to the next day by UTC, when the few pages without
// proof are there again.
func untilMidnight(now time.Time) time.Duration {
	now = now.UTC()
	return now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
}

// byStatus names the problems that are found before a handler runs.
var byStatus = map[int]string{
	http.StatusBadRequest:            codeMalformedBody,
	http.StatusNotAcceptable:         codeNotAcceptable,
	http.StatusRequestTimeout:        codeBodyTimeout,
	http.StatusRequestEntityTooLarge: codeBodyTooLarge,
	http.StatusUnsupportedMediaType:  codeMediaType,
	http.StatusUnprocessableEntity:   codeInvalidRequest,
}

// humaProblem gives huma's own errors our form; huma hands them over by status.
func humaProblem(status int, message string, errs ...error) huma.StatusError {
	if message == "cannot read request body" {
		status = http.StatusBadRequest // the client broke off or framed it wrongly
	}
	code, ok := byStatus[status]
	if !ok {
		return newProblem(status, codeInternal, "Something failed on our side.", "Try again later.")
	}
	known := problemTypes[code]
	p := newProblem(status, code, known.detail, known.remedy)
	if status != http.StatusUnprocessableEntity {
		return p
	}
	for _, err := range errs {
		var detail *huma.ErrorDetail
		if errors.As(err, &detail) {
			p.Errors = append(p.Errors, validationField(detail))
		}
	}
	return p
}

// validationField translates one of huma's findings; its value is dropped.
func validationField(d *huma.ErrorDetail) ProblemField {
	f := ProblemField{Code: codeInvalidField, Detail: sentence(d.Message), Remedy: remedyFor(d.Message)}
	place, rest, _ := strings.Cut(d.Location, ".")
	switch place {
	case "body":
		if rest != "" {
			f.Pointer = "/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(rest)
		}
		if name, ok := strings.CutPrefix(d.Message, "expected required property "); ok {
			f.Pointer += "/" + strings.TrimSuffix(name, " to be present")
		}
	case "header":
		f.Header = rest
	default:
		f.Parameter = rest
	}
	return f
}

func sentence(message string) string {
	if message == "" {
		return "The value is not allowed."
	}
	return strings.ToUpper(message[:1]) + strings.TrimSuffix(message[1:], ".") + "."
}

// emptyHeader is what is wrong with a header that is there without a value.
const emptyHeader = "the header is empty"

// remedyFor says what to do by the beginning of huma's message.
func remedyFor(message string) string {
	for _, r := range []struct{ begins, remedy string }{
		{"unexpected property", "Leave the property out, or correct its name."},
		{"unknown query parameter", "Leave the parameter out, or correct its name."},
		{"expected required property", "Add the property."},
		{"required", "Add it."},
		{emptyHeader, "Give it a value of at least one character, or leave it out."},
		{"expected value to be one of", "Choose one of the values named."},
		{"expected number >=", "Give a larger number."},
		{"expected number <=", "Give a smaller number."},
		{"expected length >=", "Give a longer text."},
		{"expected length <=", "Give a shorter text."},
		{"expected string to match pattern", "Leave out the characters that are not allowed."},
	} {
		if strings.HasPrefix(message, r.begins) {
			return r.remedy
		}
	}
	return "Give a value of the type named."
}
