package api

import (
	"context"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/oklog/ulid/v2"
)

type contextKey int

const (
	keyRequestID contextKey = iota
	keyAccess
	keyWorkspace
)

var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// withRequestID keeps a client's X-Request-Id if it is harmless, else makes one.
func (a *API) withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if !goodRequestID.MatchString(id) {
			id = ulid.Make().String()
		}
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), keyRequestID, id)))
	})
}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(keyRequestID).(string)
	return id
}

// access is what later steps tell the access log.
type access struct{ workspaceID string }

// accessLog writes a line a request: the route's pattern and the path, never
// the query or a header.
func (a *API) accessLog(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		noted := &access{}
		wrapped := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(wrapped, r.WithContext(context.WithValue(r.Context(), keyAccess, noted)))
		a.log.InfoContext(r.Context(), "request",
			"request_id", requestID(r.Context()), "method", r.Method, "path", r.URL.Path, "status", wrapped.Status(),
			"bytes", wrapped.BytesWritten(), "ms", time.Since(began).Milliseconds(), "workspace", noted.workspaceID)
	})
}

// recoverPanics answers 500 where nothing was sent yet; else it cuts the
// connection, so that a half answer is not taken for a whole one.
func (a *API) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if cause == http.ErrAbortHandler {
				panic(cause)
			}
			a.log.ErrorContext(r.Context(), "panic", "request_id", requestID(r.Context()), "cause", cause, "stack", string(debug.Stack()))
			if wrapped, ok := w.(middleware.WrapResponseWriter); ok && wrapped.Status() != 0 {
				panic(http.ErrAbortHandler)
			}
			a.answer(w, r, newProblem(http.StatusInternalServerError, codeInternal, problemTypes[codeInternal].detail, problemTypes[codeInternal].remedy))
		}()
		next.ServeHTTP(w, r)
	})
}

// jsonPolicy lets a browser that is shown an answer load nothing for it.
const jsonPolicy = "default-src 'none'; frame-ancestors 'none'"

func securityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", jsonPolicy)
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// boundRequest refuses a body that says itself too large, and bounds how long an
// answer may take to be written. Reports and streams extend it.
func (a *API) boundRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > bodyLimit(r.URL.Path) {
			detail, remedy := wording(codeBodyTooLarge)
			a.answer(w, r, newProblem(http.StatusRequestEntityTooLarge, codeBodyTooLarge, detail, remedy))
			return
		}
		// A writer without deadlines (a test's recorder) needs none.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(a.Within + 10*time.Second))
		if r.Method == http.MethodHead {
			r = asGet(a.router, r)
		}
		next.ServeHTTP(w, r)
	})
}

// bodyLimit is how many bytes a body sent to a path may have.
func bodyLimit(path string) int64 {
	if path == explainPath {
		return maxExplainBody
	}
	return maxBody
}

// asGet routes HEAD like GET; net/http drops the body.
func asGet(router *chi.Mux, r *http.Request) *http.Request {
	if ctx := chi.RouteContext(r.Context()); ctx != nil && !router.Match(chi.NewRouteContext(), http.MethodHead, r.URL.Path) {
		ctx.RouteMethod = http.MethodGet
	}
	return r
}

// answer writes a problem outside huma's handlers.
func (a *API) answer(w http.ResponseWriter, r *http.Request, p *Problem) {
	p.RequestID = requestID(r.Context())
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	if err := huma.DefaultJSONFormat.Marshal(w, p); err != nil {
		a.log.DebugContext(r.Context(), "answer not written", "request_id", p.RequestID, "error", err)
	}
}

func (a *API) notFound(w http.ResponseWriter, r *http.Request) {
	detail, remedy := wording(codeNoSuchResource)
	a.answer(w, r, newProblem(http.StatusNotFound, codeNoSuchResource, detail, remedy))
}

func (a *API) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if a.router.Match(chi.NewRouteContext(), method, r.URL.Path) {
			allowed = append(allowed, method)
			if method == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	detail, remedy := wording(codeMethodNotAllowed)
	a.answer(w, r, newProblem(http.StatusMethodNotAllowed, codeMethodNotAllowed, detail, remedy))
}
