package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// callLimit bounds a protocol call that names no limit of its own.
const callLimit = 20 * time.Second

// errNoAnswer is the cause of a call that missed its own limit.
var errNoAnswer = errors.New("browser: no answer in time")

// channel sends protocol calls to the browser (empty session) or to one target.
// It is a proto.Client. rod's own Browser and Page are not used: they keep the
// parameters of each method of each tab for ever, and give a call no deadline.
type channel struct {
	client  *cdp.Client
	session proto.TargetSessionID
	ctx     context.Context
	limit   time.Duration
}

// GetContext returns the context calls run under.
func (c channel) GetContext() context.Context { return c.ctx }

// GetSessionID returns the target's session.
func (c channel) GetSessionID() proto.TargetSessionID { return c.session }

// within returns the channel with another limit for each call.
func (c channel) within(d time.Duration) channel {
	c.limit = d
	return c
}

// Call sends one call and waits for the answer, at most the channel's limit.
// The error never holds parameters or answers: text of pages may be in them.
func (c channel) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, errNoAnswer)
	defer cancel()
	b, err := c.client.Call(ctx, session, method, params)
	if err == nil {
		return b, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("browser: %s: %w", method, context.Cause(ctx))
	}
	var refused *cdp.Error
	if errors.As(err, &refused) {
		return nil, fmt.Errorf("browser: %s: refused with code %d: %s", method, refused.Code, refused.Message)
	}
	return nil, fmt.Errorf("browser: %s: %w (%w)", method, errGone, err) // the pipe ended
}
