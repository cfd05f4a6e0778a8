package postgres

import (
	"context"
	"sync"
	"time"
)

const (
	togetherMost  = 64               // questions in one statement
	togetherLimit = 10 * time.Second // for one statement, its repeats included
)

// together asks PostgreSQL in one statement what is asked for under one key while
// an earlier statement of that key is under way. Whoever comes first asks at
// once, for all that wait by then; nobody waits for more to come.
type together[K comparable, Q, A any] struct {
	do func(ctx context.Context, key K, questions []Q) ([]A, error) // as many answers as questions

	mu    sync.Mutex
	lines map[K][]*question[Q, A] // who waits; a key that is there is under way
}

type question[Q, A any] struct {
	question Q
	answer   A
	err      error
	done     chan struct{} // answered by another's statement
	lead     chan struct{} // it is this one's turn to ask
}

func newTogether[K comparable, Q, A any](do func(context.Context, K, []Q) ([]A, error)) *together[K, Q, A] {
	return &together[K, Q, A]{do: do, lines: map[K][]*question[Q, A]{}}
}

// ask waits for an answer even where its caller has given up meanwhile, at most
// for two statements: others' questions may be with it.
func (t *together[K, Q, A]) ask(ctx context.Context, key K, q Q) (A, error) {
	mine := &question[Q, A]{question: q, done: make(chan struct{}), lead: make(chan struct{})}
	if err := ctx.Err(); err != nil {
		return mine.answer, err
	}
	t.mu.Lock()
	waiting, busy := t.lines[key]
	if busy {
		t.lines[key] = append(waiting, mine)
	} else {
		t.lines[key] = nil
	}
	t.mu.Unlock()
	if busy {
		select {
		case <-mine.done:
			return mine.answer, mine.err
		case <-mine.lead:
		}
	}
	defer t.handOver(key)
	t.askAll(ctx, key, append([]*question[Q, A]{mine}, t.take(key)...))
	return mine.answer, mine.err
}

func (t *together[K, Q, A]) take(key K) []*question[Q, A] {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting := t.lines[key]
	n := min(len(waiting), togetherMost-1)
	t.lines[key] = waiting[n:]
	return waiting[:n:n]
}

func (t *together[K, Q, A]) askAll(ctx context.Context, key K, asked []*question[Q, A]) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), togetherLimit)
	defer cancel()
	questions := make([]Q, len(asked))
	for i, q := range asked {
		questions[i] = q.question
	}
	answers, err := t.do(ctx, key, questions)
	for i, q := range asked {
		if q.err = err; err == nil {
			q.answer = answers[i]
		}
		close(q.done)
	}
}

// handOver lets the next one ask, or frees the key.
func (t *together[K, Q, A]) handOver(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting := t.lines[key]
	if len(waiting) == 0 {
		delete(t.lines, key)
		return
	}
	t.lines[key] = waiting[1:]
	close(waiting[0].lead)
}
