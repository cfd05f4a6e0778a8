package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"visite/schema"
)

// compileLimit bounds the compiling of the lists: some seconds on a quiet machine.
const compileLimit = 5 * time.Minute

// matcher tells which requests the lists of trackers name. It lives in a tab of
// its own that holds no page of anybody and reaches no network.
type matcher struct {
	ready chan struct{} // closed once it judges, or never will
	world world
	err   error // why it never will

	mu    sync.Mutex
	until time.Time // so long pages wait for ready; zero before the first does
}

// question is a request that is to be judged. It lives in memory only.
type question struct {
	URL  string `json:"url"`
	Type string `json:"type"` // as the matcher calls it
	file int
}

// matching is this Chromium's matcher; the first call begins to load it. Nil where
// there are no lists.
func (i *instance) matching(o Options, script string) *matcher {
	if o.Lists == "" {
		return nil
	}
	i.matchOnce.Do(func() {
		m := &matcher{ready: make(chan struct{})}
		i.matcher = m
		go func() {
			defer close(m.ready)
			if m.err = m.load(i, o, script); m.err != nil && i.alive() {
				o.Log.Warn("the lists of trackers cannot be used; trackers are judged by names alone", "error", m.err)
			}
		}()
	})
	return i.matcher
}

func (m *matcher) load(i *instance, o Options, script string) error {
	began := time.Now()
	lists, err := readLists(o.Lists)
	if err != nil {
		return err
	}
	w, err := i.desk(script)
	if err != nil {
		return err
	}
	if err := fill(*w, o, compiledOf(o.CacheDir, script, lists), lists); err != nil {
		w.tab.close()
		return err
	}
	m.world = *w
	context.AfterFunc(w.tab.ctx, func() {
		if i.alive() && errors.Is(context.Cause(w.tab.ctx), errCrashed) {
			o.Log.Warn("the tab with the lists of trackers crashed; trackers are judged by names alone until Chromium is started anew")
		}
	})
	o.Log.Info("lists of trackers are ready", "folder", o.Lists, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// fill puts the lists into the tab, compiled before where that was kept.
func fill(w world, o Options, kept compiled, lists [2]string) error {
	if text, ok := kept.read(); ok && w.run(compileLimit, "visiteTrackers.load("+literal(text)+")", nil) == nil {
		return nil
	}
	if err := w.run(compileLimit, "visiteTrackers.compile("+literal(lists[0])+","+literal(lists[1])+")", nil); err != nil {
		return err
	}
	keep(w, kept, o.Log)
	return nil
}

// keep leaves the compiled lists for the next Chromium; without it that takes longer.
func keep(w world, kept compiled, log *slog.Logger) {
	if kept.path == "" {
		return
	}
	var text string
	err := w.run(compileLimit, "visiteTrackers.save()", &text)
	if err == nil {
		err = kept.write(text)
	}
	if err != nil {
		log.Warn("the compiled lists of trackers are not kept", "error", err)
	}
}

// literal is a value as it may stand in a script (ECMA-262: JSON is a subset).
func literal(v any) string {
	b, _ := json.Marshal(v) // texts, and structs of texts
	return string(b)
}

// judge tells of each request of a page on a host which list names it.
func (m *matcher) judge(ctx context.Context, host string, asks []question) ([]schema.TrackerList, error) {
	select {
	case <-m.ready:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if m.err != nil {
		return nil, m.err
	}
	w := m.world
	var verdicts string
	if err := w.within(ctx, compileLimit, "visiteTrackers.judge("+literal(host)+","+literal(asks)+")", &verdicts); err != nil {
		return nil, err
	}
	if len(verdicts) != len(asks) {
		return nil, fmt.Errorf("browser: %d verdicts about %d requests", len(verdicts), len(asks))
	}
	out := make([]schema.TrackerList, len(asks))
	for i := range out {
		switch verdicts[i] {
		case 'p':
			out[i] = schema.ListEasyPrivacy
		case 'e':
			out[i] = schema.ListEasyList
		}
	}
	return out, nil
}

// patience is how long a page may wait for its answer. For lists that are still
// being loaded all pages of a Chromium wait together no longer than one may.
func (m *matcher) patience(limit time.Duration) time.Duration {
	select {
	case <-m.ready:
		return limit
	default:
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.until.IsZero() {
		m.until = time.Now().Add(limit)
	}
	return time.Until(m.until)
}

// listed begins to judge whom the page asked, and returns what ends it: that waits
// a little while the lists are still being loaded, and puts down what they say.
func (t *tab) listed(m func() *matcher, l limits) func(*Rendered) {
	host, asks := t.asked.questions()
	if len(asks) == 0 {
		return func(*Rendered) {}
	}
	with := m()
	if with == nil {
		return func(out *Rendered) { out.Observed.TrackersBy = schema.TrackersByNames }
	}
	ctx, cancel := context.WithCancel(t.ctx)
	var lists []schema.TrackerList
	done := make(chan struct{})
	go func() {
		defer close(done)
		lists, _ = with.judge(ctx, host, asks)
	}()
	return func(out *Rendered) {
		late := time.AfterFunc(min(with.patience(l.lists), t.left()/2), cancel)
		<-done
		late.Stop()
		cancel()
		out.Observed.TrackersBy = schema.TrackersByNames
		if lists != nil {
			out.Observed.TrackersBy = schema.TrackersByLists
			t.asked.name(asks, lists, out.Observed.Contacts)
		}
	}
}
