package schema

import "embed"

// Migrations are the forward steps of the database's shape, applied in the
// order of their numbers.
//
//go:embed migrations/*.sql
var Migrations embed.FS
