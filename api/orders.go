package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// ScanOrder asks for a scan.
type ScanOrder struct {
	URL      string        `json:"url" maxLength:"4000" example:"https://example.com/" doc:"Where to begin; pages on the same host are visited."`
	Engine   schema.Engine `json:"engine,omitempty" enum:"browser,http" default:"browser" doc:"browser renders each page; http judges the source as served."`
	Device   schema.Device `json:"device,omitempty" enum:"desktop,mobile" default:"desktop" doc:"What the browser presents itself as."`
	MaxPages int           `json:"max_pages,omitempty" minimum:"1" maximum:"50000" doc:"Most pages to visit. Left out: the deployment's default, or what is left of the few pages a site gives without proof."`
	Profile  string        `json:"profile,omitempty" maxLength:"100" example:"visite" doc:"Identity and limits to visit with, see /v1/profiles."`
	Contact  string        `json:"contact,omitempty" maxLength:"200" example:"webmaster@example.org" doc:"E-mail address or web page the visited site can turn to; it is told to the site. Needed unless the site listens on this machine or the deployment has its own."`
	Basis    *schema.Basis `json:"basis,omitempty" doc:"Why the site may be scanned. Leaving it out declares the site to be your own."`
}

// idempotencyKey is the header that makes a repeated order the same order.
const idempotencyKey = "Idempotency-Key"

type scanInput struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" pattern:"^[\\x21-\\x7e]+$" patternDescription:"visible ASCII" doc:"Repeating an order with the same key within a day gives the same scan and starts nothing twice."`
	Body           ScanOrder
}

// Resolve refuses a key that is there and empty: whoever sends it believes to be
// safe from ordering twice (huma.Resolver).
func (in *scanInput) Resolve(ctx huma.Context) []error {
	empty := false
	ctx.EachHeader(func(name, value string) {
		empty = empty || strings.EqualFold(name, idempotencyKey) && value == ""
	})
	if !empty {
		return nil
	}
	return []error{&huma.ErrorDetail{Location: "header." + idempotencyKey, Message: emptyHeader}}
}

func (a *API) orderScan(ctx context.Context, in *scanInput) (*scanOutput, error) {
	key := schema.IdempotencyKey{Key: in.IdempotencyKey, Hash: hashOrder(in.Body)}
	if before, err := a.orderedBefore(ctx, key); err != nil || before != nil {
		return before, err
	}
	o, err := a.admit(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	if err := a.unwanted(ctx, o.target.host); err != nil {
		return nil, err
	}
	site, err := a.Store.UpsertSite(ctx, o.scan.WorkspaceID, o.target.origin(), o.target.host, o.target.loopback)
	if err != nil {
		return nil, err
	}
	o.scan.SiteID = site.ID
	recorded, created, err := a.Store.CreateScan(ctx, o.scan, key, o.unverified)
	if err != nil {
		return nil, a.notRecorded(ctx, o.scan, err)
	}
	if !created {
		return a.orderedBefore(ctx, key)
	}
	return a.begin(ctx, recorded)
}

// orderedBefore answers an order whose key was used: with its scan where it was
// the same order, whatever has changed since, else with a refusal.
func (a *API) orderedBefore(ctx context.Context, key schema.IdempotencyKey) (*scanOutput, error) {
	if key.Key == "" {
		return nil, nil
	}
	scan, hash, err := a.Store.ScanByKey(ctx, workspaceID(ctx), key.Key)
	if err != nil || scan.ID == "" {
		return nil, err
	}
	if !bytes.Equal(hash, key.Hash) {
		return nil, keyReused()
	}
	return a.begin(ctx, scan)
}

// notRecorded completes a refusal of the store: with the id of the scan that
// stands in the way, with the header that was at fault.
func (a *API) notRecorded(ctx context.Context, scan schema.Scan, err error) error {
	var declined *schema.Refusal
	if !errors.As(err, &declined) {
		return err
	}
	switch declined.Code {
	case codeIdempotencyKeyReused:
		return keyReused()
	case codeScanRunning:
		for _, state := range []schema.ScanState{schema.ScanRunning, schema.ScanQueued} {
			found, err := a.Store.Scans(ctx, scan.WorkspaceID, schema.ScanFilter{SiteID: scan.SiteID, State: state}, schema.Range{Limit: 1})
			if err != nil {
				return err
			}
			if len(found) == 1 {
				return &refusal{Refusal: declined, scanID: found[0].ID}
			}
		}
	}
	return err
}

func keyReused() error {
	return refuse(schema.RefusalInvalid, codeIdempotencyKeyReused, idempotencyKey+":")
}

// begin makes sure a recorded scan's workflow runs and answers with the scan. A
// scan that Temporal cannot take now stays queued and is started by Repair.
func (a *API) begin(ctx context.Context, scan schema.Scan) (*scanOutput, error) {
	if scan.State == schema.ScanQueued {
		err := a.start(ctx, scan)
		if errors.Is(err, errAway) {
			a.log.WarnContext(ctx, "scan waits for Temporal", "scan", scan.ID, "error", err)
		} else if err != nil {
			return nil, err
		}
	}
	return &scanOutput{Location: scanPath(scan.ID), Body: showScan(scan)}, nil
}

func scanPath(id string) string { return "/v1/scans/" + id }

// hashOrder is what tells one order from another under the same key.
func hashOrder(o ScanOrder) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		panic(fmt.Errorf("order of a scan: %w", err)) // strings and numbers always marshal
	}
	sum := sha256.Sum256(text)
	return sum[:]
}
