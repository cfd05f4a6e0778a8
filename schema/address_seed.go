package schema

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// SeedFromInput makes the address of a scan from what a customer typed. A
// missing scheme becomes https (http for this machine's own names). What cannot
// be meant is refused, naming field "/url" and the remedy.
func SeedFromInput(raw string) (string, *Refusal) {
	typed := strings.TrimSpace(raw)
	switch {
	case typed == "":
		return "", seedRefusal("url-missing", "There is no address.", "Give the address of a page, such as https://example.com/.")
	case len(typed) > MaxAddressLength:
		return "", seedRefusal("url-too-long", "The address is longer than 2000 characters.", "Give a shorter address; the site's home page will do.")
	case strings.ContainsAny(typed, " \t\r\n"):
		return "", seedRefusal("url-space", "The address contains a space.", "Give one address without spaces; write %20 where a space belongs to it.")
	}
	typed, refusal := withScheme(typed)
	if refusal != nil {
		return "", refusal
	}
	_, rest, _ := strings.Cut(typed, ":")
	authority := strings.TrimLeft(rest, "/\\")
	if i := strings.IndexAny(authority, "/\\?#"); i >= 0 {
		authority = authority[:i]
	}
	if strings.ContainsRune(authority, '@') {
		return "", seedRefusal("url-credentials", "The address contains a user name or password.", "Leave out everything up to and including the @; Visite never logs in.")
	}
	if refusal := oddAddress(authority); refusal != nil {
		return "", refusal
	}
	address, err := NormalizeAddress(typed, nil)
	if err != nil {
		return "", refusalOf(err)
	}
	if u, err := url.Parse(address); err != nil || u.Port() == "0" {
		return "", refusalOf(ErrAddressPort)
	}
	return address, nil
}

func seedRefusal(code, detail, remedy string) *Refusal {
	return &Refusal{Kind: RefusalInvalid, Field: "/url", Code: code, Detail: detail, Remedy: remedy}
}

func refusalOf(err error) *Refusal {
	switch {
	case errors.Is(err, ErrAddressNoHost):
		return seedRefusal("url-no-host", "The address names no host.", "Give an address with a host, such as https://example.com/.")
	case errors.Is(err, ErrAddressPort):
		return seedRefusal("url-port", "The port of the address is not a number from 1 to 65535.", "Correct the number after the colon or leave it out.")
	case errors.Is(err, ErrAddressTooLong):
		return seedRefusal("url-too-long", "The address is longer than 2000 characters.", "Give a shorter address; the site's home page will do.")
	}
	return seedRefusal("url-host", "The host of the address is not a valid name.", "Check the spelling, for example https://example.com/.")
}

// withScheme puts the scheme in front where the customer left it out, as most do.
func withScheme(typed string) (string, *Refusal) {
	scheme, rest := cutScheme(typed)
	switch {
	case scheme == "http" || scheme == "https":
		return typed, nil
	case scheme == "" || isPortStart(scheme, rest):
		typed = strings.TrimLeft(typed, "/\\")
		if isOwnName(typed) {
			return "http://" + typed, nil
		}
		return "https://" + typed, nil
	}
	return "", seedRefusal("scheme-not-web", "The address has a scheme other than http or https.", "Give an address that starts with https:// or http://.")
}

// isPortStart tells "example.com:8080" and "localhost:8080/x" from "mailto:x".
func isPortStart(before, after string) bool {
	digits := after
	if i := strings.IndexAny(after, "/?#\\"); i >= 0 {
		digits = after[:i]
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	return before == "localhost" || strings.Contains(before, ".")
}

// isOwnName reports whether a typed address without scheme names this machine,
// where https is rare.
func isOwnName(typed string) bool {
	if i := strings.IndexAny(typed, "/\\?#"); i >= 0 {
		typed = typed[:i]
	}
	host := typed
	if i := strings.LastIndexByte(typed, ':'); i >= 0 && !strings.HasSuffix(typed, "]") {
		host = typed[:i]
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}

// oddAddress refuses numbers that browsers read as an IPv4 address although
// nobody writes it so: decimal, octal, hexadecimal or shortened spellings.
func oddAddress(authority string) *Refusal {
	host, _, _ := strings.Cut(authority, ":")
	if host == "" || !isASCII(host) || !endsInNumber(strings.ToLower(host)) {
		return nil
	}
	parts := strings.Split(host, ".")
	plain := len(parts) == 4
	for _, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		plain = plain && err == nil && strconv.FormatUint(n, 10) == part
	}
	if plain {
		return nil
	}
	return seedRefusal("url-address-spelling", "The host is a number in a form that is not an ordinary IPv4 address.", "Write the address as four decimal numbers, such as 192.0.2.1, or use the host's name.")
}
