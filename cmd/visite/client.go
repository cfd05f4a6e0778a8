package main

import (
	"bytes"
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

	"visite/schema"
)

// client speaks to the REST API.
type client struct {
	base  string // without trailing slash
	token string
	http  *http.Client
}

// answerLimit bounds what is read of any answer; a report of the most pages
// there may be stays below it.
const answerLimit = 2 << 30

func newClient(base, token string) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if u, err := url.Parse(base); err == nil && isLoopback(u.Hostname()) {
		transport.Proxy = nil // a proxy of the environment does not lead to this machine
	}
	return &client{base: strings.TrimRight(base, "/"), token: token, http: &http.Client{Transport: transport, Timeout: 2 * time.Minute}}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// scanOrder is the body of POST /v1/scans; empty fields take the API's defaults.
type scanOrder struct {
	URL      string        `json:"url"`
	Engine   string        `json:"engine,omitempty"`
	Device   string        `json:"device,omitempty"`
	MaxPages int           `json:"max_pages,omitempty"`
	Profile  string        `json:"profile,omitempty"`
	Contact  string        `json:"contact,omitempty"`
	Basis    *schema.Basis `json:"basis,omitempty"`
}

// scanStatus is the part of a scan resource that is shown while it runs.
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

// problem is an RFC 9457 answer of the API.
type problem struct {
	Status int            `json:"status"`
	Title  string         `json:"title"`
	Detail string         `json:"detail"`
	Remedy string         `json:"remedy"`
	ScanID string         `json:"scan_id"`
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
	default:
		return "--" + strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "_", "-")
	}
}

// order starts a scan; the same key gives the same scan.
func (c *client) order(ctx context.Context, o scanOrder, key string) (scanStatus, error) {
	body, err := json.Marshal(o)
	if err != nil {
		return scanStatus{}, err
	}
	req, err := c.request(ctx, http.MethodPost, "/v1/scans", "application/json", bytes.NewReader(body))
	if err != nil {
		return scanStatus{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	var s scanStatus
	return s, c.do(req, &s)
}

func (c *client) status(ctx context.Context, id string) (scanStatus, error) {
	req, err := c.request(ctx, http.MethodGet, "/v1/scans/"+url.PathEscape(id), "application/json", nil)
	if err != nil {
		return scanStatus{}, err
	}
	var s scanStatus
	return s, c.do(req, &s)
}

func (c *client) cancel(ctx context.Context, id string) error {
	req, err := c.request(ctx, http.MethodPost, "/v1/scans/"+url.PathEscape(id)+"/cancel", "application/json", nil)
	if err != nil {
		return err
	}
	return c.do(req, nil)
}

// report reads a scan's report in a media type, whole.
func (c *client) report(ctx context.Context, id, mediaType string) ([]byte, error) {
	req, err := c.request(ctx, http.MethodGet, "/v1/scans/"+url.PathEscape(id)+"/report", mediaType, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.send(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(io.LimitReader(resp.Body, answerLimit))
}

func (c *client) request(ctx context.Context, method, path, accept string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", accept)
	return req, nil
}

func (c *client) do(req *http.Request, into any) error {
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, answerLimit)).Decode(into); err != nil {
		return fmt.Errorf("the API's answer cannot be read: %w", err)
	}
	return nil
}

// send returns answers below 400 only; others become a problem.
func (c *client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, fmt.Errorf("the API at %s does not answer: %w", c.base, err)
	}
	if resp.StatusCode < 400 {
		return resp, nil
	}
	defer resp.Body.Close()
	p := &problem{Title: resp.Status}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(p); err != nil {
		p = &problem{Title: "the API says " + resp.Status}
	}
	p.Status = resp.StatusCode
	return nil, p
}
