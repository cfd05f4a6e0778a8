package endtoend_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"visite/internal/fixturesite"
	"visite/schema"
)

// A server that objects while addresses of it are asked for gets nothing more: not
// the GET that would follow its HEAD, not the addresses left, not its robots.txt,
// for no customer. Another server's checks go on.
//
// proves C-43, S-49
func TestAnObjectionEndsLinkChecksOfTheServer(t *testing.T) {
	t.Parallel()
	other, willing := fixturesite.New(), fixturesite.New()
	willing.Handle("/*", status(200))
	on(t, "127.0.7.2", willing)
	r := newLinkRig(t, nil)
	var mu sync.Mutex
	var asked []string // by HEAD
	other.HandleFunc("/*", byMethod(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if asked = append(asked, req.URL.Path); len(asked) < 2 {
			return
		}
		if _, err := r.book.AddObjection(t.Context(), schema.Objection{Host: hostOf(other), Kind: schema.ObjectionStop}); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusNotFound)
	}, status(200)))
	on(t, "127.0.7.1", other)
	var addresses []string
	for i := range 4 {
		addresses = append(addresses, other.URL(fmt.Sprintf("/%d", i)))
	}
	links := r.scan(r.customer("one"), linking(t, append(addresses, willing.URL("/a"), willing.URL("/b"))...))
	if len(asked) != 2 || len(requests(other)) != 2 {
		t.Fatalf("arrived %q, want two HEADs", requests(other))
	}
	for _, a := range addresses {
		if a == other.URL(asked[0]) {
			wantLink(t, links, a, schema.LinkOK, 200, "")
			continue
		}
		wantLink(t, links, a, schema.LinkUnchecked, 0, schema.ReasonObjection)
	}
	for _, path := range []string{"/a", "/b"} {
		wantLink(t, links, willing.URL(path), schema.LinkOK, 200, "")
	}
	other.Forget()
	again := r.scan(r.customer("two"), linking(t, other.URL("/new")))
	if arrived := other.Arrivals(); len(arrived) > 0 {
		t.Errorf("for another customer arrived %q", arrived.Requests())
	}
	if l := again[other.URL("/new")]; l.Verdict != schema.LinkUnchecked {
		t.Errorf("%+v", l)
	}
}
