package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/internal/config"
	"visite/schema"
)

// hostTokenLasts is how long a proof opens what is kept about a host.
const hostTokenLasts = time.Hour

// ProofOrder begins a proof where it is empty, and finishes it with the secret
// that the beginning gave.
type ProofOrder struct {
	Secret string                `json:"secret,omitempty" maxLength:"100" doc:"From the first answer. Left out: a new one is made."`
	Method schema.ObjectionProof `json:"method,omitempty" enum:"dns,file" doc:"Where the word was published."`
	Scheme string                `json:"scheme,omitempty" enum:"https,http" default:"https" doc:"Of the host with the file."`
}

// ProofStep is where a proof stands.
type ProofStep struct {
	Host     string `json:"host"`
	Proved   bool   `json:"proved"`
	Secret   string `json:"secret" doc:"Keep it to yourself; it finishes the proof."`
	Word     string `json:"word" doc:"Publish this: as the record's text, or as a line of the file."`
	DNSName  string `json:"dns_name,omitempty" example:"_visite-visited.example.com" doc:"Name of the TXT record."`
	FilePath string `json:"file_path" example:"/.well-known/visite-visited.txt" doc:"Path of the file. It is read like any page: robots.txt is obeyed, the pace kept, no redirect followed."`
	Next     string `json:"next" doc:"What to do now."`

	Token     string     `json:"token,omitempty" doc:"Opens the requests to this host and makes objections for it lasting. Shown this once."`
	ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"When the token lapses."`
}

type proofInput struct {
	HostRef
	Body ProofOrder
}

type proofOutput struct{ Body ProofStep }

func (a *API) registerProofs() {
	register(a, huma.Operation{
		OperationID: "prove-host", Method: http.MethodPost, Path: "/v1/hosts/{host}:prove", Tags: []string{tagVisited}, Metadata: rateOf(rateProve),
		Summary: "Prove that you run a host", Description: "First with an empty object: the answer says what to publish and where. Then with secret and method: where the word is found, the answer holds a token for this host. " +
			"A DNS record works also for those who block us; the file is read only where robots.txt allows it.",
		DefaultStatus: http.StatusOK, Errors: []int{400, 413, 415, 422, 429},
	}, a.proveHost)
}

func (a *API) proveHost(ctx context.Context, in *proofInput) (*proofOutput, error) {
	host, err := hostOf(pathText(in.Host), "?host")
	if err != nil {
		return nil, err
	}
	o := in.Body
	if o.Secret != "" && !goodHostSecret.MatchString(o.Secret) {
		return nil, refuse(schema.RefusalInvalid, codeSecretInvalid, "/secret")
	}
	c := a.HostProofs.Challenge(host, o.Secret)
	step := ProofStep{Host: host, Secret: c.Secret, Word: c.Word, DNSName: c.DNSName, FilePath: c.FilePath}
	if o.Secret == "" {
		step.Next = "Publish word as a TXT record at dns_name, or as a line of the file at file_path. Then send the same request with secret, and method dns or file."
		return &proofOutput{step}, nil
	}
	result, err := a.lookForWord(ctx, host, c, o)
	if err != nil {
		return nil, err
	}
	if step.Next = whyNotProved(result, o.Method, c); step.Next != "" {
		return &proofOutput{step}, nil
	}
	token, hash := newHostToken()
	until, err := a.Visited.SaveHostProof(ctx, hash, host, o.Method, hostTokenLasts)
	if err != nil {
		return nil, err
	}
	until = until.UTC()
	step.Proved, step.Token, step.ExpiresAt = true, token, &until
	step.Next = "Send token as Authorization: Bearer to " + hostPath(host) + "/requests or " + objectionsPath + "."
	return &proofOutput{step}, nil
}

func (a *API) lookForWord(ctx context.Context, host string, c schema.HostChallenge, o ProofOrder) (schema.HostProofResult, error) {
	switch o.Method {
	case schema.ProvenByDNS:
		if c.DNSName == "" {
			return schema.HostProofResult{}, refuse(schema.RefusalInvalid, codeNoDNSName, "/method")
		}
		return a.HostProofs.CheckDNS(ctx, c)
	case schema.ProvenByFile:
		return a.lookInFile(ctx, host, c, o.Scheme)
	}
	return schema.HostProofResult{}, refuse(schema.RefusalInvalid, codeMethodMissing, "/method")
}

func (a *API) lookInFile(ctx context.Context, host string, c schema.HostChallenge, scheme string) (schema.HostProofResult, error) {
	origin, err := url.Parse(firstOf(scheme, "https") + "://" + host)
	if err != nil {
		return schema.HostProofResult{}, refuse(schema.RefusalInvalid, codeHostInvalid, "?host")
	}
	t := target{url: origin, host: host}
	if err := a.resolve(ctx, &t); err != nil {
		return schema.HostProofResult{}, atParameter(err, "?host")
	}
	profile, _ := a.Profiles.Profile(config.DefaultProfile)
	return a.HostProofs.CheckFile(ctx, c, origin.String(), a.identity(profile, a.Contact))
}

// whyNotProved says what stands in the way; empty where nothing does.
func whyNotProved(r schema.HostProofResult, method schema.ObjectionProof, c schema.HostChallenge) string {
	switch {
	case r.Proved:
		return ""
	case method == schema.ProvenByDNS && r.NoRecord:
		return "There is no TXT record at " + c.DNSName + " yet. New records may take some minutes to be seen; then ask again."
	case method == schema.ProvenByDNS:
		return "The TXT records at " + c.DNSName + " do not hold the word."
	case r.Admission.Kind == schema.AdmissionWait:
		return "The host is resting or taken just now. Ask again a little later."
	case r.Admission.Kind == schema.AdmissionDenied && r.Admission.Reason == schema.ReasonRobots:
		return "The host's robots.txt does not let us read the file. Allow " + c.FilePath + ", or use a DNS record."
	case r.Admission.Kind == schema.AdmissionDenied:
		return "The file could not be asked for: " + r.Admission.Words + "."
	case r.Status != http.StatusOK:
		return fmt.Sprintf("The file's address answers with status %d.", r.Status)
	}
	return "The file does not hold the word on a line of its own."
}

// hostTokenPrefix lets people and secret scanners recognise tokens of hosts.
const hostTokenPrefix = "vht_"

func newHostToken() (token string, hash []byte) { return newSecret(hostTokenPrefix) }

// goodHostSecret is the form of the secrets of internal/siteproof.
var goodHostSecret = regexp.MustCompile(`^vsh_[A-Za-z0-9_-]{43}$`)

// hostPath is a host's path; a colon is escaped, as one begins an action.
func hostPath(host string) string {
	return "/v1/hosts/" + strings.ReplaceAll(url.PathEscape(host), ":", "%3A")
}

// pathText undoes the escaping of a path's part, where there is any.
func pathText(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
