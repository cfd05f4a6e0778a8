package browser

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"visite/schema"
)

// MaxValidated is the longest served source, in bytes, that is validated: the time
// it takes grows faster than the source.
const MaxValidated = 150_000

// maxValidities bounds how many verdicts are remembered; they are a few lines each.
const maxValidities = 200

// validator judges served sources in a tab of its own that holds no page, can reach
// nothing, and serves all visits of one Chromium, one after the other.
type validator struct {
	turn  chan struct{} // who has the token uses the tab
	world *world        // nil until it is first needed, and after trouble

	mu    sync.Mutex
	known map[[sha256.Size]byte]schema.ValidityResults // by source: it is judged once
}

func newValidator() *validator {
	v := &validator{turn: make(chan struct{}, 1), known: map[[sha256.Size]byte]schema.ValidityResults{}}
	v.turn <- struct{}{}
	return v
}

// validation is a verdict that is being made beside the visit.
type validation struct {
	done   chan struct{}
	result *schema.ValidityResults // nil: not checked; to be read after done
}

// validate begins to judge the served source beside the visit; nil where that is
// not asked for.
func (t *tab) validate(v Visit, s scripts, limit time.Duration) *validation {
	if v.Markup == nil {
		return nil
	}
	out := &validation{done: make(chan struct{})}
	go func() {
		defer close(out.done)
		source := v.Markup()
		if len(source) == 0 || len(source) > MaxValidated {
			return
		}
		if r, err := t.inst.valid(t.ctx, string(source), s.validity, limit); err == nil {
			out.result = &r
		}
	}()
	return out
}

// await waits for the verdict as long as the visit may take; without one, or with
// one on a part, the page says so.
func (v *validation) await(ctx context.Context, out *Rendered) {
	if v == nil {
		return
	}
	select {
	case <-v.done:
		out.Validity = v.result
	case <-ctx.Done():
	}
	if out.Validity == nil || !out.Validity.Whole {
		out.note(schema.NoteValidityUnchecked)
	}
}

// valid judges a source in the validator's tab, within limit once it is its turn.
func (i *instance) valid(ctx context.Context, source, script string, limit time.Duration) (schema.ValidityResults, error) {
	v, key := i.validator, sha256.Sum256([]byte(source))
	if r, ok := v.recall(key); ok {
		return r, nil
	}
	waiting, cancel := context.WithTimeoutCause(ctx, limit, errNoAnswer)
	defer cancel()
	select {
	case <-v.turn:
		defer func() { v.turn <- struct{}{} }()
	case <-waiting.Done():
		return schema.ValidityResults{}, context.Cause(waiting)
	}
	if r, ok := v.recall(key); ok { // judged while this one waited
		return r, nil
	}
	r, err := v.judge(ctx, i, source, script, limit)
	if err != nil {
		return r, err
	}
	v.remember(key, r)
	return r, nil
}

// judge is for who has the turn. A tab that gave no answer is not used again.
func (v *validator) judge(ctx context.Context, i *instance, source, script string, limit time.Duration) (r schema.ValidityResults, err error) {
	if v.world == nil || v.world.tab.ctx.Err() != nil {
		if v.world, err = i.desk(script); err != nil {
			return r, err
		}
	}
	if ctx.Err() != nil { // the visit ended meanwhile: the tab is the next one's
		return r, context.Cause(ctx)
	}
	left := limit
	if until, ok := ctx.Deadline(); ok {
		if left = min(limit, time.Until(until)); left <= 0 {
			return r, errDeadline
		}
	}
	if err = v.world.within(ctx, left, "validity("+literal(source)+")", &r); err != nil && !errors.Is(err, errScript) {
		go v.world.tab.close()
		v.world = nil
	}
	return r, err
}

func (v *validator) recall(key [sha256.Size]byte) (schema.ValidityResults, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, ok := v.known[key]
	return r, ok
}

func (v *validator) remember(key [sha256.Size]byte, r schema.ValidityResults) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= maxValidities {
		clear(v.known)
	}
	v.known[key] = r
}
