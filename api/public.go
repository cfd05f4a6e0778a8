package api

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// Visited is what those who are visited may know and ask (internal/postgres).
// Nothing it gives names a customer.
type Visited interface {
	// RequestsAt finds our requests to a host between two moments by their
	// addresses from the path on; any: there were requests to the host at all.
	RequestsAt(ctx context.Context, host string, from, to time.Time, targets []string) (found []schema.SeenRequest, any bool, err error)
	// HostLines lists our requests to a host, newest first; LineKey goes on.
	HostLines(ctx context.Context, host string, r schema.Range) ([]schema.LedgerLine, error)
	HostPace(ctx context.Context, host string) (schema.HostPace, error)
	RobotsCopy(ctx context.Context, origin string) (schema.RobotsCopy, bool, error)

	SaveHostProof(ctx context.Context, tokenHash []byte, host string, method schema.ObjectionProof, lasts time.Duration) (time.Time, error)
	// ProofOf is the host a token's holder has shown to run, and how; empty for none.
	ProofOf(ctx context.Context, tokenHash []byte) (host string, method schema.ObjectionProof, err error)

	AddObjection(ctx context.Context, o schema.Objection) (schema.Objection, error)
	WithdrawObjection(ctx context.Context, id string) error
	// Objections lists what holds for a host now.
	Objections(ctx context.Context, host string) ([]schema.Objection, error)
	// ListObjections lists all that were not withdrawn, newest first, for the operator.
	ListObjections(ctx context.Context, r schema.Range) ([]schema.Objection, error)
	SaveObjectionKey(ctx context.Context, objectionID string, keyHash []byte) error
	ObjectionKeyFits(ctx context.Context, objectionID string, keyHash []byte) (bool, error)
	// RestsUntil is until when a host is left alone, at its wish; gone by or zero where
	// it may be visited.
	RestsUntil(ctx context.Context, host string) (time.Time, error)
	// UnprovenSince reports whether somebody without proof objected for a host since
	// a moment, with effect.
	UnprovenSince(ctx context.Context, host string, since time.Time) (bool, error)
}

// HostProofs finds out whether somebody runs a host (internal/siteproof).
type HostProofs interface {
	// Challenge makes a challenge for a host, anew where secret is empty.
	Challenge(host, secret string) schema.HostChallenge
	// CheckDNS looks for its word in DNS; the host itself is asked nothing.
	CheckDNS(ctx context.Context, c schema.HostChallenge) (schema.HostProofResult, error)
	// CheckFile looks for it in the file at an origin, through the door.
	CheckFile(ctx context.Context, c schema.HostChallenge, origin string, p schema.Profile) (schema.HostProofResult, error)
}

// Classes of what is open to everybody, counted by address.
const (
	ratePages     = "pages"
	rateIdentify  = "identify"
	rateHosts     = "hosts"
	rateProve     = "prove"
	rateObject    = "object"
	rateObjectDay = "object_day"
)

// rate is how often something may be asked within a time.
type rate struct {
	n      int
	within time.Duration
}

// publicRates are the rates of each class. A day's objections are few, as each
// without proof keeps a host to itself for a day.
var publicRates = map[string]rate{
	ratePages: {120, time.Minute}, rateIdentify: {30, time.Minute}, rateHosts: {60, time.Minute}, rateProve: {10, time.Minute},
	rateFree: {20, time.Minute}, rateObject: {5, time.Minute}, rateObjectDay: {20, 24 * time.Hour},
}

// rateOf marks an operation as open to everybody, counted in a class.
func rateOf(class string) map[string]any { return map[string]any{"rate": class} }

// limitPublic lets an address ask the open operations only so often.
func (a *API) limitPublic(ctx huma.Context, next func(huma.Context)) {
	if class, ok := ctx.Operation().Metadata["rate"].(string); ok {
		if wait := a.tooSoon(class, clientAddress(ctx)); wait > 0 {
			a.writeProblem(ctx, a.problemOf(ctx.Context(), tooOften(wait)))
			return
		}
	}
	next(ctx)
}

// tooSoon counts a question and says how long to wait where there were too many.
func (a *API) tooSoon(class, address string) time.Duration {
	wait := a.rates.count(class, address, a.now())
	if class == rateObject && wait == 0 {
		wait = a.rates.count(rateObjectDay, address, a.now())
	}
	return wait
}

func tooOften(wait time.Duration) error {
	return &refusal{Refusal: refuse(schema.RefusalBusy, codeTooOften, ""), retryAfter: wait}
}

// rates counts questions by class and address, in this process.
type rates struct {
	mu   sync.Mutex
	seen map[rateKey]tries
}

type rateKey struct{ class, address string }

func newRates() *rates { return &rates{seen: map[rateKey]tries{}} }

// ratesKept bounds the addresses remembered.
const ratesKept = 50_000

// count notes a question; it returns how long to wait where there were too many.
func (r *rates) count(class, address string, now time.Time) time.Duration {
	key := rateKey{class, network(address)}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.seen[key]
	if !now.Before(t.until) {
		makeRoom(r.seen, ratesKept, now)
		t = tries{until: now.Add(publicRates[class].within)}
	}
	t.n++
	r.seen[key] = t
	if t.n > publicRates[class].n {
		return t.until.Sub(now)
	}
	return 0
}

// network is what one asker is counted by: an IPv4 address, or the /64 of an
// IPv6 one, which a single machine has at its disposal.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}

func remoteHost(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// tagVisited groups what is open to those who are visited.
const tagVisited = "Visited"

// provenHostKey carries the host that a request's token was given for.
type provenHostKey struct{}

func provenHost(ctx context.Context) string {
	host, _ := ctx.Value(provenHostKey{}).(string)
	return host
}

// hostOfToken is the host whose proof the bearer token stands for.
func (a *API) hostOfToken(ctx huma.Context) (string, error) {
	token, err := bearer(ctx)
	if err != nil {
		return "", err
	}
	host, _, err := a.Visited.ProofOf(ctx.Context(), hashToken(token))
	if err != nil || host != "" {
		return host, err
	}
	return "", a.wrongToken(ctx)
}
