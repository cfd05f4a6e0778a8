package security

import (
	"visite/internal/inspect/rule"
	"visite/schema"
)

const (
	rfcCAA    = "RFC 8659"
	rfcDNSSEC = "RFC 9364"
	rfcBogus  = "RFC 4035 section 5"
	rfcIPv6   = "RFC 6540"
	rfcSPF    = "RFC 7208"
	rfcDMARC  = "RFC 7489"
)

// nameRules are checks of what name servers say of the site's name, and of its
// domain where that takes mail.
var nameRules = []siteRule{
	siteFailed("caa-missing", info, "DNS does not say who may issue certificates for the site",
		"Any authority may issue one, to whoever tricks it. Publish a CAA record that names yours.", rule.Standard, rfcCAA,
		ofNames(func(d schema.DNSFacts) (schema.CheckVerdict, string) { return ofRecord(d.CAA), "" })),
	siteFailed("dnssec-missing", info, "The domain is not signed with DNSSEC",
		"Answers about its addresses and its mail can be forged on the way. Switch on DNSSEC where the domain is registered and served.", rule.Standard, rfcDNSSEC, ofNames(judgeSigned)),
	siteFailed("dnssec-bogus", serious, "The domain's DNSSEC signatures do not hold",
		"Whoever checks them cannot reach the site at all. Renew the signatures, or correct the DS record.", rule.Standard, rfcBogus, ofNames(judgeBogus)),
	siteFailed("ipv6-missing", info, "The site has no IPv6 address",
		"Some visitors reach it only through translators that slow it down. Add an AAAA record.", rule.Convention, rfcIPv6,
		ofNames(func(d schema.DNSFacts) (schema.CheckVerdict, string) { return ofRecord(d.IPv6), "" })),
	siteFailed("ipv6-refused", moderate, "The site has an IPv6 address at which nobody answers",
		"Visitors with IPv6 wait until their browser tries IPv4. Have the server listen there, or take the AAAA record away.", rule.Convention, rfcIPv6, judgeOverIPv6),
	siteFailed("spf-missing", minor, "The domain takes mail, but does not say who may send mail of it",
		"Anybody may send mail in its name. Publish an SPF record that ends in \"-all\" or \"~all\".", rule.Standard, rfcSPF,
		ofMail(func(d schema.DNSFacts) (schema.CheckVerdict, string) { return ofRecord(d.SPF.State), "" })),
	siteFailed("spf-invalid", moderate, "The domain's SPF record is faulty",
		"Recipients treat it as if it were not there. There must be one, without errors, with at most ten terms that ask name servers, those it includes counted.", rule.Standard, rfcSPF, ofMail(judgeSPF)),
	siteFailed("spf-open", minor, "The domain's SPF record keeps nobody from sending",
		"It says nothing against servers it does not name. End it in \"-all\" or \"~all\".", rule.Standard, rfcSPF, ofMail(judgeOpen)),
	siteFailed("dmarc-missing", minor, "The domain takes mail, but does not say what becomes of forged mail",
		"Recipients let mail pass that only claims to be from it. Publish a DMARC record.", rule.Standard, rfcDMARC,
		ofMail(func(d schema.DNSFacts) (schema.CheckVerdict, string) { return ofRecord(d.DMARC.State), "" })),
	siteFailed("dmarc-invalid", moderate, "The domain's DMARC record is faulty",
		"Recipients ignore it. There must be one, with p=none, p=quarantine or p=reject.", rule.Standard, rfcDMARC, ofMail(judgeDMARC)),
	siteFailed("dmarc-none", info, "The domain's DMARC record only watches",
		"Forged mail is delivered. Once the reports show that all mail of your own passes, set p=quarantine or p=reject.", rule.Standard, rfcDMARC, ofMail(judgeWatching)),
}

type nameJudge func(schema.DNSFacts) (schema.CheckVerdict, string)

// ofNames is a check that has no case where the site has no name of its own.
func ofNames(judge nameJudge) func(schema.SecurityFacts) (schema.CheckVerdict, string) {
	return func(f schema.SecurityFacts) (schema.CheckVerdict, string) {
		switch d := f.Probe.DNS; d.State {
		case schema.LookNotApplicable:
			return noCase, ""
		case schema.LookDone:
			return judge(d)
		}
		return unknown, ""
	}
}

// ofMail is a check of a domain that takes mail; what others may do in the name of
// one that does not is beyond its website.
func ofMail(judge nameJudge) func(schema.SecurityFacts) (schema.CheckVerdict, string) {
	return ofNames(func(d schema.DNSFacts) (schema.CheckVerdict, string) {
		switch d.MX {
		case schema.RecordPresent:
			return judge(d)
		case schema.RecordAbsent:
			return noCase, ""
		}
		return unknown, ""
	})
}

func ofRecord(state schema.RecordState) schema.CheckVerdict {
	switch state {
	case schema.RecordPresent:
		return passed
	case schema.RecordAbsent:
		return fails
	}
	return unknown
}

func judgeSigned(d schema.DNSFacts) (schema.CheckVerdict, string) {
	switch d.DNSSEC {
	case schema.DNSSECSigned:
		return passed, ""
	case schema.DNSSECUnsigned:
		return fails, ""
	case schema.DNSSECBogus:
		return noCase, ""
	}
	return unknown, ""
}

func judgeBogus(d schema.DNSFacts) (schema.CheckVerdict, string) {
	switch d.DNSSEC {
	case schema.DNSSECBogus:
		return fails, ""
	case schema.DNSSECSigned:
		return passed, ""
	case schema.DNSSECUnsigned:
		return noCase, ""
	}
	return unknown, ""
}

func judgeOverIPv6(f schema.SecurityFacts) (schema.CheckVerdict, string) {
	switch s := f.Probe.IPv6; {
	case s.State == schema.LookNotApplicable:
		return noCase, ""
	case s.State != schema.LookDone:
		return unknown, ""
	case !s.Answers:
		return fails, ""
	}
	return passed, ""
}

// ofThere is what a check of a record's contents comes to where there is none.
func ofThere(state schema.RecordState) (schema.CheckVerdict, bool) {
	switch state {
	case schema.RecordPresent:
		return "", true
	case schema.RecordAbsent:
		return noCase, false
	}
	return unknown, false
}

func judgeSPF(d schema.DNSFacts) (schema.CheckVerdict, string) {
	switch verdict, there := ofThere(d.SPF.State); {
	case !there:
		return verdict, ""
	case d.SPF.Records > 1:
		return fails, rule.Count(d.SPF.Records, "record")
	case d.SPF.Lookups > spfLookups:
		return fails, "more than 10 look-ups"
	case !d.SPF.Valid:
		return fails, "a term that cannot be read or followed"
	case !d.SPF.Complete:
		return unknown, ""
	}
	return passed, ""
}

// spfLookups is the most a record may ask for (RFC 7208 section 4.6.4).
const spfLookups = 10

func judgeOpen(d schema.DNSFacts) (schema.CheckVerdict, string) {
	switch verdict, there := ofThere(d.SPF.State); {
	case !there:
		return verdict, ""
	case d.SPF.Records > 1:
		return noCase, "" // which of them?
	case d.SPF.All == "redirect":
		return unknown, ""
	case d.SPF.All == "":
		return fails, "no all"
	case d.SPF.All == "+" || d.SPF.All == "?":
		return fails, d.SPF.All + "all"
	}
	return passed, d.SPF.All + "all"
}

func judgeDMARC(d schema.DNSFacts) (schema.CheckVerdict, string) {
	switch verdict, there := ofThere(d.DMARC.State); {
	case !there:
		return verdict, ""
	case d.DMARC.Records > 1:
		return fails, rule.Count(d.DMARC.Records, "record")
	case !d.DMARC.Valid:
		return fails, "no policy"
	}
	return passed, d.DMARC.Policy
}

func judgeWatching(d schema.DNSFacts) (schema.CheckVerdict, string) {
	switch verdict, there := ofThere(d.DMARC.State); {
	case !there:
		return verdict, ""
	case !d.DMARC.Valid:
		return noCase, ""
	case d.DMARC.Policy == "none":
		return fails, d.DMARC.Policy
	}
	return passed, d.DMARC.Policy
}
