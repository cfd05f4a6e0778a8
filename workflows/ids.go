package workflows

import "go.temporal.io/sdk/temporal"

// ScanWorkflowID is the readable workflow id of a scan: host and scan id.
func ScanWorkflowID(host, scanID string) string { return "scan/" + host + "/" + scanID }

// Search attributes, all Keyword. The dev server registers them at start, a
// real cluster by `temporal operator search-attribute create`.
var (
	AttrWorkspace = temporal.NewSearchAttributeKeyKeyword("VisiteWorkspace")
	AttrSite      = temporal.NewSearchAttributeKeyKeyword("VisiteSite")
	AttrHost      = temporal.NewSearchAttributeKeyKeyword("VisiteHost")
	AttrKind      = temporal.NewSearchAttributeKeyKeyword("VisiteKind")
)

// KindScan is the VisiteKind of ScanSite.
const KindScan = "scan"

// SearchAttributeNames lists what must be registered, in order.
func SearchAttributeNames() []string {
	return []string{AttrWorkspace.GetName(), AttrSite.GetName(), AttrHost.GetName(), AttrKind.GetName()}
}
