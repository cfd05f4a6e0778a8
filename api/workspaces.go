package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// WorkspaceOrder asks for a workspace.
type WorkspaceOrder struct {
	Name string `json:"name" minLength:"1" maxLength:"200" pattern:"^[^\\x00-\\x1f\\x7f]*$" patternDescription:"free of control characters" example:"Acme" doc:"For people."`
}

type workspaceInput struct{ Body WorkspaceOrder }

// NewWorkspace is a workspace with the token that opens it, shown this once.
type NewWorkspace struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	Token     string    `json:"token" doc:"Opens the workspace. Kept as a hash only: it cannot be shown again."`
}

type workspaceOutput struct {
	Body NewWorkspace
}

func (a *API) registerWorkspaces() {
	register(a, huma.Operation{
		OperationID: "create-workspace", Method: http.MethodPost, Path: "/v1/workspaces", Tags: []string{"Workspaces"},
		Summary: "Make a workspace", Description: "Needs the deployment's bootstrap secret as bearer token. The answer holds the workspace's own token, once.",
		DefaultStatus: http.StatusCreated, Security: needsBootstrap, Errors: []int{400, 401, 403, 413, 415, 429},
	}, a.createWorkspace)
}

func (a *API) createWorkspace(ctx context.Context, in *workspaceInput) (*workspaceOutput, error) {
	token, hash := newToken()
	w, err := a.Store.CreateWorkspace(ctx, in.Body.Name, hash)
	if err != nil {
		return nil, err
	}
	return &workspaceOutput{Body: showWorkspace(w, token)}, nil
}

func showWorkspace(w schema.Workspace, token string) NewWorkspace {
	return NewWorkspace{ID: w.ID, Name: w.Name, CreatedAt: w.CreatedAt.UTC(), Token: token}
}
