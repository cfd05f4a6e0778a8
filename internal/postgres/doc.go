// Package postgres keeps everything Visite records: workspaces, sites, scans,
// the frontier of addresses, pages, findings and links. SQL stands beside the
// table it concerns, as constants with parameters.
package postgres
