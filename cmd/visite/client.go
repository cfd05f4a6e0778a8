package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "visite/api/client"
	"visite/schema"
)

// client speaks to the REST API; errors of the API come back as *problem.
type client struct {
	base string
	api  *api.Client
}

const (
	// answerWithin bounds one answer; a report of the most pages takes longest.
	answerWithin = 5 * time.Minute
	// answerLimit bounds what is read of a report, in bytes.
	answerLimit = 2 << 30
	// decodedLimit bounds any other answer, in bytes: a thousand verdicts on long addresses.
	decodedLimit = 16 << 20
)

func newClient(base, token string) (*client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if u, err := url.Parse(base); err == nil && isLoopback(u.Hostname()) {
		transport.Proxy = nil // a proxy of the environment does not lead to this machine
	}
	c, err := api.NewClient(base,
		api.WithHTTPClient(&http.Client{Transport: transport, Timeout: answerWithin}),
		api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	return &client{base: base, api: c}, err
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// scanOrder is what a scan is ordered with; empty fields take the API's defaults.
type scanOrder struct {
	url, engine, device, profile, contact string
	maxPages                              int64
	previews                              int // days from now; 0 leaves the site's switch as it is
	basis                                 schema.Basis
}

// scanStatus is the part of a scan that is shown while it runs.
type scanStatus struct {
	ID           string           `json:"id"`
	State        schema.ScanState `json:"state"`
	StateReason  string           `json:"state_reason"`
	Phase        schema.Phase     `json:"phase"`
	MaxPages     int              `json:"max_pages"`
	WaitingFor   string           `json:"waiting_for"`
	WaitingUntil *time.Time       `json:"waiting_until"`
	Progress     schema.Progress  `json:"progress"`
}

// order starts a scan; the same key gives the same scan.
func (c *client) order(ctx context.Context, o scanOrder, key string) (scanStatus, error) {
	body := api.ScanOrder{
		URL: o.url, Engine: optional(api.ScanOrderEngine(o.engine)), Device: optional(api.ScanOrderDevice(o.device)),
		MaxPages: optional(o.maxPages), Profile: optional(o.profile), Contact: optional(o.contact),
	}
	if o.basis.Kind != "" {
		body.Basis = &api.Basis{Kind: api.BasisKind(o.basis.Kind), Party: optional(o.basis.Party)}
	}
	return decoded[scanStatus](c.answer(c.api.OrderScan(ctx, &api.OrderScanParams{IdempotencyKey: &key}, body)))
}

// keepPreviews switches previews on for the site of an address.
func (c *client) keepPreviews(ctx context.Context, address string, until time.Time) error {
	site, err := decoded[struct {
		ID string `json:"id"`
	}](c.answer(c.api.AddSite(ctx, api.SiteOrder{URL: address})))
	if err != nil {
		return err
	}
	body, err := c.answer(c.api.SwitchPreviews(ctx, site.ID, api.Previews{Enabled: true, ExpiresAt: &until}))
	if err == nil {
		body.Close()
	}
	return err
}

func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func (c *client) status(ctx context.Context, id string) (scanStatus, error) {
	return decoded[scanStatus](c.answer(c.api.GetScan(ctx, id)))
}

func (c *client) cancel(ctx context.Context, id string) error {
	body, err := c.answer(c.api.CancelScan(ctx, id))
	if err == nil {
		body.Close()
	}
	return err
}

// report reads a scan's report in a media type and a language ("": English), whole.
func (c *client) report(ctx context.Context, id, mediaType, lang string) ([]byte, error) {
	body, err := c.answer(c.api.GetReport(ctx, id, &api.GetReportParams{Lang: optional(api.GetReportParamsLang(lang))}, func(_ context.Context, r *http.Request) error {
		r.Header.Set("Accept", mediaType)
		return nil
	}))
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(io.LimitReader(body, answerLimit))
}

// answer is the body of an answer below 400; any other becomes a *problem.
func (c *client) answer(resp *http.Response, err error) (io.ReadCloser, error) {
	var u *url.Error
	switch {
	case errors.As(err, &u):
		return nil, fmt.Errorf("the API at %s does not answer: %w", c.base, u.Err)
	case err != nil:
		return nil, err
	case resp.StatusCode < 400:
		return resp.Body, nil
	}
	defer resp.Body.Close()
	p := &problem{}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(p); err != nil {
		p = &problem{Title: "the API says " + resp.Status}
	}
	p.Status = resp.StatusCode
	return nil, p
}

func decoded[T any](body io.ReadCloser, err error) (T, error) {
	var v T
	if err != nil {
		return v, err
	}
	defer body.Close()
	if err := json.NewDecoder(io.LimitReader(body, decodedLimit)).Decode(&v); err != nil {
		return v, fmt.Errorf("the API's answer cannot be read: %w", err)
	}
	return v, nil
}

// problem is an RFC 9457 answer of the API.
type problem struct {
	Status int            `json:"status"`
	Title  string         `json:"title"`
	Detail string         `json:"detail"`
	Remedy string         `json:"remedy"`
	ScanID string         `json:"scan_id"` // the scan that stands in the way
	Errors []problemField `json:"errors"`
}

type problemField struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
	Remedy  string `json:"remedy"`
}

// Error names the flags at fault where the API names fields.
func (p *problem) Error() string {
	var lines []string
	for _, e := range p.Errors {
		line := strings.TrimSpace(e.Detail + " " + e.Remedy)
		if flag := flagOf(e.Pointer); flag != "" {
			line = flag + ": " + line
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = append(lines, strings.TrimSpace(cmp.Or(p.Detail, p.Title)+" "+p.Remedy))
	}
	return strings.Join(lines, "\nvisite: ")
}

// refused reports whether the request itself is at fault, so that repeating it
// changes nothing.
func (p *problem) refused() bool {
	return p.Status >= 400 && p.Status < 500 && p.Status != http.StatusRequestTimeout
}

// flagOf is the flag that fills a field of the order, by its JSON pointer.
func flagOf(pointer string) string {
	switch pointer {
	case "":
		return ""
	case "/url":
		return "URL"
	case "/basis/kind", "/basis":
		return "--basis"
	case "/basis/party":
		return "--party"
	case "/expires_at":
		return "--previews"
	default:
		return "--" + strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "_", "-")
	}
}
