package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

const maxPagesLimit = schema.MaxPagesLimit

// Scan is a scan as the API shows it.
type Scan struct {
	ID             string           `json:"id"`
	SiteID         string           `json:"site_id"`
	URL            string           `json:"url" doc:"Where the scan began."`
	Host           string           `json:"host" doc:"Host whose pages are visited."`
	Engine         schema.Engine    `json:"engine" enum:"browser,http"`
	Device         schema.Device    `json:"device" enum:"desktop,mobile"`
	Profile        string           `json:"profile"`
	MaxPages       int              `json:"max_pages"`
	Basis          schema.Basis     `json:"basis"`
	Contact        string           `json:"contact,omitempty"`
	State          schema.ScanState `json:"state" enum:"queued,running,finished,stopped,refused,cancelled,failed" doc:"All but queued and running are final."`
	StateReason    string           `json:"state_reason,omitempty" doc:"Why it ended so."`
	Cancelling     bool             `json:"cancelling,omitempty" doc:"In the answer to a cancellation: it is asked for, and the scan ends in a moment. Left out elsewhere."`
	Phase          schema.Phase     `json:"phase" enum:"queued,robots,sitemap,pages,verdicts,done"`
	WaitingFor     string           `json:"waiting_for,omitempty" doc:"What a running scan waits for."`
	WaitingUntil   *time.Time       `json:"waiting_until,omitempty"`
	CreatedAt      time.Time        `json:"created_at"`
	StartedAt      *time.Time       `json:"started_at,omitempty"`
	FinishedAt     *time.Time       `json:"finished_at,omitempty"`
	BrowserVersion string           `json:"browser_version,omitempty"`
	Progress       *schema.Progress `json:"progress,omitempty" doc:"Left out in lists."`
}

func showScan(s schema.Scan) Scan {
	return Scan{
		ID: s.ID, SiteID: s.SiteID, URL: s.URL, Host: s.ScopeHost, Engine: s.Engine, Device: s.Device, Profile: s.Profile.Name,
		MaxPages: s.MaxPages, Basis: s.Basis, Contact: s.Contact, State: s.State, StateReason: s.StateReason, Phase: s.Phase,
		WaitingFor: s.WaitingFor, WaitingUntil: timeOrNil(s.WaitingUntil), CreatedAt: s.CreatedAt.UTC(),
		StartedAt: timeOrNil(s.StartedAt), FinishedAt: timeOrNil(s.FinishedAt), BrowserVersion: s.BrowserVersion,
	}
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// ScanRef names a scan in a path.
type ScanRef struct {
	ID string `path:"id" doc:"Id of the scan."`
}

type scanOutput struct {
	Location string `header:"Location" doc:"Address of the scan."`
	Body     Scan
}

type scansInput struct {
	ListInput
	Site  string           `query:"site" maxLength:"64" doc:"Only scans of this site."`
	State schema.ScanState `query:"state" enum:"queued,running,finished,stopped,refused,cancelled,failed" doc:"Only scans in this state."`
}

func (a *API) registerScans() {
	tags := []string{"Scans"}
	register(a, huma.Operation{
		OperationID: "order-scan", Method: http.MethodPost, Path: "/v1/scans", Tags: tags,
		Summary:       "Order a scan",
		Description:   "The order is judged before anything moves: one that is declined starts nothing and sends the site nothing. Location leads to the scan.",
		DefaultStatus: http.StatusAccepted, Security: needsWorkspace, Errors: []int{400, 401, 403, 409, 413, 415, 422, 429},
	}, a.orderScan)
	register(a, huma.Operation{
		OperationID: "list-scans", Method: http.MethodGet, Path: "/v1/scans", Tags: tags,
		Summary: "List scans, newest first", Security: needsWorkspace, Errors: []int{401, 422},
	}, a.listScans)
	register(a, huma.Operation{
		OperationID: "get-scan", Method: http.MethodGet, Path: "/v1/scans/{id}", Tags: tags,
		Summary: "Show a scan and its progress", Security: needsWorkspace, Errors: []int{401, 404},
	}, a.getScan)
	register(a, huma.Operation{
		OperationID: "cancel-scan", Method: http.MethodPost, Path: "/v1/scans/{id}/cancel", Tags: tags,
		Summary:       "Cancel a scan",
		Description:   "Requests to the site stop within seconds and a partial report stays. Cancelling again is the same.",
		DefaultStatus: http.StatusAccepted, Security: needsWorkspace, Errors: []int{401, 404, 409},
	}, a.cancelScan)
}

func (a *API) listScans(ctx context.Context, in *scansInput) (*listOutput[Scan], error) {
	r, err := in.rangeOf(idKeys)
	if err != nil {
		return nil, err
	}
	if in.Site != "" {
		if err := knownShape(in.Site); err != nil {
			return nil, err
		}
	}
	scans, err := a.Store.Scans(ctx, workspaceID(ctx), schema.ScanFilter{SiteID: in.Site, State: in.State}, r)
	if err != nil {
		return nil, err
	}
	filter := map[string]string{"site": in.Site, "state": string(in.State)}
	return listOf(in.ListInput, "/v1/scans", filter, scans, func(s schema.Scan) string { return s.ID }, showScan), nil
}

// scanOf reads one of the caller's scans.
func (a *API) scanOf(ctx context.Context, id string) (schema.Scan, error) {
	if err := knownShape(id); err != nil {
		return schema.Scan{}, err
	}
	return a.Store.ScanOf(ctx, workspaceID(ctx), id)
}

func (a *API) getScan(ctx context.Context, in *ScanRef) (*scanOutput, error) {
	scan, err := a.scanOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	progress, err := a.Store.Progress(ctx, scan.ID)
	if err != nil {
		return nil, err
	}
	shown := showScan(scan)
	shown.Progress = &progress
	return &scanOutput{Body: shown}, nil
}

// cancelScan asks the workflow to end. Where none was started yet the scan is
// closed here; should the start still come, the workflow finds it closed.
func (a *API) cancelScan(ctx context.Context, in *ScanRef) (*scanOutput, error) {
	scan, err := a.scanOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if scan.State.Final() {
		if scan.State == schema.ScanCancelled {
			return &scanOutput{Location: scanPath(scan.ID), Body: showScan(scan)}, nil
		}
		r := refuse(schema.RefusalConflict, codeScanFinal, "")
		r.Detail = fmt.Sprintf("The scan is %s.", scan.State)
		return nil, &refusal{Refusal: r, scanID: scan.ID}
	}
	found, err := a.Scans.Cancel(ctx, scan)
	if err != nil {
		return nil, fmt.Errorf("cancel scan %s: %w", scan.ID, err)
	}
	if !found {
		if err := a.Store.Finish(ctx, scan.ID, schema.ScanCancelled, "cancelled"); err != nil {
			return nil, err
		}
		if scan, err = a.scanOf(ctx, in.ID); err != nil {
			return nil, err
		}
	}
	shown := showScan(scan)
	shown.Cancelling = !scan.State.Final()
	return &scanOutput{Location: scanPath(scan.ID), Body: shown}, nil
}
