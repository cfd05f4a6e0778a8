package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"visite/internal/config"
	"visite/schema"
)

const (
	objectionsPath = "/v1/objections"
	// unprovenLasts is how long an objection holds whose maker did not show that the
	// host is theirs, and unprovenEvery how often one has effect for a host: enough
	// for somebody in trouble, too little to keep others' customers out.
	unprovenLasts = 24 * time.Hour
	unprovenEvery = 30 * 24 * time.Hour
)

// ObjectionOrder asks us to stop or to hold back at a host.
type ObjectionOrder struct {
	Host       string               `json:"host" minLength:"1" maxLength:"300" example:"example.com"`
	Kind       schema.ObjectionKind `json:"kind" enum:"stop,quiet_hours,slower" doc:"stop: no more requests; quiet_hours: none from from to to; slower: pauses factor times as long."`
	Subdomains bool                 `json:"subdomains,omitempty" doc:"For all hosts below it too; needs a proof."`
	From       string               `json:"from,omitempty" maxLength:"5" example:"08:00" doc:"Quiet hours begin, in zone."`
	To         string               `json:"to,omitempty" maxLength:"5" example:"18:00" doc:"Quiet hours end; before from: the next day."`
	Zone       string               `json:"zone,omitempty" maxLength:"64" example:"Europe/Berlin" doc:"Time zone of the quiet hours; UTC where left out."`
	Factor     float64              `json:"factor,omitempty" doc:"For slower: from 2 to 100; 2 where left out."`
	Contact    string               `json:"contact,omitempty" maxLength:"200" doc:"E-mail address or web page where the operator reaches you. Shown to nobody else."`
	Message    string               `json:"message,omitempty" maxLength:"2000" doc:"What happened, for the operator. Shown to nobody else."`
}

// ObjectionTicket acknowledges an objection.
type ObjectionTicket struct {
	Ticket   string                `json:"ticket"`
	Key      string                `json:"key" doc:"Withdraws the objection. Shown this once."`
	Host     string                `json:"host"`
	Kind     schema.ObjectionKind  `json:"kind" enum:"stop,quiet_hours,slower"`
	InForce  bool                  `json:"in_force" doc:"It holds from the next request on. Where false it is passed on to the operator: an objection without proof had effect for this host not long ago."`
	ProvenBy schema.ObjectionProof `json:"proven_by" enum:"none,dns,file"`
	Until    *time.Time            `json:"until,omitempty" doc:"Missing: until it is withdrawn."`
	Words    string                `json:"words"`
}

type objectionInput struct {
	Authorization string `header:"Authorization" doc:"Bearer token of the host's proof (prove-host). With it the objection holds until withdrawn."`
	Body          ObjectionOrder
}

type objectionOutput struct{ Body ObjectionTicket }

// WithdrawalOrder takes an objection back.
type WithdrawalOrder struct {
	Key string `json:"key" minLength:"1" maxLength:"100" doc:"From the acknowledgement."`
}

type withdrawalInput struct {
	Ticket string `path:"ticket" maxLength:"64"`
	Body   WithdrawalOrder
}

func (a *API) registerObjections() {
	register(a, huma.Operation{
		OperationID: "object", Method: http.MethodPost, Path: objectionsPath, Tags: []string{tagVisited}, Metadata: rateOf(rateObject),
		Summary: "Ask us to stop, to keep hours, or to go slower", Description: "For whoever runs a website. Holds from the next request on, for every customer; none of them can lift it. " +
			"Without proof it holds for a day, once in thirty days and host; with the token of a proof until it is withdrawn.",
		DefaultStatus: http.StatusCreated, Errors: []int{400, 401, 403, 413, 415, 422, 429},
	}, func(ctx context.Context, in *objectionInput) (*objectionOutput, error) {
		ticket, err := a.object(ctx, in.Body, in.Authorization)
		return &objectionOutput{ticket}, err
	})
	register(a, huma.Operation{
		OperationID: "withdraw-objection", Method: http.MethodPost, Path: objectionsPath + "/{ticket}:withdraw", Tags: []string{tagVisited}, Metadata: rateOf(rateProve),
		Summary: "Take an objection back", DefaultStatus: http.StatusNoContent, Errors: []int{400, 404, 413, 415, 422, 429},
	}, a.withdraw)
	register(a, huma.Operation{
		OperationID: "list-objections", Method: http.MethodGet, Path: objectionsPath, Tags: []string{tagVisited}, Security: needsOperator,
		Summary: "List the objections of visited sites", Description: "For the operator, with the bootstrap secret. Newest first, those gone by too; withdrawn ones are left out.",
		Errors: []int{401, 403, 422, 429},
	}, a.listObjections)
	register(a, huma.Operation{
		OperationID: "lift-objection", Method: http.MethodDelete, Path: objectionsPath + "/{ticket}", Tags: []string{tagVisited}, Security: needsOperator,
		Summary: "Lift an objection", Description: "For the operator, with the bootstrap secret, once it is settled with whoever made it.",
		DefaultStatus: http.StatusNoContent, Errors: []int{401, 403, 404, 429},
	}, a.liftObjection)
}

// RecordedObjection is an objection as the operator reads it.
type RecordedObjection struct {
	Ticket     string                `json:"ticket"`
	Host       string                `json:"host"`
	Subdomains bool                  `json:"subdomains"`
	Kind       schema.ObjectionKind  `json:"kind" enum:"stop,quiet_hours,slower"`
	From       string                `json:"from,omitempty"`
	To         string                `json:"to,omitempty"`
	Zone       string                `json:"zone,omitempty"`
	Factor     float64               `json:"factor,omitempty"`
	Contact    string                `json:"contact,omitempty"`
	Message    string                `json:"message,omitempty"`
	ProvenBy   schema.ObjectionProof `json:"proven_by" enum:"none,dns,file"`
	CreatedAt  time.Time             `json:"created_at"`
	InForce    bool                  `json:"in_force"`
	Until      *time.Time            `json:"until,omitempty" doc:"Missing: until it is withdrawn, or gone by."`
}

func (a *API) listObjections(ctx context.Context, in *ListInput) (*listOutput[RecordedObjection], error) {
	r, err := in.rangeOf(idKeys)
	if err != nil {
		return nil, err
	}
	list, err := a.Visited.ListObjections(ctx, r)
	if err != nil {
		return nil, err
	}
	now := a.now()
	show := func(o schema.Objection) RecordedObjection {
		shown := RecordedObjection{
			Ticket: o.ID, Host: o.Host, Subdomains: o.Subdomains, Kind: o.Kind, From: o.From, To: o.To, Zone: o.Zone, Contact: o.Contact, Message: o.Message,
			ProvenBy: o.ProvenBy, CreatedAt: o.CreatedAt, InForce: o.Until.IsZero() || o.Until.After(now), Until: ahead(o.Until, now),
		}
		if o.Kind == schema.ObjectionSlower {
			shown.Factor = o.Factor
		}
		return shown
	}
	return listOf(*in, objectionsPath, nil, list, func(o schema.Objection) string { return o.ID }, show), nil
}

func (a *API) liftObjection(ctx context.Context, in *struct {
	Ticket string `path:"ticket" maxLength:"64"`
}) (*struct{}, error) {
	if err := knownShape(in.Ticket); err != nil {
		return nil, err
	}
	if err := a.Visited.WithdrawObjection(ctx, in.Ticket); err != nil {
		return nil, err
	}
	a.log.WarnContext(ctx, "objection lifted by the operator", "ticket", in.Ticket)
	return nil, nil
}

// object records an objection (contract S-49, C-43) and tells the operator.
func (a *API) object(ctx context.Context, o ObjectionOrder, authorization string) (ObjectionTicket, error) {
	objection, err := a.objectionOf(o)
	if err != nil {
		return ObjectionTicket{}, err
	}
	if objection.ProvenBy, err = a.provenBy(ctx, objection.Host, authorization); err != nil {
		return ObjectionTicket{}, err
	}
	inForce := true
	if objection.ProvenBy == schema.ProvenByNone {
		if objection.Subdomains {
			return ObjectionTicket{}, refuse(schema.RefusalForbidden, codeProofNeeded, "/subdomains")
		}
		before, err := a.Visited.UnprovenSince(ctx, objection.Host, a.now().Add(-unprovenEvery))
		if err != nil {
			return ObjectionTicket{}, err
		}
		inForce = !before
		objection.Until = a.now()
		if inForce {
			objection.Until = a.now().Add(unprovenLasts)
		}
	}
	added, err := a.Visited.AddObjection(ctx, objection)
	if err != nil {
		return ObjectionTicket{}, err
	}
	key, hash := newSecret(objectionKeyPrefix)
	if err := a.Visited.SaveObjectionKey(ctx, added.ID, hash); err != nil {
		return ObjectionTicket{}, err
	}
	a.log.WarnContext(ctx, "objection of a visited site", "ticket", added.ID, "host", added.Host, "kind", added.Kind, "proven_by", added.ProvenBy, "in_force", inForce)
	return ObjectionTicket{
		Ticket: added.ID, Key: key, Host: added.Host, Kind: added.Kind, InForce: inForce, ProvenBy: added.ProvenBy, Until: ahead(added.Until, a.now()),
		Words: objectionWords(added, inForce),
	}, nil
}

func objectionWords(o schema.Objection, inForce bool) string {
	switch {
	case !inForce:
		return publicWords(languageDefault).T("object.noted")
	case o.Until.IsZero():
		return "It holds from the next request on, until you withdraw it."
	}
	return "It holds from the next request on, until " + o.Until.UTC().Format(time.RFC3339) + ". Prove that the host is yours to make it last."
}

// objectionOf reads an order as far as it can be judged without the store.
func (a *API) objectionOf(o ObjectionOrder) (schema.Objection, error) {
	host, err := hostOf(o.Host, "/host")
	if err != nil {
		return schema.Objection{}, err
	}
	if o.Contact != "" && !config.ValidContact(o.Contact) {
		return schema.Objection{}, refuse(schema.RefusalInvalid, codeContactInvalid, "/contact")
	}
	message := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, strings.ReplaceAll(o.Message, "\r\n", "\n"))
	objection := schema.Objection{Host: host, Subdomains: o.Subdomains, Kind: o.Kind, From: o.From, To: o.To, Zone: o.Zone, Factor: o.Factor, Contact: o.Contact, Message: message}
	if o.Kind == schema.ObjectionSlower && o.Factor == 0 {
		objection.Factor = schema.ObjectionFactorMin
	}
	if o.Kind == schema.ObjectionQuietHours && o.Zone == "" {
		objection.Zone = "UTC"
	}
	return objection, objection.Validate()
}

// provenBy finds out whether a request carries the proof of a host: none where it
// carries nothing, a Refusal where it carries something else.
func (a *API) provenBy(ctx context.Context, host, authorization string) (schema.ObjectionProof, error) {
	if authorization == "" {
		return schema.ProvenByNone, nil
	}
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", refuse(schema.RefusalUnauth, codeTokenMissing, "Authorization:")
	}
	proven, method, err := a.Visited.ProofOf(ctx, hashToken(strings.TrimSpace(token)))
	switch {
	case err != nil:
		return "", err
	case proven == "":
		return "", refuse(schema.RefusalUnauth, codeTokenUnknown, "Authorization:")
	case proven != host:
		return "", refuse(schema.RefusalForbidden, codeOtherHost, "/host")
	}
	return method, nil
}

// objectionKeyPrefix lets people recognise keys of objections.
const objectionKeyPrefix = "vok_"

func (a *API) withdraw(ctx context.Context, in *withdrawalInput) (*struct{}, error) {
	if err := knownShape(in.Ticket); err != nil {
		return nil, err
	}
	fits, err := a.Visited.ObjectionKeyFits(ctx, in.Ticket, hashToken(in.Body.Key))
	if err != nil {
		return nil, err
	}
	if !fits { // a wrong key is answered like a ticket that is not there
		return nil, notFound()
	}
	if err := a.Visited.WithdrawObjection(ctx, in.Ticket); err != nil {
		var gone *schema.Refusal
		if errors.As(err, &gone) {
			return nil, notFound()
		}
		return nil, err
	}
	a.log.InfoContext(ctx, "objection withdrawn", "ticket", in.Ticket)
	return nil, nil
}
