package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/internal/config"
	"visite/schema"
)

const (
	explainPath = "/v1/robots:explain"
	// maxExplainBody bounds a question in bytes: a thousand addresses and a
	// robots.txt as long as counts.
	maxExplainBody = 3 << 20
	// maxExplainOrigins bounds whose robots.txt one question may read.
	maxExplainOrigins = 5
)

// RobotsReader says what robots.txt says, reading it through the door where it
// is not given (internal/courtesy).
type RobotsReader interface {
	// ExplainRobots judges addresses in order. rest is set where a host must be left
	// alone until then; nothing is judged in that case.
	ExplainRobots(ctx context.Context, q RobotsQuestion) (verdicts []RobotsVerdict, rest time.Time, err error)
	// KnownRobots judges an address for a profile by the copy of its robots.txt that
	// was read within schema.RobotsAge; known is false where there is none.
	KnownRobots(ctx context.Context, p schema.Profile, address string) (v RobotsVerdict, known bool, err error)
}

// RobotsQuestion asks whether robots.txt allows addresses.
type RobotsQuestion struct {
	WorkspaceID string
	Profile     schema.Profile // whose identity reads the file
	Tokens      []string       // product tokens looked for, all together
	Addresses   []string
	Given       bool   // Robots holds the file; nothing is read
	Robots      string // a robots.txt
}

// RobotsVerdict is the verdict on one address, and what it rests on.
type RobotsVerdict struct {
	URL        string   `json:"url"`
	Allow      bool     `json:"allow"`
	Group      string   `json:"group" doc:"User-agent values that decided; * for the general group, empty for none."`
	Rule       string   `json:"rule" doc:"Empty where no rule spoke."`
	Line       int      `json:"line" doc:"Of the rule, from 1; 0 for none."`
	CrawlDelay *float64 `json:"crawl_delay_s" nullable:"true" doc:"null where none is given."`
	StarAllow  bool     `json:"star_allow" doc:"What the * group alone would say."`
	Source     string   `json:"source" doc:"Where the rules came from."`
}

// RobotsOrder is a question as it is sent.
type RobotsOrder struct {
	URLs    []string `json:"urls" minItems:"1" maxItems:"1000" doc:"Addresses to judge; on 5 hosts at most where robots is left out."`
	Profile string   `json:"profile,omitempty" maxLength:"64" doc:"Identity whose tokens are looked for, and that reads the file; visite where left out."`
	Agents  []string `json:"agents,omitempty" maxItems:"20" doc:"Product tokens to look for instead of the profile's."`
	Robots  *string  `json:"robots,omitempty" maxLength:"1048576" doc:"A robots.txt to judge by. Left out: the hosts' own are read, at the usual pace, and nothing else of them."`
}

// RobotsAnswer holds a verdict for each address, in the order asked.
type RobotsAnswer struct {
	Items []RobotsVerdict `json:"items"`
}

type robotsInput struct{ Body RobotsOrder }

type robotsOutput struct{ Body RobotsAnswer }

func (a *API) registerRobots() {
	register(a, huma.Operation{
		OperationID: "explain-robots", Method: http.MethodPost, Path: explainPath, Tags: []string{"Robots"}, MaxBodyBytes: maxExplainBody + 1,
		Summary: "Say whether robots.txt allows addresses, and by which line", Description: "By RFC 9309, for a robots.txt that is given or for those of the hosts. Of a host at most its robots.txt is read.",
		Security: needsWorkspace, DefaultStatus: http.StatusOK, Errors: []int{400, 401, 413, 415, 422, 429},
	}, a.explainRobots)
}

func (a *API) explainRobots(ctx context.Context, in *robotsInput) (*robotsOutput, error) {
	q, err := a.robotsQuestion(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	verdicts, rest, err := a.Robots.ExplainRobots(ctx, q)
	if err != nil {
		return nil, err
	}
	if !rest.IsZero() {
		return nil, &refusal{Refusal: refuse(schema.RefusalBusy, codeHostResting, "/urls"), retryAfter: max(time.Second, rest.Sub(a.now()))}
	}
	return &robotsOutput{RobotsAnswer{Items: verdicts}}, nil
}

func (a *API) robotsQuestion(ctx context.Context, o RobotsOrder) (RobotsQuestion, error) {
	profile, err := a.profileOf(ScanOrder{Profile: firstOf(o.Profile, config.DefaultProfile)})
	if err != nil {
		return RobotsQuestion{}, err
	}
	q := RobotsQuestion{WorkspaceID: workspaceID(ctx), Profile: a.identity(profile, a.Contact), Tokens: profile.Tokens, Addresses: o.URLs}
	for i, token := range o.Agents {
		if token == "" || len(token) > 200 {
			return q, refuse(schema.RefusalInvalid, codeInvalidField, fmt.Sprintf("/agents/%d", i))
		}
	}
	if len(o.Agents) > 0 {
		q.Tokens = o.Agents
	}
	if o.Robots != nil {
		q.Given, q.Robots = true, *o.Robots
		return q, nil
	}
	return q, a.admitOrigins(ctx, profile, o.URLs)
}

// admitOrigins judges whether the robots.txt of addresses may be read: like the
// order of a scan, but for how many pages a site gives, as none is loaded.
func (a *API) admitOrigins(ctx context.Context, profile schema.Profile, addresses []string) error {
	origins := map[string]bool{}
	for i, address := range addresses {
		field := fmt.Sprintf("/urls/%d", i)
		u, err := url.Parse(address)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return refuse(schema.RefusalInvalid, codeURLSyntax, field)
		}
		if origins[schema.Origin(u)] {
			continue
		}
		if origins[schema.Origin(u)] = true; len(origins) > maxExplainOrigins {
			return refuse(schema.RefusalInvalid, codeTooManyOrigins, "/urls")
		}
		t, err := a.targetOf(schema.Origin(u) + "/")
		if err == nil {
			err = a.resolve(ctx, &t)
		}
		if err == nil && !t.loopback && profile.LoopbackOnly {
			err = refuse(schema.RefusalInvalid, codeProfileLoopbackOnly, "/profile")
		}
		if err != nil {
			return atParameter(err, field)
		}
	}
	return nil
}

// atParameter names another place for a refusal of an address.
func atParameter(err error, field string) error {
	var declined *schema.Refusal
	if errors.As(err, &declined) && declined.Field == "/url" {
		moved := *declined
		moved.Field = field
		return &moved
	}
	return err
}
