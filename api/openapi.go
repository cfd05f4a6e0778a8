package api

import (
	"github.com/danielgtaylor/huma/v2"
)

//go:generate go run ./generate

func init() {
	huma.DefaultArrayNullable = false // a list without items is [], or left out
	// huma makes its own errors through this hook only, and asks it for the
	// error's schema when operations are registered.
	huma.NewError = humaProblem
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		err := humaProblem(status, message, errs...)
		if p, ok := err.(*Problem); ok && ctx != nil {
			p.RequestID = requestID(ctx.Context())
		}
		return err
	}
}

// humaConfig describes the API as a whole. huma's own documentation page is left
// out: it loads its parts from elsewhere.
func humaConfig() huma.Config {
	c := huma.DefaultConfig("Visite", Version)
	c.DocsPath, c.SchemasPath = "", ""
	c.CreateHooks = nil // no $schema fields: an answer holds what it is about
	c.Info.Description = "Courteous, durable checks of websites. Orders are judged before anything moves; a scan then runs to its end whatever fails in between.\n\n" +
		"Every failure is answered as application/problem+json (RFC 9457). Lists go on where the Link header (RFC 8288) or next points."
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		schemeWorkspace: {Type: "http", Scheme: "bearer", Description: "Token of a workspace, shown once when it was made."},
		schemeBootstrap: {Type: "http", Scheme: "bearer", Description: "The deployment's bootstrap secret."},
		schemeOperator:  {Type: "http", Scheme: "bearer", Description: "The deployment's bootstrap secret: whoever holds it is the operator. A workspace's token opens nothing here."},
		schemeHost:      {Type: "http", Scheme: "bearer", Description: "Token of whoever proved to run a host; lasts an hour."},
	}
	c.Tags = []*huma.Tag{
		{Name: "Workspaces", Description: "A customer's own room; nothing in it is seen from another."},
		{Name: "Sites", Description: "What is scanned."},
		{Name: "Scans", Description: "Ordering, following and cancelling."},
		{Name: "Results", Description: "What was found."},
		{Name: "Profiles", Description: "Identities and limits of visits."},
		{Name: "Robots", Description: "What robots.txt says."},
		{Name: tagVisited, Description: "For those whose websites are visited: open to all, so often a minute for each address."},
		{Name: tagFree, Description: "One page for anybody, without an account; where a profile offers it."},
		{Name: "Health", Description: "For load balancers and operators."},
	}
	return c
}

// SpecYAML is the OpenAPI 3.1 description of the API.
func SpecYAML() ([]byte, error) { return New(Options{}).huma.OpenAPI().YAML() }

// Spec30JSON is the same description in OpenAPI 3.0.3, for generators that do
// not read 3.1 yet.
func Spec30JSON() ([]byte, error) { return New(Options{}).huma.OpenAPI().Downgrade() }
