package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"visite/schema"
)

const (
	workspaceInsert = `INSERT INTO workspaces (id, name) VALUES ($1, $2) RETURNING created_at`
	tokenInsert     = `INSERT INTO tokens (id, workspace_id, hash) VALUES ($1, $2, $3)`
	workspaceByHash = `SELECT w.id, w.name, w.created_at FROM tokens t JOIN workspaces w ON w.id = t.workspace_id
WHERE t.hash = $1 AND t.revoked_at IS NULL`
)

// CreateWorkspace makes a workspace with its first token, of which only the
// SHA-256 hash is kept.
func (s *Store) CreateWorkspace(ctx context.Context, name string, tokenHash []byte) (schema.Workspace, error) {
	w := schema.Workspace{ID: ulid.Make().String(), Name: name}
	err := s.inTx(ctx, "create workspace", func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, workspaceInsert, w.ID, text(name)).Scan(&w.CreatedAt); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, tokenInsert, ulid.Make().String(), w.ID, tokenHash)
		return err
	})
	return w, err
}

// WorkspaceByTokenHash finds the workspace of a token that is not revoked, else
// a schema.Refusal of kind not found.
func (s *Store) WorkspaceByTokenHash(ctx context.Context, hash []byte) (schema.Workspace, error) {
	var w schema.Workspace
	err := s.pool.QueryRow(ctx, workspaceByHash, hash).Scan(&w.ID, &w.Name, &w.CreatedAt)
	return w, told("find workspace", notFound("workspace", err))
}
