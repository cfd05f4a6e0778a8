package api

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// ItemDecision is what was decided about an item of a site.
type ItemDecision struct {
	Item      string           `json:"item" doc:"Id of the item."`
	State     schema.ItemState `json:"state" enum:"open,acknowledged,ignored"`
	Reason    string           `json:"reason,omitempty"`
	Until     *time.Time       `json:"until,omitempty" doc:"End of the acknowledgement."`
	Ended     bool             `json:"ended,omitempty" doc:"The acknowledgement is over: the item counts as open again."`
	DecidedAt *time.Time       `json:"decided_at,omitempty"`
}

func showDecision(d schema.ItemDecision) ItemDecision {
	return ItemDecision{Item: d.Item, State: d.State, Reason: d.Reason, Until: timeOrNil(d.Until), Ended: d.Ended, DecidedAt: timeOrNil(d.DecidedAt)}
}

// ItemOrder decides about an item.
type ItemOrder struct {
	State  schema.ItemState `json:"state" enum:"open,acknowledged,ignored" doc:"acknowledged: known, and to be mended until then; ignored: no fault in your eyes; open: nothing is decided, which takes back what was."`
	Reason string           `json:"reason,omitempty" maxLength:"500" doc:"Why; needed unless the item is opened. It stands in reports."`
	Until  *time.Time       `json:"until,omitempty" doc:"When an acknowledgement ends, within two years: from then on the item is open again. Only with acknowledged, and needed there."`
}

type itemOrderInput struct {
	SiteRef
	Item string `path:"item" doc:"Id of the item, as a scan's items name it."`
	Body ItemOrder
}

type decisionOutput struct{ Body ItemDecision }

type decisionsInput struct {
	SiteRef
	ListInput
}

var fingerprintShape = regexp.MustCompile(`^[0-9a-f]{16}$`)

func (a *API) registerItemStates() {
	register(a, huma.Operation{
		OperationID: "decide-item", Method: http.MethodPut, Path: "/v1/sites/{id}/items/{item}", Tags: []string{"Sites"},
		Summary:     "Acknowledge, ignore or open an item",
		Description: "Holds for all scans of the site: reports tell such items apart, and `visite scan --fail-on` does not count them. Scores do, like all others.",
		Security:    needsWorkspace, Errors: []int{400, 401, 404, 409, 413, 415, 422}, MaxBodyBytes: maxBody + 1,
	}, a.decideItem)
	register(a, huma.Operation{
		OperationID: "list-item-decisions", Method: http.MethodGet, Path: "/v1/sites/{id}/items", Tags: []string{"Sites"},
		Summary: "List what was decided about a site's items", Security: needsWorkspace, Errors: []int{401, 404, 422},
	}, a.listDecisions)
}

func (a *API) decideItem(ctx context.Context, in *itemOrderInput) (*decisionOutput, error) {
	if err := knownShape(in.ID); err != nil {
		return nil, err
	}
	site, err := a.Store.Site(ctx, workspaceID(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	if !fingerprintShape.MatchString(in.Item) {
		return nil, notFound()
	}
	d, err := a.decisionOf(in.Item, in.Body)
	if err != nil {
		return nil, err
	}
	if d, err = a.Store.DecideItem(ctx, site.ID, d); err != nil {
		return nil, err
	}
	return &decisionOutput{Body: showDecision(d)}, nil
}

// decisionOf refuses a decision without its reason, and an acknowledgement
// without an end: what is put off for good is ignored.
func (a *API) decisionOf(item string, o ItemOrder) (schema.ItemDecision, error) {
	d := schema.ItemDecision{Item: item, State: o.State}
	if o.State == schema.ItemOpen {
		return d, nil
	}
	if d.Reason = strings.TrimSpace(o.Reason); d.Reason == "" {
		return d, refuse(schema.RefusalInvalid, codeItemReason, "/reason")
	}
	now := a.now()
	switch {
	case o.State == schema.ItemAcknowledged && (o.Until == nil || !o.Until.After(now) || o.Until.Sub(now) > schema.ItemUntilMax):
		return d, refuse(schema.RefusalInvalid, codeItemUntil, "/until")
	case o.State == schema.ItemIgnored && o.Until != nil:
		return d, refuse(schema.RefusalInvalid, codeItemForGood, "/until")
	case o.Until != nil:
		d.Until = o.Until.UTC()
	}
	return d, nil
}

func (a *API) listDecisions(ctx context.Context, in *decisionsInput) (*listOutput[ItemDecision], error) {
	r, err := in.rangeOf(idKeys)
	if err != nil {
		return nil, err
	}
	if err := knownShape(in.ID); err != nil {
		return nil, err
	}
	site, err := a.Store.Site(ctx, workspaceID(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	list, err := a.Store.ItemDecisions(ctx, site.ID, r)
	if err != nil {
		return nil, err
	}
	return listOf(in.ListInput, "/v1/sites/"+site.ID+"/items", nil, list, func(d schema.ItemDecision) string { return d.Item }, showDecision), nil
}
