package links

import "visite/schema"

// AfterHead judges what HEAD was answered with. Where the answer is an error, or
// refuses the method, one GET of the same address decides (C-13, C-14): get. Where
// the server asks for rest, or does not answer at all, nothing is known.
func AfterHead(a schema.LinkAnswer) (check schema.LinkCheck, get bool) {
	if isUnknown(a) || a.IsRedirect() || a.Status < 400 && !isFruitless(a) {
		return judge(a), false
	}
	return schema.LinkCheck{}, true
}

// AfterGet judges what the GET after a HEAD was answered with.
func AfterGet(a schema.LinkAnswer) schema.LinkCheck { return judge(a) }

// isUnknown: nothing was answered, or that it is no time to ask.
func isUnknown(a schema.LinkAnswer) bool {
	return a.Status == 0 || a.Status == 429 || a.Status == 503
}

// isFruitless: a redirect that leads nowhere.
func isFruitless(a schema.LinkAnswer) bool {
	a.Location = "x"
	return a.IsRedirect()
}

func judge(a schema.LinkAnswer) schema.LinkCheck {
	c := schema.LinkCheck{Status: a.Status}
	switch {
	case isUnknown(a):
		c.Verdict, c.Reason = schema.LinkUnchecked, a.Reason
		if c.Reason == schema.ReasonNone {
			c.Reason = schema.ReasonRefusedForNow
		}
	case a.IsRedirect():
		c.Verdict, c.Target = schema.LinkRedirects, schema.RedactAddress(a.Location)
	case isFruitless(a):
		c.Verdict, c.Reason = schema.LinkBroken, schema.ReasonBadRedirect
	default:
		c.Verdict = ByStatus(a.Status)
	}
	return c
}

// ByStatus judges a status: what refuses robots is not broken, nor is a status no
// standard knows.
func ByStatus(status int) schema.LinkVerdict {
	switch {
	case status == 0:
		return schema.LinkUnchecked
	case status == 401, status == 403, status == 429, status >= 600:
		return schema.LinkRefused
	case status >= 400:
		return schema.LinkBroken
	}
	return schema.LinkOK
}

// Denied judges an address that was not asked for.
func Denied(a schema.Admission, loopbackOnly bool) schema.LinkCheck {
	c := schema.LinkCheck{Verdict: schema.LinkUnchecked, Reason: a.Reason}
	switch a.Reason {
	case schema.ReasonRobots:
		c.Verdict = schema.LinkDisallowed
	case schema.ReasonNameNotFound:
		c.Verdict = schema.LinkBroken
		if loopbackOnly { // of other names the profile has no business to know
			c.Verdict, c.Reason = schema.LinkUnchecked, schema.ReasonGuarded
		}
	}
	return c
}
