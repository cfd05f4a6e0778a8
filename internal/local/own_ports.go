package local

import (
	"net"
	"net/url"
	"strings"

	"visite/internal/config"
)

// ownPorts are where our own parts listen on this machine: scans of its sites
// are not let in there.
func ownPorts(cfg config.Config) []string {
	places := []string{cfg.TemporalAddress, cfg.Listen}
	if u, err := url.Parse(cfg.DatabaseURL.Reveal()); err == nil {
		places = append(places, u.Host)
	}
	var ports []string
	for _, place := range places {
		if _, port, err := net.SplitHostPort(place); err == nil && port != "0" {
			ports = append(ports, port)
		}
	}
	for port := range strings.SplitSeq(cfg.OwnPorts, ",") {
		if port = strings.TrimSpace(port); port != "" {
			ports = append(ports, port)
		}
	}
	return ports
}
