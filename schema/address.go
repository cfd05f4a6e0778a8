package schema

import (
	"net"
	"net/url"
	"strings"
)

// HostKey names a host for scope, pace and slots: lower-case host name, with
// the port where it is not the scheme's own. http and https of one name are one
// host; other ports are others.
func HostKey(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	port := u.Port()
	if port == "" || (u.Scheme == "http" && port == "80") || (u.Scheme == "https" && port == "443") {
		return host
	}
	return host + ":" + port
}

// Origin is scheme, host and port as robots.txt is kept for (RFC 9309 2.3).
func Origin(u *url.URL) string { return strings.ToLower(u.Scheme) + "://" + HostKey(u) }

// HostPort is where to connect: host and port, the scheme's own port filled in.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}
