// Package client calls Visite's API from Go. client.gen.go is generated from the
// API's description; ask for it with go generate ./api.
package client
