package local

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"time"

	"visite/api"
	"visite/internal/courtesy"
	"visite/internal/courtesy/robots"
	"visite/internal/postgres"
	"visite/internal/siteproof"
	"visite/schema"
)

var _ api.Visited = (*postgres.CourtesyStore)(nil)

// hostProofs looks for proofs, files through the door.
func hostProofs(door *courtesy.Door) siteproof.Checker {
	return siteproof.Checker{Resolver: siteproof.System(), Visit: siteproof.Through(func(ctx context.Context, v schema.Visit) (siteproof.Pass, schema.Admission, error) {
		pass, admission, err := door.Enter(ctx, v)
		if pass == nil { // a nil *courtesy.Pass must not become a Pass that is not nil
			return nil, admission, err
		}
		return pass, admission, err
	})}
}

// robotsPort says what robots.txt says, reading it through the door.
type robotsPort struct {
	door   *courtesy.Door
	copies *postgres.CourtesyStore
}

// explainWait is how long a question waits for its turns at the hosts.
const explainWait = 10 * time.Second

// ExplainRobots judges addresses by a given file or by those of their hosts.
func (p robotsPort) ExplainRobots(ctx context.Context, q api.RobotsQuestion) (verdicts []api.RobotsVerdict, rest time.Time, err error) {
	if q.Given {
		rules := robots.Parse([]byte(q.Robots)).For(q.Tokens)
		for _, address := range q.Addresses {
			verdicts = append(verdicts, api.RobotsVerdict(rules.Explain(address, "given")))
		}
		return verdicts, rest, nil
	}
	read := map[string]explained{}
	for _, address := range q.Addresses {
		origin, err := originOf(address)
		if err != nil {
			return nil, rest, err
		}
		book, known := read[origin]
		if !known {
			if book, rest, err = p.read(ctx, q, origin); err != nil || !rest.IsZero() {
				return nil, rest, err
			}
			read[origin] = book
		}
		verdicts = append(verdicts, api.RobotsVerdict(book.rules.Explain(address, book.source)))
	}
	return verdicts, rest, nil
}

// KnownRobots judges an address by the copy of its robots.txt read a moment ago, by
// whoever; nothing is sent.
func (p robotsPort) KnownRobots(ctx context.Context, profile schema.Profile, address string) (api.RobotsVerdict, bool, error) {
	origin, err := originOf(address)
	if err != nil {
		return api.RobotsVerdict{}, false, err
	}
	kept, there, err := p.copies.RobotsCopy(ctx, origin)
	if err != nil || !there || time.Since(kept.ReadAt) > schema.RobotsAge {
		return api.RobotsVerdict{}, false, err
	}
	return api.RobotsVerdict(robots.Of(kept).For(profile.Tokens).Explain(address, "kept")), true, nil
}

// explained is one origin's rules and where they came from.
type explained struct {
	rules  *robots.Rules
	source string
}

func originOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", &schema.Refusal{Kind: schema.RefusalInvalid, Field: "/urls", Code: "url-syntax", Detail: "An address cannot be read.", Remedy: "Give addresses such as https://example.com/."}
	}
	return schema.Origin(u), nil
}

// read reads the robots.txt of an origin as a visit of its own; a copy that is
// young enough serves too.
func (p robotsPort) read(ctx context.Context, q api.RobotsQuestion, origin string) (explained, time.Time, error) {
	reading, admission, err := p.door.ReadRobots(ctx, schema.Visit{
		Run: schema.RunRef{WorkspaceID: q.WorkspaceID}, Cause: schema.CauseRobotsExplain, Purpose: schema.PurposeRobots, Profile: q.Profile,
		URL: origin + "/", Holder: "explain " + rand.Text(), MaxWait: explainWait,
	})
	switch {
	case err != nil:
		return explained{}, time.Time{}, err
	case admission.Kind == schema.AdmissionWait:
		return explained{}, admission.Until, nil
	case admission.Kind == schema.AdmissionDenied:
		return explained{}, time.Time{}, &schema.Refusal{
			Kind: schema.RefusalForbidden, Field: "/urls", Code: "host-not-visited", Detail: "The host is not visited: " + admission.Words + ".", Remedy: "Leave its addresses out.",
		}
	}
	source := fmt.Sprintf("%s/robots.txt: %s, status %d", origin, reading.Copy.Outcome, reading.Copy.Status)
	return explained{robots.Of(reading.Copy).For(q.Tokens), source}, time.Time{}, nil
}
