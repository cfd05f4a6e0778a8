// Package profiles carries the identities Visite ships with: data, not code.
// A deployment adds its own as YAML files in a folder.
package profiles

import "embed"

// FS holds one YAML file a profile.
//
//go:embed *.yaml
var FS embed.FS
