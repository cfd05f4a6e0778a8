package schema

import "slices"

// WebPorts are the ports a site of the open web may be visited at; on this
// machine any port is one. "" stands for the scheme's own.
var WebPorts = []string{"", "80", "443", "591", "8000", "8008", "8080", "8081", "8088", "8443", "8880", "8888", "9443"}

// IsWebPort reports whether web servers of the open web are found at a port.
func IsWebPort(port string) bool { return slices.Contains(WebPorts, port) }
