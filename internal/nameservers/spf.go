package nameservers

import (
	"net/netip"
	"strings"

	"visite/schema"
)

// spfLookups is how many terms of a record may ask name servers, those of the
// records it includes counted (RFC 7208 section 4.6.4).
const spfLookups = 10

// spf reads which servers may send mail of a domain.
func (l *look) spf(domain string) schema.SPFFacts {
	records, known := l.spfRecords(domain)
	switch {
	case !known:
		return schema.SPFFacts{}
	case len(records) == 0:
		return schema.SPFFacts{State: schema.RecordAbsent}
	case len(records) > 1:
		return schema.SPFFacts{State: schema.RecordPresent, Records: len(records), Complete: true}
	}
	r := &spfReading{look: l, sound: true, complete: true}
	all := r.read(records[0])
	return schema.SPFFacts{State: schema.RecordPresent, Records: 1, Valid: r.sound, All: all, Lookups: r.lookups, Complete: r.complete}
}

func (l *look) spfRecords(name string) (records []string, known bool) {
	texts, known := l.texts(name)
	for _, text := range texts {
		version, _, _ := strings.Cut(text, " ")
		if strings.EqualFold(version, "v=spf1") {
			records = append(records, text)
		}
	}
	return records, known
}

// spfReading follows a record through what it includes.
type spfReading struct {
	*look
	lookups  int
	sound    bool // no fault was found
	complete bool // everything could be followed
}

// read gives what becomes of senders a record does not name: the sign before its
// "all"; empty where it says nothing, "redirect" where another record says it
// that could not be read.
func (r *spfReading) read(record string) (all string) {
	redirect := ""
	for term := range strings.FieldsSeq(record[len("v=spf1"):]) {
		if name, value, ok := modifier(term); ok {
			if strings.EqualFold(name, "redirect") {
				r.sound = r.sound && redirect == "" && value != ""
				redirect = value
			}
			continue
		}
		if sign := r.mechanism(term, all != ""); sign != "" && all == "" {
			all = sign
		}
	}
	if all != "" || redirect == "" {
		return all
	}
	if next, ok := r.follow(redirect); ok {
		return r.read(next)
	}
	return "redirect"
}

// modifier splits "name=value" (RFC 7208 section 4.6.1), which a mechanism's value
// may contain too.
func modifier(term string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(term, "=")
	return name, value, ok && !strings.ContainsAny(name, ":/")
}

// mechanism takes one term down. The sign is that of "all"; what stands after one
// is only held to the syntax.
func (r *spfReading) mechanism(term string, after bool) (sign string) {
	sign = "+"
	if strings.ContainsRune("+-~?", rune(term[0])) {
		sign, term = term[:1], term[1:]
	}
	end := strings.IndexAny(term, ":/")
	name, value := term, ""
	if end >= 0 {
		name, value = term[:end], term[end+1:]
	}
	switch name = strings.ToLower(name); name {
	case "all":
		r.sound = r.sound && end < 0
		return sign
	case "ip4", "ip6":
		r.sound = r.sound && isNetwork(value, name == "ip4")
	case "a", "mx", "ptr":
		r.count(after)
	case "exists", "include":
		r.sound = r.sound && value != "" && term[end] == ':'
		if name == "exists" {
			r.count(after)
		} else if !after && value != "" {
			if next, ok := r.follow(value); ok {
				r.read(next)
			}
		}
	default:
		r.sound = false
	}
	return ""
}

func (r *spfReading) count(after bool) {
	if after {
		return
	}
	if r.lookups++; r.lookups > spfLookups {
		r.sound = false
	}
}

// follow reads the one record of another name. Where there is none, or more, the
// record that leads there is faulty (RFC 7208 sections 5.2, 6.1).
func (r *spfReading) follow(name string) (record string, ok bool) {
	if r.count(false); r.lookups > spfLookups {
		return "", false
	}
	if strings.Contains(name, "%") { // depends on who sends
		r.complete = false
		return "", false
	}
	records, known := r.spfRecords(name)
	switch {
	case !known:
		r.complete = false
	case len(records) != 1:
		r.sound = false
	default:
		return records[0], true
	}
	return "", false
}

func isNetwork(value string, four bool) bool {
	addr, err := netip.ParseAddr(value)
	if err != nil {
		var p netip.Prefix
		if p, err = netip.ParsePrefix(value); err != nil {
			return false
		}
		addr = p.Addr()
	}
	return addr.Is4() == four
}
