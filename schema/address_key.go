package schema

import (
	"net/url"
	"strings"
)

// AddressKey is the same for addresses that lead to one page: parameters that
// only track visitors or carry a session are dropped, the values of those that
// carry a secret masked (CarriesSecret); the rest keeps its order and values; a
// final dot of the host and an empty query go. It is an address itself and,
// unless something was masked, can be loaded. u should be normal already
// (NormalizeAddress).
func AddressKey(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	a := Address{Scheme: u.Scheme, Host: HostKey(u), Path: path, Query: u.RawQuery, HasQuery: u.RawQuery != ""}
	return a.Key().String()
}

// KeyOf is AddressKey of an address as text; what is no address stays as it is.
func KeyOf(address string) string {
	a, err := ParseAddress(address, nil)
	if err != nil {
		return address
	}
	return a.Key().String()
}

// Key is AddressKey of an address in parts.
func (a Address) Key() Address {
	a.Host = a.HostKey()
	a.Path = withoutPathPersons(withoutPathSession(a.Path))
	a.Query = withoutNoise(a.Query)
	a.HasQuery = a.Query != ""
	return a
}

// trackingParams tell who sent the visitor; no page depends on them.
var trackingParams = set("gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid", "fbclid", "msclkid", "yclid",
	"ymclid", "ttclid", "twclid", "li_fat_id", "igshid", "mc_cid", "mc_eid", "_ga", "_gl", "_gac", "_hsenc", "_hsmi", "__hstc", "__hssc",
	"__hsfp", "hsctatracking", "mkt_tok", "vero_id", "oly_anon_id", "oly_enc_id", "_openstat", "wickedid", "srsltid", "epik", "_kx",
	"piwik_campaign", "pk_campaign", "pk_kwd", "mtm_campaign", "mtm_source", "mtm_medium", "mtm_content", "mtm_keyword", "mtm_cid")

// sessionParams are session identifiers whatever their value.
var sessionParams = set("phpsessid", "jsessionid", "asp.net_sessionid", "cfid", "cftoken", "zenid", "oscsid", "sessid")

// tokenParams are session identifiers where their value looks like one: short
// values under these names are article numbers and the like.
var tokenParams = set("sid", "session", "sessionid", "session_id", "s_id")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// withoutNoise drops tracking and session parameters from a query and masks
// secrets.
func withoutNoise(query string) string {
	return mapParams(query, func(name, value string) (string, bool) {
		if isNoise(strings.ToLower(name), value) {
			return "", false
		}
		if isSecret(name, value) {
			return masked, true
		}
		return value, true
	})
}

func isNoise(name, value string) bool {
	return strings.HasPrefix(name, "utm_") || trackingParams[name] || isSession(name, value)
}

func isSession(name, value string) bool {
	return sessionParams[name] || strings.HasPrefix(name, "aspsessionid") || (tokenParams[name] && looksLikeToken(value))
}

// looksLikeToken: at least 16 letters and digits, both kinds.
func looksLikeToken(value string) bool {
	digits, letters := 0, 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case isDigit(c):
			digits++
		case isLetter(c):
			letters++
		case c != '-' && c != '_':
			return false
		}
	}
	return digits > 0 && letters > 0 && digits+letters >= 16
}

// withoutPathSession drops ";jsessionid=..." from each path segment.
func withoutPathSession(path string) string {
	if strings.IndexByte(path, ';') < 0 {
		return path
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		params := strings.Split(segment, ";")
		kept := params[:1]
		for _, p := range params[1:] {
			if name, _, _ := strings.Cut(p, "="); !sessionParams[strings.ToLower(name)] {
				kept = append(kept, p)
			}
		}
		segments[i] = strings.Join(kept, ";")
	}
	return strings.Join(segments, "/")
}
