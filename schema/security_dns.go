package schema

// RecordState is whether name servers know of something.
type RecordState string

const (
	RecordUnknown RecordState = "" // no answer, or none that tells
	RecordPresent RecordState = "present"
	RecordAbsent  RecordState = "absent"
)

// DNSSECState is what a resolver that validates says of a name. A closed list.
type DNSSECState string

const (
	DNSSECUnknown  DNSSECState = "" // the resolver does not validate, or did not answer
	DNSSECSigned   DNSSECState = "signed"
	DNSSECUnsigned DNSSECState = "unsigned"
	DNSSECBogus    DNSSECState = "bogus" // signed, and the signatures do not hold
)

// DNSFacts is what name servers say of a site's name and its registrable domain:
// closed words and counts.
type DNSFacts struct {
	State  LookState   `json:"state,omitempty"`
	CAA    RecordState `json:"caa,omitempty"`
	DNSSEC DNSSECState `json:"dnssec,omitempty"`
	IPv6   RecordState `json:"ipv6,omitempty"` // AAAA
	MX     RecordState `json:"mx,omitempty"`   // a null MX (RFC 7505) is none
	NullMX bool        `json:"null_mx,omitempty"`
	SPF    SPFFacts    `json:"spf"`
	DMARC  DMARCFacts  `json:"dmarc"`
}

// SPFFacts is a domain's Sender Policy Framework record (RFC 7208).
type SPFFacts struct {
	State    RecordState `json:"state,omitempty"`
	Records  int         `json:"records,omitempty"`  // one at most
	Valid    bool        `json:"valid,omitempty"`    // no fault was found
	All      string      `json:"all,omitempty"`      // "-", "~", "?", "+": what becomes of other senders; "redirect": another record says it, which could not be read; empty: nothing is said
	Lookups  int         `json:"lookups,omitempty"`  // terms that ask name servers, 10 at most (4.6.4); not counted beyond
	Complete bool        `json:"complete,omitempty"` // all that it includes could be read
}

// DMARCFacts is a domain's DMARC record (RFC 7489).
type DMARCFacts struct {
	State   RecordState `json:"state,omitempty"`
	Records int         `json:"records,omitempty"` // one at most
	Valid   bool        `json:"valid,omitempty"`
	Policy  string      `json:"policy,omitempty"` // none, quarantine, reject
}
