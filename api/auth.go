package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// tokenPrefix lets people and secret scanners recognise our tokens.
const tokenPrefix = "vst_"

// newToken makes a workspace's token (256 random bits) and the hash that is kept.
func newToken() (token string, hash []byte) { return newSecret(tokenPrefix) }

// newSecret makes a secret of 256 random bits and the hash that is kept of it.
func newSecret(prefix string) (secret string, hash []byte) {
	var random [32]byte
	rand.Read(random[:]) // never fails (crypto/rand)
	secret = prefix + base64.RawURLEncoding.EncodeToString(random[:])
	return secret, hashToken(secret)
}

// hashToken is SHA-256: a token has too many bits to be guessed from it.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Security schemes by name, as operations ask for them.
const (
	schemeWorkspace = "workspaceToken"
	schemeBootstrap = "bootstrapToken"
	schemeOperator  = "operatorToken"
	schemeHost      = "hostToken"
)

var (
	needsWorkspace = []map[string][]string{{schemeWorkspace: {}}}
	needsBootstrap = []map[string][]string{{schemeBootstrap: {}}}
	needsOperator  = []map[string][]string{{schemeOperator: {}}}
	needsHost      = []map[string][]string{{schemeHost: {}}}
)

// authenticate lets a request through to an operation that needs a token only
// with the right one, before its body is read.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	var err error
	switch op := ctx.Operation(); {
	case asksFor(op, schemeWorkspace):
		var w schema.Workspace
		if w, err = a.workspaceOfToken(ctx); err == nil {
			if noted, ok := ctx.Context().Value(keyAccess).(*access); ok {
				noted.workspaceID = w.ID
			}
			ctx = huma.WithValue(ctx, keyWorkspace, w)
		}
	case asksFor(op, schemeBootstrap):
		err = a.checkBootstrap(ctx)
	case asksFor(op, schemeOperator):
		err = a.checkOperator(ctx)
	case asksFor(op, schemeHost):
		var host string
		if host, err = a.hostOfToken(ctx); err == nil {
			ctx = huma.WithValue(ctx, provenHostKey{}, host)
		}
	}
	if err != nil {
		a.writeProblem(ctx, a.problemOf(ctx.Context(), err))
		return
	}
	next(ctx)
}

func asksFor(op *huma.Operation, scheme string) bool {
	for _, s := range op.Security {
		if _, ok := s[scheme]; ok {
			return true
		}
	}
	return false
}

// workspaceID is the workspace whose token the request carried.
func workspaceID(ctx context.Context) string {
	w, _ := ctx.Value(keyWorkspace).(schema.Workspace)
	return w.ID
}

func (a *API) workspaceOfToken(ctx huma.Context) (schema.Workspace, error) {
	token, err := bearer(ctx)
	if err != nil {
		return schema.Workspace{}, err
	}
	var none *schema.Refusal
	if strings.HasPrefix(token, tokenPrefix) {
		w, err := a.Store.WorkspaceByTokenHash(ctx.Context(), hashToken(token))
		if err == nil || !errors.As(err, &none) {
			return w, err
		}
	}
	return schema.Workspace{}, a.wrongToken(ctx)
}

// checkBootstrap compares in constant time. The secret may be one that a person
// chose, so an address that guessed too often is refused before it is compared.
func (a *API) checkBootstrap(ctx huma.Context) error {
	if a.BootstrapToken == "" {
		return refuse(schema.RefusalForbidden, codeBootstrapOff, "")
	}
	token, err := bearer(ctx)
	if err != nil {
		return bootstrapNeeded(err)
	}
	if wait := a.badTries.blocked(clientAddress(ctx), a.now()); wait > 0 {
		return tooManyBadTokens(wait)
	}
	if subtle.ConstantTimeCompare(hashToken(token), hashToken(a.BootstrapToken.Reveal())) == 1 {
		return nil
	}
	return bootstrapNeeded(a.wrongToken(ctx))
}

// bootstrapNeeded says of an unknown token which one is asked for here: most
// often a workspace's own was sent.
func bootstrapNeeded(err error) error {
	var declined *schema.Refusal
	if errors.As(err, &declined) && declined.Kind == schema.RefusalUnauth {
		declined.Detail = "This needs the operator's bootstrap secret; a workspace's token makes no workspaces."
		declined.Remedy = "Ask whoever runs the deployment; the secret is what VISITE_BOOTSTRAP_TOKEN holds."
	}
	return err
}

// bearer reads the Authorization header (RFC 6750 section 2.1).
func bearer(ctx huma.Context) (string, error) {
	scheme, token, _ := strings.Cut(ctx.Header("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > 512 {
		return "", refuse(schema.RefusalUnauth, codeTokenMissing, "Authorization:")
	}
	return token, nil
}

// wrongToken counts a wrong token against the client's address. A right one is
// never held up by the wrong ones of others behind the same address.
func (a *API) wrongToken(ctx huma.Context) error {
	if wait := a.badTries.count(clientAddress(ctx), a.now()); wait > 0 {
		return tooManyBadTokens(wait)
	}
	return refuse(schema.RefusalUnauth, codeTokenUnknown, "Authorization:")
}

func tooManyBadTokens(wait time.Duration) error {
	r := refuse(schema.RefusalBusy, codeTooManyBadTokens, "Authorization:")
	return &refusal{Refusal: r, retryAfter: wait}
}

func clientAddress(ctx huma.Context) string {
	host, _, err := net.SplitHostPort(ctx.RemoteAddr())
	if err != nil {
		return ctx.RemoteAddr()
	}
	return host
}

// refuse declines with the problem's usual wording.
func refuse(kind schema.RefusalKind, code, field string) *schema.Refusal {
	detail, remedy := wording(code)
	return &schema.Refusal{Kind: kind, Field: field, Code: code, Detail: detail, Remedy: remedy}
}

// writeProblem answers from a huma middleware.
func (a *API) writeProblem(ctx huma.Context, p *Problem) {
	for name, values := range p.GetHeaders() {
		for _, v := range values {
			ctx.SetHeader(name, v)
		}
	}
	ctx.SetHeader("Content-Type", p.ContentType(""))
	ctx.SetStatus(p.Status)
	if ctx.Method() == http.MethodHead {
		return
	}
	if err := huma.DefaultJSONFormat.Marshal(ctx.BodyWriter(), p); err != nil {
		a.log.DebugContext(ctx.Context(), "answer not written", "request_id", p.RequestID, "error", err)
	}
}

const (
	badTriesAllowed = 20          // wrong tokens an address may send in badTriesWindow
	badTriesWindow  = time.Minute // counted from the first
	badTriesKept    = 10_000      // addresses remembered at most
)

// badTries counts wrong tokens by address (network), in this process.
type badTries struct {
	mu   sync.Mutex
	seen map[string]tries
}

type tries struct {
	n     int
	until time.Time
}

func newBadTries() *badTries { return &badTries{seen: map[string]tries{}} }

// count notes one wrong token; it returns how long to wait where there were too many.
func (b *badTries) count(address string, now time.Time) time.Duration {
	address = network(address)
	b.mu.Lock()
	t := b.seen[address]
	if !now.Before(t.until) {
		t = tries{until: now.Add(badTriesWindow)}
		makeRoom(b.seen, badTriesKept, now)
	}
	t.n++
	b.seen[address] = t
	b.mu.Unlock()
	return b.blocked(address, now)
}

func (b *badTries) blocked(address string, now time.Time) time.Duration {
	address = network(address)
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.seen[address]; t.n > badTriesAllowed && now.Before(t.until) {
		return t.until.Sub(now)
	}
	return 0
}

// makeRoom forgets what has lapsed where most are kept, and everything where that
// is not enough.
func makeRoom[K comparable](seen map[K]tries, most int, now time.Time) {
	if len(seen) < most {
		return
	}
	for key, t := range seen {
		if !now.Before(t.until) {
			delete(seen, key)
		}
	}
	if len(seen) >= most {
		clear(seen)
	}
}
