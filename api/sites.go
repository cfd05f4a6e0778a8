package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// Site is a site as the API shows it.
type Site struct {
	ID        string    `json:"id"`
	URL       string    `json:"url" example:"https://example.com/" doc:"Scheme, host and port, with trailing slash."`
	Host      string    `json:"host" example:"example.com"`
	Loopback  bool      `json:"loopback" doc:"Listens on this machine, and so counts as the customer's own."`
	CreatedAt time.Time `json:"created_at"`
	Previews  Previews  `json:"previews"`
}

func (a *API) showSite(s schema.Site) Site {
	return Site{ID: s.ID, URL: s.URL, Host: s.Host, Loopback: s.Loopback, CreatedAt: s.CreatedAt.UTC(), Previews: a.showPreviews(s.Previews)}
}

// SiteOrder asks for a site to be added.
type SiteOrder struct {
	URL string `json:"url" maxLength:"4000" example:"https://example.com/" doc:"An address on the site; its scheme, host and port make the site."`
}

type siteInput struct{ Body SiteOrder }

// SiteRef names a site in a path.
type SiteRef struct {
	ID string `path:"id" doc:"Id of the site."`
}

type siteOutput struct {
	Location string `header:"Location" doc:"Address of the site."`
	Body     Site
}

func (a *API) registerSites() {
	tags := []string{"Sites"}
	register(a, huma.Operation{
		OperationID: "add-site", Method: http.MethodPost, Path: "/v1/sites", Tags: tags,
		Summary: "Add a site", Description: "Adding a site that is there already answers with it. Nothing is sent to the site.",
		DefaultStatus: http.StatusCreated, Security: needsWorkspace, Errors: []int{400, 401, 413, 415, 422},
	}, a.addSite)
	register(a, huma.Operation{
		OperationID: "list-sites", Method: http.MethodGet, Path: "/v1/sites", Tags: tags,
		Summary: "List sites, newest first", Security: needsWorkspace, Errors: []int{401, 422},
	}, a.listSites)
	register(a, huma.Operation{
		OperationID: "get-site", Method: http.MethodGet, Path: "/v1/sites/{id}", Tags: tags,
		Summary: "Show a site", Security: needsWorkspace, Errors: []int{401, 404},
	}, a.getSite)
}

func (a *API) addSite(ctx context.Context, in *siteInput) (*siteOutput, error) {
	t, err := a.targetOf(in.Body.URL)
	if err != nil {
		return nil, err
	}
	if err := a.resolve(ctx, &t); err != nil {
		return nil, err
	}
	site, err := a.Store.UpsertSite(ctx, workspaceID(ctx), t.origin(), t.host, t.loopback)
	if err != nil {
		return nil, err
	}
	return &siteOutput{Location: "/v1/sites/" + site.ID, Body: a.showSite(site)}, nil
}

func (a *API) listSites(ctx context.Context, in *ListInput) (*listOutput[Site], error) {
	r, err := in.rangeOf(idKeys)
	if err != nil {
		return nil, err
	}
	sites, err := a.Store.Sites(ctx, workspaceID(ctx), r)
	if err != nil {
		return nil, err
	}
	return listOf(*in, "/v1/sites", nil, sites, func(s schema.Site) string { return s.ID }, a.showSite), nil
}

func (a *API) getSite(ctx context.Context, in *SiteRef) (*siteOutput, error) {
	if err := knownShape(in.ID); err != nil {
		return nil, err
	}
	site, err := a.Store.Site(ctx, workspaceID(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &siteOutput{Body: a.showSite(site)}, nil
}
