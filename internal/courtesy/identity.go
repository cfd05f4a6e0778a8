package courtesy

import (
	"net/http"
	"slices"
	"strings"

	"visite/schema"
)

// hopByHop are headers that concern one connection only (RFC 9110 section
// 7.6.1), and those that would carry somebody's rights.
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// allowedMethod reports whether a method may leave.
func allowedMethod(method string) bool {
	return slices.Contains(schema.Methods, method)
}

// outgoingHeader makes the headers of a request that leaves: our User-Agent on
// every one (S-02), nothing that logs in (S-20), nothing of the hop before.
func outgoingHeader(in http.Header, userAgent string) http.Header {
	out := in.Clone()
	if out == nil {
		out = http.Header{}
	}
	for _, list := range in.Values("Connection") {
		for name := range strings.SplitSeq(list, ",") {
			out.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHop {
		out.Del(name)
	}
	out.Del("Authorization")
	out.Del("Content-Length")
	out.Del("Content-Type")
	out.Set("User-Agent", userAgent)
	agreeWith(userAgent, out)
	if accept := out.Get("Accept-Encoding"); accept != "" {
		out.Set("Accept-Encoding", understood(accept))
	}
	return out
}

// agreeWith keeps the client hints from saying otherwise than the User-Agent
// (S-05): Chromium without a window may name itself HeadlessChrome in them, and
// a worker's requests may not know that the page is shown as on a phone.
func agreeWith(userAgent string, h http.Header) {
	for _, name := range []string{"Sec-Ch-Ua", "Sec-Ch-Ua-Full-Version-List"} {
		if brands := h.Get(name); strings.Contains(brands, "HeadlessChrome") {
			h.Set(name, withoutHeadless(brands))
		}
	}
	if strings.Contains(userAgent, "Android") && h.Get("Sec-Ch-Ua-Mobile") != "" {
		h.Set("Sec-Ch-Ua-Mobile", "?1")
		h.Set("Sec-Ch-Ua-Platform", `"Android"`)
	}
}

// withoutHeadless drops the HeadlessChrome brand where Chromium is named beside
// it, and names Chromium instead where it is not.
func withoutHeadless(brands string) string {
	if !strings.Contains(brands, `"Chromium"`) {
		return strings.ReplaceAll(brands, "HeadlessChrome", "Chromium")
	}
	var kept []string
	for brand := range strings.SplitSeq(brands, ",") {
		if !strings.Contains(brand, "HeadlessChrome") {
			kept = append(kept, strings.TrimSpace(brand))
		}
	}
	return strings.Join(kept, ", ")
}

// understood keeps the content codings that the proxy can undo: a browser may
// also offer dictionaries of its own.
func understood(accept string) string {
	var kept []string
	for part := range strings.SplitSeq(accept, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip", "deflate", "br", "zstd", "identity", "*":
			kept = append(kept, strings.TrimSpace(part))
		}
	}
	if len(kept) == 0 {
		return "identity"
	}
	return strings.Join(kept, ", ")
}
