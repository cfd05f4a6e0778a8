// Package api is the customer's edge: HTTP resources over what is recorded, and
// the orders that start or cancel a scan. It judges a request before anything
// else moves; a refused one starts no workflow and sends no request.
package api

import (
	"context"
	"io"
	"net/url"
	"time"

	"visite/internal/report"
	"visite/schema"
	"visite/workflows"
)

// Store is what the edge needs recorded and read (internal/postgres). Reads
// name the workspace: what belongs to another does not exist and comes back as
// a schema.Refusal of kind not found.
type Store interface {
	// Ping reports whether the database answers.
	Ping(ctx context.Context) error

	CreateWorkspace(ctx context.Context, name string, tokenHash []byte) (schema.Workspace, error)
	// WorkspaceByTokenHash finds the workspace of a token that is not revoked; a
	// Refusal of kind not found where there is none.
	WorkspaceByTokenHash(ctx context.Context, hash []byte) (schema.Workspace, error)

	// UpsertSite finds or makes the workspace's site of this origin.
	UpsertSite(ctx context.Context, workspaceID, url, host string, loopback bool) (schema.Site, error)
	Site(ctx context.Context, workspaceID, siteID string) (schema.Site, error)
	Sites(ctx context.Context, workspaceID string, r schema.Range) ([]schema.Site, error)
	// SwitchPreviews records until when previews of a site are made and kept.
	SwitchPreviews(ctx context.Context, siteID string, to schema.PreviewSwitch) error
	// Preview reads that of a page of a scan; a Refusal of kind not found else.
	Preview(ctx context.Context, scanID string, pageID int64) (schema.ListedPreview, error)
	// ForgetPreviews deletes those whose time is over.
	ForgetPreviews(ctx context.Context) (int, error)
	// DecideItem records what was decided about an item of a site.
	DecideItem(ctx context.Context, siteID string, d schema.ItemDecision) (schema.ItemDecision, error)
	// ItemDecisions lists what was decided, by fingerprint, ended acknowledgements too.
	ItemDecisions(ctx context.Context, siteID string, r schema.Range) ([]schema.ItemDecision, error)

	// ScanByKey finds the scan ordered under a key and the hash of that order; an
	// empty scan id where the key is new.
	ScanByKey(ctx context.Context, workspaceID, key string) (schema.Scan, []byte, error)
	// CreateScan records an ordered scan as queued. In one transaction it makes sure
	// that the key is new (else it returns the scan recorded under it, created
	// false), that no scan of the workspace's site is queued or running (else a
	// Refusal of kind conflict, Code "scan-running", whose Detail names the scan's
	// id), and, where unverifiedLimit > 0, that the host's pages of today over all
	// workspaces stay within it (else a Refusal of kind busy, Code
	// "few-pages-used-up").
	CreateScan(ctx context.Context, scan schema.Scan, key schema.IdempotencyKey, unverifiedLimit int) (recorded schema.Scan, created bool, err error)
	// ScanOf reads one of the workspace's scans.
	ScanOf(ctx context.Context, workspaceID, scanID string) (schema.Scan, error)
	// Scan reads a scan of whatever workspace, for the operator.
	Scan(ctx context.Context, scanID string) (schema.Scan, error)
	// AskBrisk writes an order of a brisk gait down before it is judged.
	AskBrisk(ctx context.Context, id, scanID string, o schema.BriskOrder) error
	// RefuseBrisk notes why an order was declined.
	RefuseBrisk(ctx context.Context, id, code string) error
	Scans(ctx context.Context, workspaceID string, f schema.ScanFilter, r schema.Range) ([]schema.Scan, error)
	// QueuedScans lists scans of all workspaces that were ordered before a time and
	// not started yet, oldest first.
	QueuedScans(ctx context.Context, before time.Time, limit int) ([]schema.Scan, error)
	// RunningScans lists scans of all workspaces that began before a time and have
	// not ended, oldest first, those after an id.
	RunningScans(ctx context.Context, before time.Time, after string, limit int) ([]schema.Scan, error)
	// UnverifiedPagesToday counts pages of scans without proof ordered since
	// midnight UTC for a host, over all workspaces: loaded or still claimed.
	UnverifiedPagesToday(ctx context.Context, host string) (int, error)
	// Finish closes a scan; one already closed keeps its state.
	Finish(ctx context.Context, scanID string, state schema.ScanState, reason string) error

	FreeAnalyses

	Progress(ctx context.Context, scanID string) (schema.Progress, error)
	Pages(ctx context.Context, scanID string, f schema.PageFilter, r schema.Range) ([]schema.Page, error)
	Findings(ctx context.Context, scanID string, f schema.FindingFilter, r schema.Range) ([]schema.ListedFinding, error)
	Links(ctx context.Context, scanID string, f schema.LinkFilter, r schema.Range) ([]schema.ListedLink, error)
}

// FreeAnalyses are what the edge records and reads of analyses without an account.
type FreeAnalyses interface {
	// FreeAnalysis reads one that has not expired; a Refusal of kind not found else.
	FreeAnalysis(ctx context.Context, id string) (schema.FreeAnalysis, error)
	// FreeByAddress finds the one that answers for an address.
	FreeByAddress(ctx context.Context, address string) (f schema.FreeAnalysis, found bool, err error)
	// CreateFree records one as queued within the day's budgets, in one transaction;
	// created is false where one answers for the address already.
	CreateFree(ctx context.Context, o schema.FreeOrder) (f schema.FreeAnalysis, created bool, err error)
	// FreeOverdue lists scans of those that expired before their end.
	FreeOverdue(ctx context.Context, limit int) ([]schema.Scan, error)
	// ForgetFree deletes what is recorded of those that expired.
	ForgetFree(ctx context.Context, limit int) (int, error)
}

// Scans starts and cancels the durable work behind a scan.
type Scans interface {
	// Start makes sure the scan's workflow runs; calling it again is harmless.
	Start(ctx context.Context, in workflows.ScanInput, scan schema.Scan) error
	// Cancel asks the workflow to end early. found is false where no workflow is open.
	Cancel(ctx context.Context, scan schema.Scan) (found bool, err error)
	// Open tells whether the scan's workflow is there and has not ended.
	Open(ctx context.Context, scan schema.Scan) (bool, error)
	// Brisk hands an operator's order to the running scan, which takes it or declines
	// it with a schema.Refusal. The same id is the same order.
	Brisk(ctx context.Context, scan schema.Scan, id string, o schema.BriskOrder) (workflows.BriskGrant, error)
	// Ping reports whether Temporal answers.
	Ping(ctx context.Context) error
}

// Resolver judges where a URL leads by its resolved addresses, without
// connecting. loopback is true where all of them are this machine's own.
type Resolver interface {
	Check(ctx context.Context, u *url.URL) (loopback bool, refusal *schema.Refusal)
}

// Reports renders what is recorded of a scan (internal/report).
type Reports interface {
	// Render writes the report; report.ErrNoPDF where a PDF is wanted and there is
	// nothing to print it with.
	Render(ctx context.Context, w io.Writer, scan schema.Scan, want report.Request) error
	// Items folds a scan's findings and compares them with those of an earlier scan,
	// where there is one before.
	Items(ctx context.Context, scan schema.Scan, before *schema.Scan, lang report.Lang) ([]report.ComparedItem, error)
}

// Profiles are the identities a scan may be ordered under (internal/config).
type Profiles interface {
	// Profile returns the profile of that name.
	Profile(name string) (schema.Profile, bool)
	// All lists the profiles by name.
	All() []schema.Profile
}
