// Package fetch carries out a GET as browsers do, over any http.RoundTripper:
// redirects followed by hand, cookies kept for one chain only, compressed
// bodies decoded within a bound. Who may be visited, when and as whom is the
// round tripper's business (the door); what a body means is the caller's.
package fetch
