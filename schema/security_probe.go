package schema

import "time"

// MethodHandshake is what the ledger calls a connection over which nothing was
// asked: a TLS handshake.
const MethodHandshake = "TLS"

// HandshakeAsk is a TLS handshake to make.
type HandshakeAsk struct {
	MinVersion uint16 // of crypto/tls; 0: the oldest we speak, TLS 1.0
	MaxVersion uint16 // 0: the newest
	IPv6       bool   // over IPv6 only
}

// Handshake is what came of one. Certificates are in memory only.
type Handshake struct {
	Reason       Reason // why there was none; empty where there was
	Refused      bool   // the server's machine answered that nobody listens
	Version      uint16
	ALPN         string
	Certificates [][]byte // as sent, the server's own first
}

// LookState is how a look at one side of a site's connections ended.
type LookState string

const (
	LookPending       LookState = ""               // not yet
	LookDone          LookState = "done"           // the facts beside it hold
	LookNotApplicable LookState = "not_applicable" // means nothing for this site
	LookUnknown       LookState = "unknown"        // could not be looked at, see the reason
)

// SiteProbe is what one look at a site's connections came to: closed words,
// figures and times, nothing the site wrote.
type SiteProbe struct {
	Host        string           `json:"host"` // HostKey
	At          time.Time        `json:"at"`
	TLS         TLSFacts         `json:"tls"`
	Legacy      LegacyFacts      `json:"legacy"`
	Redirect    RedirectFacts    `json:"redirect"`
	SecurityTxt SecurityTxtFacts `json:"security_txt"`
	DNS         DNSFacts         `json:"dns"`
	IPv6        IPv6Facts        `json:"ipv6"`
	NotFound    NotFoundFacts    `json:"not_found"`
}

// NotFoundFacts is how the site answers for a page that is not there.
type NotFoundFacts struct {
	State     LookState `json:"state,omitempty"`
	Reason    Reason    `json:"reason,omitempty"`
	Status    int       `json:"status,omitempty"` // of the last answer
	Redirects int       `json:"redirects,omitempty"`
}

// IPv6Facts tells whether the site answers over IPv6, where its name has such an
// address.
type IPv6Facts struct {
	State   LookState `json:"state,omitempty"` // unknown too where our own line may have none
	Answers bool      `json:"answers,omitempty"`
}

// TLSFacts is what a handshake with the site's https port showed.
type TLSFacts struct {
	State       LookState        `json:"state,omitempty"`
	Reason      Reason           `json:"reason,omitempty"`  // done without a connection: why
	Refused     bool             `json:"refused,omitempty"` // nobody listens
	Version     string           `json:"version,omitempty"` // "TLS 1.3": the newest both speak
	HTTP2       bool             `json:"http2,omitempty"`
	Certificate CertificateFacts `json:"certificate"`
}

// LegacyFacts tells whether the site still speaks TLS 1.0 or 1.1 (RFC 8996).
type LegacyFacts struct {
	State   LookState `json:"state,omitempty"`
	Offered bool      `json:"offered,omitempty"`
}

// ChainState is what a certificate chain is worth. A closed list.
type ChainState string

const (
	ChainTrusted             ChainState = "trusted"
	ChainIncomplete          ChainState = "incomplete"           // of a public issuer, whose own certificate was not sent
	ChainSelfSigned          ChainState = "self_signed"          // vouched for by itself
	ChainUnknownIssuer       ChainState = "unknown_issuer"       // leads to nobody browsers trust
	ChainIntermediateExpired ChainState = "intermediate_expired" // the server's own is in date, one above it is not
	ChainFaulty              ChainState = "faulty"               // anything else
)

// CertificateFacts is what is kept of a server's certificate.
type CertificateFacts struct {
	Chain         ChainState `json:"chain,omitempty"`
	Host          bool       `json:"host,omitempty"` // it is for this host
	NotBefore     time.Time  `json:"not_before,omitzero"`
	NotAfter      time.Time  `json:"not_after,omitzero"`
	Key           string     `json:"key,omitempty"` // "RSA 2048"
	WeakKey       bool       `json:"weak_key,omitempty"`
	WeakSignature bool       `json:"weak_signature,omitempty"`
	Sent          int        `json:"sent,omitempty"` // certificates
}

// RedirectFacts is what the http address of the site answered.
type RedirectFacts struct {
	State   LookState   `json:"state,omitempty"`
	Reason  Reason      `json:"reason,omitempty"`
	Outcome RedirectEnd `json:"outcome,omitempty"`
	Hops    int         `json:"hops,omitempty"`
}

// RedirectEnd is where the http address leads. A closed list.
type RedirectEnd string

const (
	RedirectSecure    RedirectEnd = "https"          // to https on the same host at once
	RedirectOffHost   RedirectEnd = "https_off_host" // to https on another host at once
	RedirectLate      RedirectEnd = "https_late"     // to http first, then https
	RedirectInsecure  RedirectEnd = "http"           // redirects, but never to https
	RedirectNone      RedirectEnd = "none"           // answers without redirecting
	RedirectNoService RedirectEnd = "no_service"     // nobody listens
)

// SecurityTxtFacts is what /.well-known/security.txt says (RFC 9116).
type SecurityTxtFacts struct {
	State     LookState       `json:"state,omitempty"`
	Reason    Reason          `json:"reason,omitempty"`
	Found     bool            `json:"found,omitempty"`
	Contacts  int             `json:"contacts,omitempty"`
	Expires   time.Time       `json:"expires,omitzero"`
	Signed    bool            `json:"signed,omitempty"`
	Faults    []string        `json:"faults,omitempty"` // closed words
	Transport StrictTransport `json:"transport"`        // of the same answer
}
