package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// HostRef names a host in a path.
type HostRef struct {
	Host string `path:"host" maxLength:"300" example:"example.com" doc:"Host name; with a port other than the scheme's own, the colon written %3A."`
}

// HostState is what is known of our visits to a host, without whoever ordered
// them.
type HostState struct {
	Host            string          `json:"host"`
	Pace            HostPace        `json:"pace"`
	ParkedUntil     *time.Time      `json:"parked_until,omitempty" doc:"The host asked for rest: nothing is sent to it before."`
	Robots          []HostRobots    `json:"robots" doc:"What was read of its robots.txt, by origin."`
	Objections      []HostObjection `json:"objections" doc:"What is asked of us for this host, and holds now."`
	RequestsPath    string          `json:"requests_path" doc:"Our requests to the host, for whoever proves to run it."`
	ObjectionsPath  string          `json:"objections_path" doc:"Where to ask us to stop."`
	ExplanationPath string          `json:"explanation_path"`
}

// HostPace is the pace kept at a host.
type HostPace struct {
	SlowDown     float64    `json:"slow_down" doc:"How many times as long the pauses are, because the host refused requests; 1 for none."`
	ResponseTime float64    `json:"last_response_seconds" doc:"The longer, the longer the pauses; 0 where nothing is known."`
	UnderWay     int        `json:"visits_under_way"`
	NextAt       *time.Time `json:"next_at,omitempty" doc:"No visit before; missing where one may begin now."`
}

// HostRobots is the latest read of one origin's robots.txt.
type HostRobots struct {
	Origin  string               `json:"origin" example:"https://example.com"`
	ReadAt  time.Time            `json:"read_at"`
	Age     int                  `json:"age_seconds"`
	Outcome schema.RobotsOutcome `json:"outcome" enum:"parse,allow_all,deny_all" doc:"parse: its rules are kept; allow_all: there is none; deny_all: it could not be read, so nothing is visited."`
	Status  int                  `json:"status" doc:"HTTP status; 0 where there was no answer."`
}

// HostObjection is an objection as everybody may see it: neither who made it nor
// their words.
type HostObjection struct {
	Kind     schema.ObjectionKind  `json:"kind" enum:"stop,quiet_hours,slower"`
	ProvenBy schema.ObjectionProof `json:"proven_by" enum:"none,dns,file"`
	Until    *time.Time            `json:"until,omitempty" doc:"Missing: until it is withdrawn."`
}

// HostRequest is one of our requests to a host, for whoever runs it.
type HostRequest struct {
	At       time.Time      `json:"at"`
	Method   string         `json:"method"`
	URL      string         `json:"url" doc:"Query values replaced by asterisks."`
	IP       string         `json:"ip,omitempty" doc:"The host's address that was connected to."`
	Purpose  schema.Purpose `json:"purpose"`
	Cause    schema.Cause   `json:"cause"`
	Profile  string         `json:"profile"`
	Rule     string         `json:"rule,omitempty" doc:"The line of robots.txt that allowed it; missing where none spoke."`
	WaitedMS int64          `json:"waited_ms" doc:"How long it waited for its turn."`
	Status   int            `json:"status" doc:"0 where nothing was answered, or not yet."`
	Bytes    int64          `json:"bytes"`
	Failure  schema.Reason  `json:"failure,omitempty"`
	TookMS   int64          `json:"took_ms"`
}

type hostOutput struct{ Body HostState }

type hostRequestsInput struct {
	HostRef
	ListInput
}

func (a *API) registerHosts() {
	register(a, huma.Operation{
		OperationID: "get-host", Method: http.MethodGet, Path: "/v1/hosts/{host}", Tags: []string{tagVisited}, Metadata: rateOf(rateHosts),
		Summary: "How are we treating this host?", Description: "Pace, rest, robots.txt and objections of one host, for anybody. Nothing tells which customer's scans these are, or whether there are any.",
		Errors: []int{422, 429},
	}, a.getHost)
	register(a, huma.Operation{
		OperationID: "list-host-requests", Method: http.MethodGet, Path: "/v1/hosts/{host}/requests", Tags: []string{tagVisited}, Metadata: rateOf(rateHosts), Security: needsHost,
		Summary: "List our requests to a host", Description: "Newest first, for whoever has proved to run the host (prove-host).",
		Errors: []int{401, 403, 422, 429},
	}, a.listHostRequests)
}

func (a *API) getHost(ctx context.Context, in *HostRef) (*hostOutput, error) {
	host, err := hostOf(pathText(in.Host), "?host")
	if err != nil {
		return nil, err
	}
	pace, err := a.Visited.HostPace(ctx, host)
	if err != nil {
		return nil, err
	}
	objections, err := a.Visited.Objections(ctx, host)
	if err != nil {
		return nil, err
	}
	now := a.now()
	state := HostState{
		Host: host, Robots: []HostRobots{}, Objections: []HostObjection{}, ParkedUntil: ahead(pace.ParkedUntil, now),
		Pace:         HostPace{SlowDown: pace.SlowFactor, ResponseTime: pace.ResponseTime.Seconds(), UnderWay: pace.InFlight, NextAt: ahead(pace.NextAt, now)},
		RequestsPath: hostPath(host) + "/requests", ObjectionsPath: objectionsPath, ExplanationPath: botPath(""),
	}
	for _, o := range objections {
		state.Objections = append(state.Objections, HostObjection{Kind: o.Kind, ProvenBy: o.ProvenBy, Until: ahead(o.Until, now)})
	}
	for _, scheme := range []string{"https://", "http://"} {
		c, there, err := a.Visited.RobotsCopy(ctx, scheme+host)
		if err != nil {
			return nil, err
		}
		if there {
			state.Robots = append(state.Robots, HostRobots{Origin: c.Origin, ReadAt: c.ReadAt.UTC(), Age: int(now.Sub(c.ReadAt).Seconds()), Outcome: c.Outcome, Status: c.Status})
		}
	}
	return &hostOutput{state}, nil
}

// ahead is a moment that is still to come; nil for one gone by.
func ahead(t, now time.Time) *time.Time {
	if !t.After(now) {
		return nil
	}
	t = t.UTC()
	return &t
}

func (a *API) listHostRequests(ctx context.Context, in *hostRequestsInput) (*listOutput[HostRequest], error) {
	host, err := hostOf(pathText(in.Host), "?host")
	if err != nil {
		return nil, err
	}
	if provenHost(ctx) != host {
		return nil, refuse(schema.RefusalForbidden, codeOtherHost, "?host")
	}
	r, err := in.rangeOf(idKeys)
	if err != nil {
		return nil, err
	}
	lines, err := a.Visited.HostLines(ctx, host, r)
	if err != nil {
		return nil, err
	}
	return listOf(in.ListInput, hostPath(host)+"/requests", nil, lines, lineKey, showHostRequest), nil
}

func lineKey(l schema.LedgerLine) string {
	return strconv.FormatInt(l.At.UnixMicro(), 10) + "-" + strconv.FormatInt(l.ID, 10)
}

func showHostRequest(l schema.LedgerLine) HostRequest {
	return HostRequest{
		At: l.At.UTC(), Method: l.Method, URL: l.URL, IP: l.IP, Purpose: l.Purpose, Cause: l.Cause, Profile: l.Profile, Rule: l.Rule,
		WaitedMS: l.WaitedMS, Status: l.Status, Bytes: l.Bytes, Failure: l.Failure, TookMS: l.TookMS,
	}
}
