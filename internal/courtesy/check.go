package courtesy

import (
	"context"
	"errors"
	"net/url"

	"visite/schema"
)

// Check judges where an address of a customer's order leads by the addresses of
// its name, without connecting. loopback is true where all of them are this
// machine's own; whether such sites may be visited is the caller's to say, and
// the door's again at each visit. What leads elsewhere than to the internet, or
// is not found, is a refusal that names the field and the remedy.
func (d *Door) Check(ctx context.Context, u *url.URL) (loopback bool, refusal *schema.Refusal) {
	r := reachPublic
	if loopback = d.onThisMachine(ctx, u); loopback {
		r = reachLoopback
	}
	err := d.mayConnect(ctx, u, r)
	if err == nil {
		return loopback, nil
	}
	reason := schema.ReasonConnection
	var trouble *Trouble
	if errors.As(err, &trouble) {
		reason = trouble.Reason
	}
	return false, refusalFor(reason)
}

// refusalFor words why an order's address is declined.
func refusalFor(reason schema.Reason) *schema.Refusal {
	r := &schema.Refusal{Kind: schema.RefusalInvalid, Field: "/url"}
	switch reason {
	case schema.ReasonGuarded:
		r.Code, r.Detail = "guarded-address", "The address leads into a private or reserved network."
		r.Remedy = "Give a site of the public internet."
	case schema.ReasonPort:
		r.Code, r.Detail = "port-not-web", "The port is not one that web servers use."
		r.Remedy = "Leave the port out, or use one such as 443 or 8080."
	case schema.ReasonNameNotFound:
		r.Code, r.Detail = "name-not-found", "No such host name is known."
		r.Remedy = "Check the spelling of the name."
	default:
		r.Code, r.Detail = "name-not-resolved", "The name servers gave no answer for the host."
		r.Remedy = "Try again in a moment."
	}
	return r
}
