package api

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// identifyTolerance is how far a server's clock may be off, unless asked otherwise.
const identifyTolerance = 5 * time.Minute

// IdentifyOrder asks whether a request was ours. Fields given apart go before
// what is read from the line.
type IdentifyOrder struct {
	LogLine   string     `json:"log_line,omitempty" maxLength:"4000" doc:"A line of the server's log: Apache, nginx, IIS (W3C), or anything that holds time, method and path."`
	At        *time.Time `json:"at,omitempty" doc:"When the request came."`
	Host      string     `json:"host,omitempty" maxLength:"300" example:"example.com" doc:"The host that was asked."`
	Method    string     `json:"method,omitempty" maxLength:"10" example:"GET"`
	Path      string     `json:"path,omitempty" maxLength:"2100" example:"/shop?page=2" doc:"Path and query, or the whole address. Query values are compared as asterisks."`
	IP        string     `json:"ip,omitempty" maxLength:"60" doc:"The address the request came from. Counts where this deployment has fixed addresses."`
	UserAgent string     `json:"user_agent,omitempty" maxLength:"1000"`
	Tolerance int        `json:"tolerance_seconds,omitempty" minimum:"1" maximum:"3600" doc:"How far the clocks may differ; 300 where left out."`
}

// Reasons of an answer. Closed list.
const (
	identifiedFound       = "found"
	identifiedNoneThen    = "no_request_then"
	identifiedNoneToPath  = "no_request_to_path"
	identifiedOtherMethod = "other_method"
	identifiedAddress     = "address_not_ours"
	identifiedUserAgent   = "user_agent_not_ours"
	identifiedNotKept     = "not_kept"
)

var identifiedReasons = []string{identifiedFound, identifiedNoneThen, identifiedNoneToPath, identifiedOtherMethod, identifiedAddress, identifiedUserAgent, identifiedNotKept}

// Identified says whether a request was ours, and why we say so.
type Identified struct {
	Ours     bool                `json:"ours"`
	Reason   string              `json:"reason" enum:"found,no_request_then,no_request_to_path,other_method,address_not_ours,user_agent_not_ours,not_kept"`
	Words    string              `json:"words" doc:"The reason for people, in English."`
	Asked    IdentifiedQuestion  `json:"asked" doc:"What was understood of the question."`
	Requests []IdentifiedRequest `json:"requests" doc:"The requests of ours that fit, 20 at most."`
}

// IdentifiedQuestion is what was understood of a question.
type IdentifiedQuestion struct {
	At     time.Time `json:"at"`
	Host   string    `json:"host"`
	Method string    `json:"method,omitempty"`
	Path   string    `json:"path" doc:"Query values replaced by asterisks."`
	IP     string    `json:"ip,omitempty"`
}

// IdentifiedRequest is one of our requests, without whoever ordered it.
type IdentifiedRequest struct {
	At      time.Time      `json:"at"`
	Method  string         `json:"method"`
	Path    string         `json:"path" doc:"Query values replaced by asterisks."`
	Purpose schema.Purpose `json:"purpose"`
	Cause   schema.Cause   `json:"cause"`
	Profile string         `json:"profile" doc:"The identity it was sent under."`
	Status  int            `json:"status" doc:"What was answered; 0 where nothing was, or not yet."`
}

type identifyInput struct{ Body IdentifyOrder }

type identifyOutput struct{ Body Identified }

func (a *API) registerIdentify() {
	register(a, huma.Operation{
		OperationID: "identify-request", Method: http.MethodPost, Path: "/v1/requests:identify", Tags: []string{tagVisited}, Metadata: rateOf(rateIdentify),
		Summary: "Was this request yours?", Description: "For whoever runs a website and found a request in its log. Compares host, time and path with the ledger of all requests sent. The answer names no customer.",
		DefaultStatus: http.StatusOK, Errors: []int{400, 413, 415, 422, 429},
	}, func(ctx context.Context, in *identifyInput) (*identifyOutput, error) {
		found, err := a.identify(ctx, in.Body)
		return &identifyOutput{found}, err
	})
}

// question is an order read and completed from its log line.
type question struct {
	asked     IdentifiedQuestion
	targets   []string
	userAgent string
	tolerance time.Duration
}

// understand reads an order; a Refusal names what is missing.
func understand(o IdentifyOrder) (question, error) {
	line := parseLogLine(o.LogLine)
	q := question{userAgent: firstOf(o.UserAgent, line.userAgent), tolerance: identifyTolerance}
	if o.Tolerance > 0 {
		q.tolerance = time.Duration(o.Tolerance) * time.Second
	}
	q.asked = IdentifiedQuestion{At: line.at.UTC(), Method: strings.ToUpper(firstOf(o.Method, line.method)), IP: firstOf(o.IP, line.ip)}
	if o.At != nil {
		q.asked.At = o.At.UTC()
	}
	if q.asked.At.IsZero() {
		return q, refuse(schema.RefusalInvalid, codeTimeMissing, "/at")
	}
	target := firstOf(o.Path, line.target)
	if target == "" {
		return q, refuse(schema.RefusalInvalid, codePathMissing, "/path")
	}
	var host string
	q.targets, host = targetsOf(target)
	q.asked.Path = q.targets[0]
	host = firstOf(o.Host, host, line.host)
	if host == "" {
		return q, refuse(schema.RefusalInvalid, codeHostMissing, "/host")
	}
	var err error
	q.asked.Host, err = hostOf(host, "/host")
	return q, err
}

// identify looks a request up in the ledger (contract S-09).
func (a *API) identify(ctx context.Context, o IdentifyOrder) (Identified, error) {
	q, err := understand(o)
	if err != nil {
		return Identified{}, err
	}
	answer := Identified{Asked: q.asked, Requests: []IdentifiedRequest{}}
	found, any, err := a.Visited.RequestsAt(ctx, q.asked.Host, q.asked.At.Add(-q.tolerance), q.asked.At.Add(q.tolerance), q.targets)
	if err != nil {
		return answer, err
	}
	answer.Reason = a.verdict(q, found, any)
	if answer.Ours = answer.Reason == identifiedFound; answer.Ours {
		for _, r := range withMethod(found, q.asked.Method) {
			answer.Requests = append(answer.Requests, IdentifiedRequest{
				At: r.At.UTC(), Method: r.Method, Path: r.Target, Purpose: r.Purpose, Cause: r.Cause, Profile: r.Profile, Status: r.Status,
			})
		}
	}
	answer.Words = strings.TrimSuffix(publicWords(languageDefault).T("reason."+answer.Reason), ":") + ending(answer.Reason)
	return answer, nil
}

func ending(reason string) string {
	if reason == identifiedFound {
		return "."
	}
	return ""
}

// verdict is the reason of the answer, the plainest first.
func (a *API) verdict(q question, found []schema.SeenRequest, any bool) string {
	switch {
	case len(found) == 0 && a.LedgerDays > 0 && q.asked.At.Before(a.now().AddDate(0, 0, -a.LedgerDays)):
		return identifiedNotKept
	case len(found) == 0 && any:
		return identifiedNoneToPath
	case len(found) == 0:
		return identifiedNoneThen
	case len(withMethod(found, q.asked.Method)) == 0:
		return identifiedOtherMethod
	case !a.fromOurs(q.asked.IP):
		return identifiedAddress
	case !a.namesUs(q.userAgent, found):
		return identifiedUserAgent
	}
	return identifiedFound
}

func withMethod(found []schema.SeenRequest, method string) []schema.SeenRequest {
	if method == "" {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(r schema.SeenRequest) bool { return r.Method != method })
}

// fromOurs reports whether a request from an address may be ours: where no fixed
// addresses are set nothing speaks against it (contract S-10).
func (a *API) fromOurs(address string) bool {
	ip, err := netip.ParseAddr(address)
	if err != nil || len(a.Egress) == 0 {
		return true
	}
	return slices.ContainsFunc(a.Egress, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
}

// namesUs reports whether a User-Agent, where one is given, names the product of
// one of the requests found (contract S-02).
func (a *API) namesUs(userAgent string, found []schema.SeenRequest) bool {
	if userAgent == "" {
		return true
	}
	return slices.ContainsFunc(found, func(r schema.SeenRequest) bool {
		p, known := a.Profiles.Profile(r.Profile)
		return !known || strings.Contains(userAgent, p.Product+"/"+p.Version)
	})
}

// hostOf reads a host as people write it: a name, with or without port, or a
// whole address.
func hostOf(text, field string) (string, error) {
	text = strings.TrimSpace(text)
	if name, ok := strings.CutSuffix(text, ":443"); ok && !strings.Contains(text, "/") {
		text = name
	} else if name, ok := strings.CutSuffix(text, ":80"); ok && !strings.Contains(text, "/") {
		text = name
	}
	address, declined := schema.SeedFromInput(text)
	if declined != nil {
		r := *declined
		r.Field = field
		return "", &r
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", refuse(schema.RefusalInvalid, codeHostInvalid, field)
	}
	return schema.HostKey(u), nil
}
