package security

import (
	"strconv"
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// halfAYear is what the Observatory asks of max-age, preloadAge what the preload
// list does (hstspreload.org), in seconds.
const (
	halfAYear  = 15_552_000
	preloadAge = 31_536_000
)

// ReadStrictTransport reads Strict-Transport-Security as browsers do (RFC 6797
// sections 6.1 and 8.1): of several fields the first counts, a directive that
// occurs twice or a max-age that is no number spoils it.
func ReadStrictTransport(fields []string) schema.StrictTransport {
	if len(fields) == 0 {
		return schema.StrictTransport{}
	}
	h := schema.StrictTransport{Present: true, Valid: true}
	seen := map[string]bool{}
	age := false
	for part := range strings.SplitSeq(fields[0], ";") {
		name, value, _ := strings.Cut(part, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" {
			continue
		}
		if seen[name] {
			h.Valid = false
		}
		seen[name] = true
		switch name {
		case "max-age":
			n, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 63)
			h.Valid = h.Valid && err == nil
			h.MaxAge, age = int64(n), err == nil
		case "includesubdomains":
			h.SubDomains = true
		case "preload":
			h.Preload = true
		}
	}
	h.Valid = h.Valid && age
	return h
}

func strictTransport(c *page.Content) schema.StrictTransport {
	if !c.Secure() {
		return schema.StrictTransport{}
	}
	return ReadStrictTransport(field(c, "Strict-Transport-Security"))
}

// hstsMissing: browsers note no such policy for addresses (RFC 6797 8.1.1).
func hstsMissing(c *page.Content) []rule.Hit {
	if !c.Secure() || kind(c) != publicName || strictTransport(c).Present {
		return nil
	}
	return rule.Page("")
}

func hstsInvalid(c *page.Content) []rule.Hit {
	fields := field(c, "Strict-Transport-Security")
	switch h := strictTransport(c); {
	case h.Present && !h.Valid:
		return rule.Page("")
	case h.Present && len(fields) > 1:
		return rule.Page(rule.Count(len(fields), "field"))
	}
	return nil
}

func hstsShort(c *page.Content) []rule.Hit {
	h := strictTransport(c)
	if !h.Valid || h.MaxAge >= halfAYear {
		return nil
	}
	return rule.Page("max-age " + strconv.FormatInt(h.MaxAge, 10) + " s")
}

func hstsSubDomains(c *page.Content) []rule.Hit {
	if h := strictTransport(c); !h.Valid || h.MaxAge == 0 || h.SubDomains {
		return nil
	}
	return rule.Page("")
}

// hstsPreload looks at pages that ask to be preloaded only.
func hstsPreload(c *page.Content) []rule.Hit {
	h := strictTransport(c)
	if !h.Valid || !h.Preload || (h.SubDomains && h.MaxAge >= preloadAge) {
		return nil
	}
	var lacks []string
	if h.MaxAge < preloadAge {
		lacks = append(lacks, "max-age "+strconv.FormatInt(h.MaxAge, 10)+" s")
	}
	if !h.SubDomains {
		lacks = append(lacks, "includeSubDomains")
	}
	return rule.Page(strings.Join(lacks, ", "))
}

// hstsInsecure: browsers ignore the field over http (RFC 6797 8.1).
func hstsInsecure(c *page.Content) []rule.Hit {
	if c.Secure() || len(field(c, "Strict-Transport-Security")) == 0 {
		return nil
	}
	return rule.Page("")
}
