package browser

import (
	"context"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// targets lists the pages open in Chromium.
func targets(t *testing.T, b *Browser) []string {
	t.Helper()
	r, err := proto.TargetGetTargets{}.Call(instanceOf(b).channel(t.Context(), ""))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, info := range r.TargetInfos {
		if info.Type == proto.TargetTargetInfoTypePage {
			out = append(out, info.URL)
		}
	}
	return out
}

// heldTab is a tab that shows a page and is not inspected.
func heldTab(t testing.TB, b *Browser, d *door, path string) *tab {
	t.Helper()
	v := visitOf(t, b, d, path)
	r, err := b.enter(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	tb, err := r.instance.create(ctx, r.id, callLimit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tb.close(); cancel(); b.leave(v.ScanID, r) })
	tb.agent = r.instance.who.override(v.UserAgent, v.Device)
	if err := tb.prepare(v, b.scripts); err != nil {
		t.Fatal(err)
	}
	var out Rendered
	if came, err := tb.open(v.URL, callLimit, &out); err != nil || !came {
		t.Fatal(came, err)
	}
	if err := tb.awaitLoad(ctx, callLimit, &out); err != nil {
		t.Fatal(err)
	}
	return tb
}

// instanceOf is the Chromium in use.
func instanceOf(b *Browser) *instance {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.instance
}
