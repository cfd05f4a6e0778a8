package schema

import "fmt"

// RefusalKind sorts the requests of customers that we decline.
type RefusalKind string

const (
	RefusalInvalid   RefusalKind = "invalid"
	RefusalNotFound  RefusalKind = "not_found"
	RefusalConflict  RefusalKind = "conflict"
	RefusalForbidden RefusalKind = "forbidden"
	RefusalBusy      RefusalKind = "busy"
	RefusalUnauth    RefusalKind = "unauthenticated"
)

// Refusal declines a customer's request: which field, why, and what to do.
type Refusal struct {
	Kind   RefusalKind
	Field  string // JSON pointer of the field, "/url"; empty where none is at fault
	Code   string // stable, kebab case, e.g. "scheme-not-web"
	Detail string // one sentence: what is wrong
	Remedy string // one sentence: what to do
}

// Error makes a Refusal usable as an error value.
func (r *Refusal) Error() string {
	where := ""
	if r.Field != "" {
		where = r.Field + ": "
	}
	return fmt.Sprintf("%s%s %s", where, r.Detail, r.Remedy)
}
