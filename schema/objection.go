package schema

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// ObjectionKind is what a visited site asks of us. Closed list; the table
// objections has the same one as a constraint.
type ObjectionKind string

// What can be asked (contract C-43, S-49).
const (
	ObjectionStop       ObjectionKind = "stop"        // no request any more
	ObjectionQuietHours ObjectionKind = "quiet_hours" // none from From to To
	ObjectionSlower     ObjectionKind = "slower"      // all pauses Factor times as long
)

// ObjectionProof is how whoever objected showed that the host is theirs.
type ObjectionProof string

// Ways of showing it.
const (
	ProvenByNone ObjectionProof = "none"
	ProvenByDNS  ObjectionProof = "dns"  // a TXT record
	ProvenByFile ObjectionProof = "file" // a well-known file
)

// Bounds of an objection.
const (
	ObjectionFactorMin  = 2
	ObjectionFactorMax  = 100
	ObjectionContactMax = 200  // characters
	ObjectionMessageMax = 2000 // characters
)

// Objection is a visited site's word about our visits. It holds for every
// customer, and none can lift it (C-43).
type Objection struct {
	ID         string
	Host       string // HostKey; without a port all ports of the name
	Subdomains bool   // all hosts below Host too
	Kind       ObjectionKind
	From       string  // quiet hours: "HH:MM" in Zone; To before From is over midnight
	To         string  // quiet hours: the first minute in which visits may go on
	Zone       string  // quiet hours: IANA name, "Europe/Berlin"
	Factor     float64 // slower: ObjectionFactorMin to ObjectionFactorMax
	Contact    string  // of whoever objected; at most ObjectionContactMax characters
	Message    string  // their words to us; at most ObjectionMessageMax characters
	ProvenBy   ObjectionProof
	CreatedAt  time.Time
	Until      time.Time // zero: until withdrawn
}

var (
	objectionHost = regexp.MustCompile(`^(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?)(:[0-9]{1,5})?$`)
	clockTime     = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
	zoneName      = regexp.MustCompile(`^(UTC|[A-Za-z_]+(/[A-Za-z0-9_+-]+){1,2})$`)
)

// Validate declines an objection that cannot be kept: a *Refusal that names the
// field. Whether the time zone is known the store finds out.
func (o Objection) Validate() error {
	switch {
	case len(o.Host) > 260 || !objectionHost.MatchString(o.Host):
		return objectionRefusal("/host", "host-invalid", "The host is not a host name in lower case.", "Give one such as example.com.")
	case o.Subdomains && strings.ContainsAny(o.Host, ":["):
		return objectionRefusal("/subdomains", "subdomains-of-port", "An address or a port has no hosts below it.", "Leave the port out.")
	case utf8.RuneCountInString(o.Contact) > ObjectionContactMax:
		return objectionRefusal("/contact", "contact-too-long", fmt.Sprintf("The contact is longer than %d characters.", ObjectionContactMax), "Give an e-mail address or a web page.")
	case utf8.RuneCountInString(o.Message) > ObjectionMessageMax:
		return objectionRefusal("/message", "message-too-long", fmt.Sprintf("The message is longer than %d characters.", ObjectionMessageMax), "Shorten it.")
	case o.ProvenBy != "" && o.ProvenBy != ProvenByNone && o.ProvenBy != ProvenByDNS && o.ProvenBy != ProvenByFile:
		return objectionRefusal("/proven_by", "proof-unknown", "There is no such kind of proof.", "Use dns or file.")
	}
	return o.validateKind()
}

func (o Objection) validateKind() error {
	switch o.Kind {
	case ObjectionStop:
		return nil
	case ObjectionSlower:
		if !(o.Factor >= ObjectionFactorMin && o.Factor <= ObjectionFactorMax) { // not a number fails too
			return objectionRefusal("/factor", "factor-out-of-range", fmt.Sprintf("The factor is not from %d to %d.", ObjectionFactorMin, ObjectionFactorMax), "Choose one in that range, or ask for a stop.")
		}
		return nil
	case ObjectionQuietHours:
		switch {
		case !clockTime.MatchString(o.From):
			return objectionRefusal("/from", "time-invalid", "The time is not of the form HH:MM.", "Give one such as 08:30.")
		case !clockTime.MatchString(o.To):
			return objectionRefusal("/to", "time-invalid", "The time is not of the form HH:MM.", "Give one such as 18:00.")
		case o.From == o.To:
			return objectionRefusal("/to", "quiet-hours-empty", "Quiet hours end when they begin.", "Ask for a stop, or choose another end.")
		case !zoneName.MatchString(o.Zone):
			return objectionRefusal("/zone", "zone-unknown", "There is no such time zone.", "Give a name such as Europe/Berlin.")
		}
		return nil
	}
	return objectionRefusal("/kind", "kind-unknown", "There is no such kind of objection.", "Use stop, quiet_hours or slower.")
}

func objectionRefusal(field, code, detail, remedy string) *Refusal {
	return &Refusal{Kind: RefusalInvalid, Field: field, Code: code, Detail: detail, Remedy: remedy}
}

// What BeginLines gives instead of a line's id where the request must not leave.
const (
	LineParked   int64 = 0  // its host asked for rest (C-50)
	LineObjected int64 = -1 // its host objects to all visits (C-43)
	LineQuiet    int64 = -2 // its host's quiet hours
)
