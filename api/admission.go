package api

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"visite/internal/config"
	"visite/schema"
)

// target is where an order leads.
type target struct {
	url      *url.URL
	text     string // normalised
	host     string // HostKey
	loopback bool   // known after resolve
}

func (t target) origin() string { return schema.Origin(t.url) + "/" }

func (t target) onWebPort() bool { return schema.IsWebPort(t.url.Port()) }

// targetOf judges what can be judged of an address without asking anybody:
// syntax, credentials, scheme, and the port unless the address may turn out to
// be this machine's.
func (a *API) targetOf(input string) (target, error) {
	text, declined := schema.SeedFromInput(input)
	if declined != nil {
		return target{}, declined
	}
	u, err := url.Parse(text)
	if err != nil {
		return target{}, refuse(schema.RefusalInvalid, codeURLSyntax, "/url")
	}
	t := target{url: u, text: text, host: schema.HostKey(u)}
	if !a.AllowLoopback && !t.onWebPort() {
		return t, portRefusal(t)
	}
	return t, nil
}

// resolve judges where the name leads: never to a guarded address, to this
// machine only in the local stack. It asks name servers, not the site.
func (a *API) resolve(ctx context.Context, t *target) error {
	loopback, declined := a.Resolver.Check(ctx, t.url)
	switch {
	case declined != nil:
		return declined
	case loopback && !a.AllowLoopback:
		return refuse(schema.RefusalInvalid, codeLoopbackNotAllowed, "/url")
	case !loopback && !t.onWebPort():
		return portRefusal(*t)
	}
	t.loopback = loopback
	return nil
}

func portRefusal(t target) *schema.Refusal {
	r := refuse(schema.RefusalInvalid, codePortNotWeb, "/url")
	r.Detail = fmt.Sprintf("Port %s is not one that web servers use.", t.url.Port())
	r.Remedy = "Leave the port out, or use one of " + strings.Join(schema.WebPorts[1:], ", ") + "."
	return r
}

// admitted is an order that may be carried out.
type admitted struct {
	target     target
	scan       schema.Scan // to record; site and id are missing
	unverified int         // pages a day the scan counts against; 0: this machine's own site
}

// admit judges an order of a scan, cheapest questions first. It starts nothing
// and sends the site nothing.
func (a *API) admit(ctx context.Context, o ScanOrder) (admitted, error) {
	t, err := a.targetOf(o.URL)
	if err != nil {
		return admitted{}, err
	}
	profile, err := a.profileOf(o)
	if err != nil {
		return admitted{}, err
	}
	basis, err := a.declared(o)
	if err != nil {
		return admitted{}, err
	}
	contact := firstOf(o.Contact, a.Contact, profile.Contact)
	unverified := profile.Limits.UnverifiedPages
	pages, elsewhere := a.admitElsewhere(ctx, t, profile, contact, o.MaxPages)
	if elsewhere != nil && !a.mayBeHere(t) {
		return admitted{}, elsewhere
	}
	err = a.resolve(ctx, &t)
	switch {
	case t.loopback:
		unverified = 0
		pages, err = a.pagesFor(ctx, t, o.MaxPages, unverified)
	case elsewhere != nil && !isLoopback(t.url):
		err = elsewhere // what is wrong with the order comes before what is wrong with the name
	}
	if err != nil {
		return admitted{}, err
	}
	return admitted{target: t, unverified: unverified, scan: schema.Scan{
		WorkspaceID: workspaceID(ctx), URL: t.text, ScopeHost: t.host,
		Engine: o.Engine, Device: o.Device, Profile: a.identity(profile, contact), MaxPages: pages, Basis: basis, Contact: contact,
		State: schema.ScanQueued, Phase: schema.PhaseQueued,
	}}, nil
}

// admitElsewhere judges what holds for every site but this machine's own: a pace
// fit for other people's servers, a contact, and few pages without proof. It asks
// no name server.
func (a *API) admitElsewhere(ctx context.Context, t target, p schema.Profile, contact string, asked int) (pages int, err error) {
	if p.LoopbackOnly {
		return 0, refuse(schema.RefusalInvalid, codeProfileLoopbackOnly, "/profile")
	}
	if contact == "" {
		return 0, refuse(schema.RefusalInvalid, codeContactMissing, "/contact")
	}
	return a.pagesFor(ctx, t, asked, p.Limits.UnverifiedPages)
}

// mayBeHere reports whether a name has to be asked for before it is known that
// the site is not on this machine: in the local stack a hosts file may say so of
// any name.
func (a *API) mayBeHere(t target) bool {
	_, err := netip.ParseAddr(t.url.Hostname())
	return isLoopback(t.url) || a.AllowLoopback && err != nil
}

// declared checks what an order says of itself: pages, contact, and the basis
// (S-12, R-29); without one it declares the site to be the customer's own, as
// the documentation says.
func (a *API) declared(o ScanOrder) (schema.Basis, error) {
	basis := schema.Basis{Kind: schema.BasisOwn}
	if o.MaxPages > a.MaxPagesLimit {
		r := refuse(schema.RefusalInvalid, codeTooManyPages, "/max_pages")
		r.Remedy = fmt.Sprintf("Ask for at most %d.", a.MaxPagesLimit)
		return basis, r
	}
	if o.Contact != "" && !config.ValidContact(o.Contact) {
		return basis, refuse(schema.RefusalInvalid, codeContactInvalid, "/contact")
	}
	if o.Basis != nil {
		basis = *o.Basis
	}
	if basis.Kind == schema.BasisPermission && strings.TrimSpace(basis.Party) == "" {
		return basis, refuse(schema.RefusalInvalid, codePartyMissing, "/basis/party")
	}
	if strings.ContainsFunc(basis.Party, unicode.IsControl) {
		return basis, refuse(schema.RefusalInvalid, codeInvalidField, "/basis/party")
	}
	return basis, nil
}

func (a *API) profileOf(o ScanOrder) (schema.Profile, error) {
	profile, ok := a.Profiles.Profile(firstOf(o.Profile, config.DefaultProfile))
	if !ok {
		r := refuse(schema.RefusalInvalid, codeProfileUnknown, "/profile")
		var names []string
		for _, p := range a.Profiles.All() {
			names = append(names, p.Name)
		}
		r.Remedy = "Choose one of " + strings.Join(names, ", ") + "."
		return profile, r
	}
	return profile, nil
}

// pagesFor says how many pages a scan may load. Without proof a site gives a few
// pages a day over all customers (S-13, S-15, R-10): an order that names no
// number gets what is left of them.
func (a *API) pagesFor(ctx context.Context, t target, asked, unverified int) (int, error) {
	if unverified == 0 {
		if asked == 0 {
			return a.MaxPagesDefault, nil
		}
		return asked, nil
	}
	if asked > unverified {
		return 0, needsProof(t, unverified, unverified)
	}
	used, err := a.Store.UnverifiedPagesToday(ctx, t.host)
	if err != nil {
		return 0, err
	}
	left := unverified - used
	switch {
	case left <= 0:
		return 0, fewPagesUsedUp(t, unverified)
	case asked > left:
		return 0, needsProof(t, unverified, left)
	case asked == 0:
		return min(left, a.MaxPagesDefault), nil
	}
	return asked, nil
}

func needsProof(t target, limit, left int) *schema.Refusal {
	r := refuse(schema.RefusalForbidden, codeNeedsProof, "/max_pages")
	r.Detail = fmt.Sprintf("Without proof of ownership %s is visited for %d pages a day in all; %d are left today.", t.host, limit, left)
	r.Remedy = fmt.Sprintf("Ask for at most %d, or leave max_pages out.", left)
	return r
}

func fewPagesUsedUp(t target, limit int) *schema.Refusal {
	r := refuse(schema.RefusalBusy, codeFewPagesUsedUp, "/url")
	r.Detail = fmt.Sprintf("The %d pages a day that %s gives without proof of ownership were all ordered today.", limit, t.host)
	return r
}

// identity is the profile as a visit will use it: with a contact, and where the
// profile names no page of its own, with the page this deployment explains it on
// (S-02, C-65). Where that page can be reached from this machine only, a contact
// serves visited sites better.
func (a *API) identity(p schema.Profile, contact string) schema.Profile {
	if contact != "" {
		p.Contact = contact
	}
	if p.Info == "" && (p.Contact == "" || a.reachable()) {
		p.Info = a.PublicURL + botPath(p.Name)
	}
	return p
}

// reachable reports whether this deployment's address leads here from elsewhere.
func (a *API) reachable() bool {
	u, err := url.Parse(a.PublicURL)
	return err == nil && !isLoopback(u)
}

// isLoopback reports whether an address names this machine without a name server
// (RFC 6761 section 6.3).
func isLoopback(u *url.URL) bool {
	host := strings.TrimSuffix(u.Hostname(), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
