package courtesy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/schema"
)

func (h *harness) object(o schema.Objection) schema.Objection {
	h.t.Helper()
	added, err := h.store.AddObjection(within(h.t), o)
	fatal(h.t, err)
	return added
}

// quietNow are quiet hours that hold for at least the next two hours.
func quietNow(host string) schema.Objection {
	now := time.Now().UTC()
	return schema.Objection{Host: host, Kind: schema.ObjectionQuietHours, From: now.Add(-time.Hour).Format("15:04"), To: now.Add(3 * time.Hour).Format("15:04"), Zone: "UTC"}
}

// proves C-43, S-49: after an objection nothing is asked for, robots.txt included,
// and what is known of robots.txt stays as it was.
func TestNothingIsSentToAHostThatObjects(t *testing.T) {
	for name, o := range map[string]func(host string) schema.Objection{
		"stop":        func(host string) schema.Objection { return schema.Objection{Host: host, Kind: schema.ObjectionStop} },
		"quiet hours": quietNow,
	} {
		t.Run(name, func(t *testing.T) {
			site := fixturesite.Serve(t, small)
			h := newHarness(t, courtesy.Options{})
			first := visit(site.URL("/a"), free())
			h.load(first)
			site.Forget()
			objection := h.object(o(first.ScopeHost))

			want := schema.Admission{Kind: schema.AdmissionDenied, Reason: schema.ReasonObjection}
			if objection.Kind == schema.ObjectionQuietHours {
				want = schema.Admission{Kind: schema.AdmissionWait, Reason: schema.ReasonQuietHours}
			}
			fresh := visit(site.URL("/a"), free())
			fresh.RobotsSince = time.Now() // robots.txt would have to be read again
			for _, v := range []schema.Visit{visit(site.URL("/a"), free()), inBrowser(visit(site.URL("/a"), free())), fresh} {
				got := h.refused(v)
				if got.Kind != want.Kind || got.Reason != want.Reason || got.Words == "" {
					t.Errorf("answer %+v", got)
				}
				if want.Kind == schema.AdmissionWait { // the end is told; it is asked again after an hour, they may be withdrawn
					if left := time.Until(got.Until); left < 50*time.Minute || left > time.Hour || !strings.Contains(got.Words, "until "+objection.To) {
						t.Errorf("waits %s, %s", left, got.Words)
					}
				}
			}
			if _, got, err := h.ReadRobots(within(t), fresh); err != nil || got.Kind != want.Kind || got.Reason != want.Reason {
				t.Errorf("robots.txt: %+v %v", got, err)
			}
			if n := len(site.Arrivals()); n != 0 {
				t.Errorf("%d requests arrived", n)
			}
			fatal(t, h.store.WithdrawObjection(within(t), objection.ID))
			if facts, _ := h.load(visit(site.URL("/a"), free())); facts.Outcome != schema.OutcomeAnalysed {
				t.Errorf("after the withdrawal: %+v", facts)
			}
		})
	}
}

// proves C-43, S-49: an objection reaches a visit under way before its next
// request, of whatever kind, and its page is not judged.
func TestAnObjectionReachesAVisitUnderWay(t *testing.T) {
	for name, c := range map[string]struct {
		objection func(host string) schema.Objection
		reason    schema.Reason
	}{
		"stop":        {func(host string) schema.Objection { return schema.Objection{Host: host, Kind: schema.ObjectionStop} }, schema.ReasonObjection},
		"quiet hours": {quietNow, schema.ReasonQuietHours},
	} {
		t.Run(name+" between admission and document", func(t *testing.T) {
			site := fixturesite.Serve(t, small)
			h := newHarness(t, courtesy.Options{})
			v := visit(site.URL("/a"), free())
			pass := h.enter(v)
			site.Forget()
			h.object(c.objection(v.ScopeHost))
			if _, _, err := get(t, pass, v.URL); err == nil {
				t.Error("the document came")
			}
			wantObjectedVisit(t, pass, site, c.reason)
		})
		t.Run(name+" between document and file", func(t *testing.T) {
			site := fixturesite.Serve(t, small)
			h := newHarness(t, courtesy.Options{})
			v := inBrowser(visit(site.URL("/a"), free()))
			pass := h.enter(v)
			client := proxied(t, h.Door, pass)
			if resp, _, err := getWith(t, client, v.URL); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("the document did not come: %v", err)
			}
			site.Forget()
			h.object(c.objection(v.ScopeHost))
			if resp, _, err := getWith(t, client, site.URL("/style.css")); err == nil && resp.StatusCode != http.StatusForbidden {
				t.Errorf("the file came with %d", resp.StatusCode)
			}
			wantObjectedVisit(t, pass, site, c.reason)
		})
	}
}

func wantObjectedVisit(t *testing.T, pass *courtesy.Pass, site *fixturesite.Site, reason schema.Reason) {
	t.Helper()
	if facts := pass.Document(); facts.Outcome != schema.OutcomeNotAnalysed || facts.Reason != reason {
		t.Errorf("facts: %s, %s", facts.Outcome, facts.Reason)
	}
	if err := pass.Fault(); err != nil {
		t.Errorf("taken for trouble of ours: %v", err)
	}
	if n := len(site.Arrivals()); n != 0 {
		t.Errorf("%d requests arrived after the objection", n)
	}
}

// An objection of somebody whose files a page loads is theirs alone.
// proves C-43
func TestAnObjectionOfAThirdPartyKeepsItsFilesOutAlone(t *testing.T) {
	site, other := fixturesite.Serve(t, small), fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	v := inBrowser(visit(site.URL("/a"), free()))
	pass := h.enter(v)
	h.object(schema.Objection{Host: visit(other.URL("/"), free()).ScopeHost, Kind: schema.ObjectionStop})
	client := proxied(t, h.Door, pass)
	for _, address := range []string{v.URL, other.URL("/style.css"), site.URL("/style.css")} {
		_, _, _ = getWith(t, client, address) // what came of it is in the facts
	}
	if facts := pass.Document(); facts.Outcome != schema.OutcomeAnalysed {
		t.Errorf("facts: %s, %s", facts.Outcome, facts.Reason)
	}
	if n := len(other.Arrivals()); n != 0 {
		t.Errorf("%d requests arrived at the host that objects", n)
	}
	if site.Arrivals().Count("/style.css") != 1 || pass.Totals().GivenUpFiles != 1 {
		t.Errorf("arrived %q, given up %d", site.Arrivals().Requests(), pass.Totals().GivenUpFiles)
	}
}

// proves S-49, R-07: pauses are as many times as long as the host wishes.
func TestASlowerPaceAtTheSite(t *testing.T) {
	site := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	v := visit(site.URL("/a"), careful())
	h.object(schema.Objection{Host: v.ScopeHost, Kind: schema.ObjectionSlower, Factor: 6})
	h.load(v)
	h.load(visit(site.URL("/"), careful()))
	arrivals := site.Arrivals()
	if len(arrivals) != 3 {
		t.Fatalf("arrived: %q", arrivals.Requests())
	}
	arrivals.MinGap(t, 6*250*time.Millisecond)
}
