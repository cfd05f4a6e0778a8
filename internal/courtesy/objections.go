package courtesy

import (
	"errors"
	"fmt"
	"time"

	"visite/schema"
)

// quietLook is how long a visit waits for quiet hours at most before it asks
// again: they may have been withdrawn. Nothing is sent for that.
const quietLook = time.Hour

// objectedError: the host of a request asks us to stay away, for good (C-43) or
// at this time of day (S-49). It is told in the round trip that would have
// written the request's ledger line, so nothing leaves after an objection.
type objectedError struct {
	host   string
	reason schema.Reason // ReasonObjection or ReasonQuietHours
	until  time.Time     // of quiet hours
}

func (e *objectedError) Error() string { return e.host + ": " + e.words() }

func (e *objectedError) words() string {
	if e.reason == schema.ReasonObjection {
		return e.host + " asked us to stay away"
	}
	return fmt.Sprintf("quiet hours at %s until %s", e.host, e.until.UTC().Format("15:04 MST"))
}

// SiteReason tells it from our own errors.
func (e *objectedError) SiteReason() schema.Reason { return e.reason }

// Unwrap makes it the site's word like others.
func (e *objectedError) Unwrap() error { return &Trouble{Reason: e.reason} }

func (e *objectedError) admission() schema.Admission {
	if e.reason == schema.ReasonObjection {
		return deny(e.reason, e.words())
	}
	until := e.until
	if look := time.Now().Add(quietLook); until.After(look) {
		until = look
	}
	return schema.Admission{Kind: schema.AdmissionWait, Until: until, Reason: e.reason, Words: e.words()}
}

// objectionOf is what stands against a line that was not written, nil for none.
func objectionOf(host string, id int64, until time.Time) error {
	switch id {
	case schema.LineObjected:
		return &objectedError{host: host, reason: schema.ReasonObjection}
	case schema.LineQuiet:
		return &objectedError{host: host, reason: schema.ReasonQuietHours, until: until}
	}
	return nil
}

// beginLine writes a request's line; an objection of the visited site is a fact
// about the whole visit.
func (p *Pass) beginLine(line *schema.LedgerLine) error {
	err := p.door.ledger.begin(line)
	var objected *objectedError
	if errors.As(err, &objected) && objected.host == p.own {
		p.mu.Lock()
		p.objected = objected.reason
		p.mu.Unlock()
	}
	return err
}

// underObjection is a document's facts where the site objected in the middle of
// the visit: a page of which files are missing for that is not judged.
func underObjection(facts schema.DocumentFacts, objected schema.Reason) schema.DocumentFacts {
	if objected != schema.ReasonNone {
		facts.Outcome, facts.Reason = schema.OutcomeNotAnalysed, objected
	}
	return facts
}
