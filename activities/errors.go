package activities

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"

	"visite/schema"
)

// Error types that workflows tell apart.
const (
	// ErrTypeRefusal marks a customer's impossible request; repeating is useless.
	ErrTypeRefusal = "Refusal"
	// ErrTypeFault marks our own trouble; repeating may help.
	ErrTypeFault = "Fault"
)

// asFault turns an error of a step into what Temporal sees: refusals are not
// retried, everything else is ours or passing. One of two translation tables
// (the other is api/errors.go).
func asFault(step string, err error) error {
	if err == nil {
		return nil
	}
	var refusal *schema.Refusal
	if errors.As(err, &refusal) {
		return temporal.NewNonRetryableApplicationError(refusal.Error(), ErrTypeRefusal, nil, refusal.Code)
	}
	return temporal.NewApplicationErrorWithCause(fmt.Sprintf("%s: %v", step, err), ErrTypeFault, err)
}
