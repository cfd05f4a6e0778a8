package api

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/internal/report"
	"visite/schema"
)

// previewPolicy lets a preview do nothing: it is an image.
const previewPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

// Previews is a site's switch for previews.
type Previews struct {
	Enabled   bool       `json:"enabled" doc:"Whether previews are made and kept: drawings of pages in which text is bars and pictures are flat areas. Off unless switched on."`
	ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"When that ends and all previews of the site are deleted, within a year. Needed to switch them on."`
}

func (a *API) showPreviews(s schema.PreviewSwitch) Previews {
	if !s.On(a.now()) {
		return Previews{}
	}
	return Previews{Enabled: true, ExpiresAt: timeOrNil(s.Until)}
}

type previewsInput struct {
	SiteRef
	Body Previews
}

type previewsOutput struct{ Body Previews }

type previewInput struct {
	ScanRef
	Page   int64       `path:"page" doc:"Id of the page."`
	Lang   report.Lang `query:"lang" enum:"en,de,es" doc:"Language of the picture's title; the same choice as Accept-Language."`
	Speaks string      `header:"Accept-Language" hidden:"true"`
}

type previewOutput struct {
	ContentType string `header:"Content-Type"`
	Policy      string `header:"Content-Security-Policy"`
	Language    string `header:"Content-Language"`
	Vary        string `header:"Vary"`
	Body        []byte
}

func (a *API) registerPreviews() {
	register(a, huma.Operation{
		OperationID: "switch-previews", Method: http.MethodPut, Path: "/v1/sites/{id}/previews", Tags: []string{"Sites"},
		Summary: "Switch previews on or off",
		Description: "While they are on, scans of the site ordered as its owner (basis own, engine browser) keep drawings of some pages, so that reports can mark where a finding is. " +
			"They are made of rectangles and colours alone. Switched off, all previews of the site are deleted at once.",
		Security: needsWorkspace, Errors: []int{400, 401, 404, 413, 415, 422}, MaxBodyBytes: maxBody + 1,
	}, a.switchPreviews)
	register(a, huma.Operation{
		OperationID: "get-preview", Method: http.MethodGet, Path: "/v1/scans/{id}/pages/{page}/preview", Tags: []string{"Results"},
		Summary: "The preview of a page", Description: "Text is bars of its size, pictures are flat areas; the places of findings are framed. There is one only where the site's previews are switched on, of at most 50 pages a scan.",
		Security: needsWorkspace, Errors: []int{401, 404, 422},
		Responses: map[string]*huma.Response{"200": {Description: "The picture", Content: map[string]*huma.MediaType{
			"image/svg+xml": {Schema: &huma.Schema{Type: huma.TypeString, Description: "An SVG image of rectangles."}},
		}}},
	}, a.getPreview)
}

func (a *API) switchPreviews(ctx context.Context, in *previewsInput) (*previewsOutput, error) {
	if err := knownShape(in.ID); err != nil {
		return nil, err
	}
	site, err := a.Store.Site(ctx, workspaceID(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	to, err := a.previewSwitch(in.Body)
	if err != nil {
		return nil, err
	}
	if err := a.Store.SwitchPreviews(ctx, site.ID, to); err != nil {
		return nil, err
	}
	return &previewsOutput{Body: a.showPreviews(to)}, nil
}

// previewSwitch refuses previews without an end.
func (a *API) previewSwitch(o Previews) (schema.PreviewSwitch, error) {
	now := a.now()
	switch {
	case !o.Enabled && o.ExpiresAt != nil:
		return schema.PreviewSwitch{}, refuse(schema.RefusalInvalid, codePreviewsOff, "/expires_at")
	case !o.Enabled:
		return schema.PreviewSwitch{}, nil
	case o.ExpiresAt == nil || !o.ExpiresAt.After(now) || o.ExpiresAt.Sub(now) > schema.PreviewsLast:
		return schema.PreviewSwitch{}, refuse(schema.RefusalInvalid, codePreviewsEnd, "/expires_at")
	}
	return schema.PreviewSwitch{Until: o.ExpiresAt.UTC()}, nil
}

func (a *API) getPreview(ctx context.Context, in *previewInput) (*previewOutput, error) {
	scan, err := a.scanOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	preview, err := a.Store.Preview(ctx, scan.ID, in.Page)
	if err != nil {
		return nil, err
	}
	lang := report.Lang(languageFor(string(in.Lang), in.Speaks))
	var picture bytes.Buffer
	if err := report.WritePreview(&picture, preview, lang); err != nil {
		return nil, err
	}
	return &previewOutput{ContentType: "image/svg+xml", Policy: previewPolicy, Language: string(lang), Vary: "Accept-Language", Body: picture.Bytes()}, nil
}
