package workflows

import "go.temporal.io/sdk/temporal"

// ScanWorkflowID is the readable workflow id of a scan: host and scan id.
func ScanWorkflowID(host, scanID string) string { return "scan/" + host + "/" + scanID }

// LinkServerWorkflowID is the readable workflow id of a server that links lead to
// (schema.LinkServer): there is one, over all customers.
func LinkServerWorkflowID(server string) string { return "links/" + server }

// Search attributes, all Keyword. The dev server registers them at start, a
// real cluster by `temporal operator search-attribute create`.
var (
	AttrWorkspace = temporal.NewSearchAttributeKeyKeyword("VisiteWorkspace")
	AttrSite      = temporal.NewSearchAttributeKeyKeyword("VisiteSite")
	AttrHost      = temporal.NewSearchAttributeKeyKeyword("VisiteHost")
	AttrKind      = temporal.NewSearchAttributeKeyKeyword("VisiteKind")
)

// VisiteKind by workflow type.
const (
	KindScan  = "scan"  // ScanSite
	KindLinks = "links" // LinkServer
)

// SearchAttributeNames lists what must be registered, in order.
func SearchAttributeNames() []string {
	return []string{AttrWorkspace.GetName(), AttrSite.GetName(), AttrHost.GetName(), AttrKind.GetName()}
}
