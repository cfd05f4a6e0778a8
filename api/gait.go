package api

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/oklog/ulid/v2"

	"visite/schema"
)

// BriskOrder asks that one running scan goes briskly for a while. What is missing
// is answered, and recorded, by the operation itself.
type BriskOrder struct {
	Reason  string `json:"reason,omitempty" doc:"Needed. Why the site may be visited briskly; 10 to 500 characters. Recorded and shown in the report." example:"The site's operators asked for it before their launch."`
	Minutes int    `json:"minutes,omitempty" doc:"Needed. For how long, 1 to 120. It ends by itself." example:"30"`
	By      string `json:"by,omitempty" doc:"Needed. Who orders it; at most 100 characters." example:"Jane Doe"`
}

// BriskGait is an order that was taken.
type BriskGait struct {
	ID         string    `json:"id"`
	ScanID     string    `json:"scan_id"`
	Reason     string    `json:"reason"`
	By         string    `json:"by"`
	Until      time.Time `json:"until"`
	CrawlDelay bool      `json:"crawl_delay" doc:"robots.txt names a Crawl-delay: the pace stays as it is."`
}

type briskInput struct {
	ScanRef
	Body BriskOrder
}

type briskOutput struct{ Body BriskGait }

func (a *API) registerGait() {
	register(a, huma.Operation{
		OperationID: "go-briskly", Method: http.MethodPost, Path: "/v1/scans/{id}/brisk", Tags: []string{"Scans"},
		Summary: "Let a running scan go briskly for a while",
		Description: "For the operator alone, by hand: reason, minutes and by are all needed. Until its end the scan opens two pages at once with the least pause. " +
			"robots.txt, a Crawl-delay, Retry-After and the site's objections are stronger. Orders are recorded, declined ones too.",
		Security: needsOperator, Errors: []int{400, 401, 403, 404, 409, 413, 415, 422, 429},
	}, a.goBriskly)
}

// goBriskly writes the order down, then has the scan's workflow judge it
// (contract C-47).
func (a *API) goBriskly(ctx context.Context, in *briskInput) (*briskOutput, error) {
	if err := knownShape(in.ID); err != nil {
		return nil, err
	}
	scan, err := a.Store.Scan(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	id, order := ulid.Make().String(), schema.BriskOrder(in.Body)
	if err := a.Store.AskBrisk(ctx, id, scan.ID, order); err != nil {
		return nil, err
	}
	out, err := a.orderBrisk(ctx, scan, id, order)
	var declined *schema.Refusal
	if errors.As(err, &declined) {
		return nil, errors.Join(err, a.Store.RefuseBrisk(ctx, id, declined.Code))
	}
	if err != nil {
		return nil, fmt.Errorf("brisk gait of scan %s: %w", scan.ID, err)
	}
	return &briskOutput{Body: out}, nil
}

func (a *API) orderBrisk(ctx context.Context, scan schema.Scan, id string, order schema.BriskOrder) (BriskGait, error) {
	if err := order.Validate(); err != nil {
		return BriskGait{}, err
	}
	if scan.State.Final() {
		return BriskGait{}, refuse(schema.RefusalConflict, codeScanNotRunning, "")
	}
	grant, err := a.Scans.Brisk(ctx, scan, id, order)
	if err != nil {
		return BriskGait{}, err
	}
	return BriskGait{ID: id, ScanID: scan.ID, Reason: order.Reason, By: order.By, Until: grant.Until.UTC(), CrawlDelay: grant.CrawlDelay}, nil
}

// checkOperator lets the deployment's operator through: whoever holds the
// bootstrap secret. A workspace's token is told apart from a wrong one.
func (a *API) checkOperator(ctx huma.Context) error {
	token, err := bearer(ctx)
	if err != nil {
		return err
	}
	if strings.HasPrefix(token, tokenPrefix) {
		if _, err := a.workspaceOfToken(ctx); err != nil {
			return err
		}
		return refuse(schema.RefusalForbidden, codeOperatorOnly, "Authorization:")
	}
	if a.BootstrapToken == "" {
		return refuse(schema.RefusalForbidden, codeOperatorOff, "")
	}
	if wait := a.badTries.blocked(clientAddress(ctx), a.now()); wait > 0 {
		return tooManyBadTokens(wait)
	}
	if subtle.ConstantTimeCompare(hashToken(token), hashToken(a.BootstrapToken.Reveal())) == 1 {
		return nil
	}
	return a.wrongToken(ctx)
}
