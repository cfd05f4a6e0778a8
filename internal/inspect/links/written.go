package links

import (
	"errors"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// each makes a hit of the anchors that are wanted; wanted gives the detail.
func each(c *page.Content, wanted func(page.Link) (string, bool)) []rule.Hit {
	var hits []rule.Hit
	for _, l := range c.Links {
		if l.Kind != schema.LinkAnchor {
			continue
		}
		if detail, ok := wanted(l); ok {
			hits = append(hits, rule.Hit{Node: l.Node, Detail: detail})
		}
	}
	return hits
}

func empty(c *page.Content) []rule.Hit {
	return each(c, func(l page.Link) (string, bool) { return "", strings.TrimSpace(l.Raw) == "" })
}

func script(c *page.Content) []rule.Hit {
	return each(c, func(l page.Link) (string, bool) {
		raw := strings.TrimLeft(l.Raw, " \t\r\n")
		return "", len(raw) >= 11 && strings.EqualFold(raw[:11], "javascript:")
	})
}

func missingScheme(c *page.Content) []rule.Hit {
	return each(c, func(l page.Link) (string, bool) {
		switch page.LacksScheme(l.Raw) {
		case page.LacksHTTPS:
			return "https:// is missing", true
		case page.LacksMailto:
			return "mailto: is missing", true
		}
		return "", false
	})
}

// doubleEscaped looks at what is left after the entities were decoded once. A
// page whose own address already went wrong repeats the fault in all its links.
func doubleEscaped(c *page.Content) []rule.Hit {
	if strings.Contains(c.URL.RawQuery, "amp;") {
		return nil
	}
	return each(c, func(l page.Link) (string, bool) {
		_, query, _ := strings.Cut(l.Raw, "?")
		query, _, _ = strings.Cut(query, "#")
		return "", strings.Contains(query, "&amp;")
	})
}

func invalid(c *page.Content) []rule.Hit {
	return each(c, func(l page.Link) (string, bool) {
		switch {
		case errors.Is(l.Err, schema.ErrAddressHost):
			return "the host is not a valid name", true
		case errors.Is(l.Err, schema.ErrAddressNoHost):
			return "no host", true
		case errors.Is(l.Err, schema.ErrAddressPort):
			return "the port is not a valid number", true
		}
		return "", false
	})
}

// local finds links to this machine or a private network on a page that is
// itself in neither.
func local(c *page.Content) []rule.Hit {
	if isInside(c.URL.Hostname()) {
		return nil
	}
	return each(c, func(l page.Link) (string, bool) {
		if l.Err != nil || !isInside(hostOf(l.HostKey)) {
			return "", false
		}
		return schema.RedactAddress(l.URL), true
	})
}

func hostOf(key string) string {
	if i := strings.LastIndexByte(key, ':'); i >= 0 && !strings.HasSuffix(key, "]") {
		key = key[:i]
	}
	return strings.Trim(key, "[]")
}

// isInside: names and addresses that mean nothing outside (RFC 6761, RFC 1918,
// RFC 4193, RFC 8375).
func isInside(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified()
	}
	if host == "localhost" {
		return true
	}
	for _, ending := range [...]string{".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet"} {
		if strings.HasSuffix(host, ending) {
			return true
		}
	}
	return false
}

// stagingNames are first labels that test versions go by.
var stagingNames = []string{"staging", "stage", "stg", "dev", "test", "testing", "preview", "preprod", "uat", "qa", "sandbox"}

// staging finds links to a test version beside the page's own host.
func staging(c *page.Content) []rule.Hit {
	own := strings.TrimPrefix(strings.ToLower(c.URL.Hostname()), "www.")
	if label, _, _ := strings.Cut(own, "."); slices.Contains(stagingNames, label) {
		return nil
	}
	return each(c, func(l page.Link) (string, bool) {
		label, rest, ok := strings.Cut(hostOf(l.HostKey), ".")
		if !ok || rest != own || !slices.Contains(stagingNames, label) {
			return "", false
		}
		return schema.RedactAddress(l.URL), true
	})
}

// missingFiles tells of own files that the browser asked for in vain.
func missingFiles(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, address := range slices.Sorted(maps.Keys(c.Doc.Totals.FailedFiles)) {
		status := c.Doc.Totals.FailedFiles[address]
		if status < 400 || status == 401 || status == 403 || status == 429 || status > 599 {
			continue // refused, not missing
		}
		if isDefaultIcon(address) && !refersTo(c, address) {
			continue // the browser asks every site for it, once a run, without being told to
		}
		hits = append(hits, rule.Hit{Node: dom.None, Detail: strconv.Itoa(status) + " " + schema.RedactAddress(address)})
	}
	return hits
}

// isDefaultIcon tells the address where browsers look for an icon by themselves.
func isDefaultIcon(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Path == "/favicon.ico"
}

// refersTo reports whether the page itself names an address.
func refersTo(c *page.Content, address string) bool {
	return slices.ContainsFunc(c.Links, func(l page.Link) bool { return l.URL == address })
}
