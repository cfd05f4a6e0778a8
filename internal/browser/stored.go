package browser

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// maxStored bounds what is told of one page, and remembered of one run.
const (
	maxStored      = 200
	maxStoredOfRun = 5_000
)

// storedKey is a name in the storage of the page's origin.
type storedKey struct {
	Kind schema.StoredKind `json:"kind"`
	Name string            `json:"name"`
}

// stored is what pages of a run were seen to have left in the browser: each is
// told once, of the page after which it was first there.
type stored struct {
	mu  sync.Mutex
	met map[string]bool
}

// fresh tells whether something is met for the first time.
func (s *stored) fresh(of schema.Stored) bool {
	key := string(of.Kind) + "\x00" + of.Host + "\x00" + of.Name
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.met[key] || len(s.met) >= maxStoredOfRun {
		return false
	}
	if s.met == nil {
		s.met = map[string]bool{}
	}
	s.met[key] = true
	return true
}

// look notes the names of what pages left in the run's browser context: cookies,
// whoever set them, and storage of the page's own origin. Values are not looked at.
func (t *tab) look(r *run, st state, out *Rendered) {
	refused := t.asked.isRefused() && r.banners.open.Load() == 0 // what the run shares, another visit may have set
	add := func(s schema.Stored) {
		s.Refused = refused
		if len(out.Observed.Stored) < maxStored && r.stored.fresh(s) {
			out.Observed.Stored = append(out.Observed.Stored, s)
		}
	}
	host := t.asked.documentHost()
	for _, k := range st.Keys {
		if k.Kind == schema.StoredLocal || k.Kind == schema.StoredSession {
			add(schema.Stored{Kind: k.Kind, Name: k.Name, Host: host})
		}
	}
	cookies, err := proto.StorageGetCookies{BrowserContextID: r.id}.Call(t.inst.channel(t.ctx, "").within(callLimit))
	if err != nil {
		return
	}
	found := make([]schema.Stored, 0, len(cookies.Cookies))
	now := time.Now()
	for _, c := range cookies.Cookies {
		s := schema.Stored{Kind: schema.StoredCookie, Name: c.Name, Host: strings.ToLower(strings.TrimPrefix(c.Domain, ".")), Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: string(c.SameSite)}
		if !c.Session {
			s.Days = max(int(math.Ceil(time.Unix(int64(c.Expires), 0).Sub(now).Hours()/24)), 1)
		}
		found = append(found, s)
	}
	slices.SortFunc(found, func(a, b schema.Stored) int {
		return strings.Compare(a.Host+"\x00"+a.Name, b.Host+"\x00"+b.Name)
	})
	for _, s := range found {
		add(s)
	}
}

// leave ends a visit's part in the run. What one left that had not refused when
// another did is looked at before anybody takes it for what came after.
func (t *tab) leave(r *run, out *Rendered) {
	if t.asked.isRefused() {
		return
	}
	if r.banners.no.Load() {
		t.look(r, state{}, out)
	}
	r.banners.open.Add(-1)
}
