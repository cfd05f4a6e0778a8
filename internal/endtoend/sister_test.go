package endtoend_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
	"visite/schema"
	"visite/workflows"
)

// A scan whose address leads to a sister host of the site loads as many pages there
// as were ordered: the redirect was none. Each host's robots.txt is read first, and
// one that goes from sister to sister is followed a few times only.
//
// proves S-25, R-10
func TestARedirectToTheSisterHostTakesNoPageAway(t *testing.T) {
	t.Parallel()
	site := fixturesite.New(plain("/page", `<a href="/second">on</a>`), plain("/second", `<a href="/third">on</a>`), plain("/third", "the end"))
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<!doctype html><html lang="en"><title>Home</title><a href="/second">on</a>`) // a client that has gone is no matter
	})
	site.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		host, port, _ := strings.Cut(r.Host, ":")
		var next string
		switch {
		case host == "shop.test":
			next = "www.shop.test"
		case host == "www.shop.test", host == "away.test":
			page(w, r)
			return
		case host == "round.test":
			next = "a.round.test"
		default: // a.round.test, b.round.test and so on, without end
			next = string(host[0]+1) + host[1:]
		}
		http.Redirect(w, r, "http://"+next+":"+port+"/", http.StatusMovedPermanently)
	})
	on(t, "127.0.8.1", site)
	names := map[string]string{"shop.test": "127.0.8.1", "www.shop.test": "127.0.8.1", "round.test": "127.0.8.1"}
	for c := 'a'; c <= 'p'; c++ {
		names[string(c)+".round.test"] = "127.0.8.1"
	}
	r := newLinkRig(t, names)
	_, port, _ := strings.Cut(strings.TrimPrefix(site.URL(""), "http://"), ":")
	run := func(ws, host string, pages int) (schema.Scan, map[schema.Outcome][]string) {
		scan, run := r.startAt(r.customer(ws), "http://"+host+":"+port+"/", pages)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		var result workflows.ScanResult
		if err := run.Get(ctx, &result); err != nil {
			t.Fatal(err)
		}
		list, err := r.store.Pages(ctx, scan.ID, schema.PageFilter{}, schema.Range{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		by := map[schema.Outcome][]string{}
		for _, p := range list {
			by[p.Outcome] = append(by[p.Outcome], strings.ReplaceAll(p.URL, ":"+port, ""))
		}
		return scan, by
	}
	for _, pages := range []int{1, 2} {
		_, by := run(fmt.Sprint(pages), "shop.test", pages)
		if len(by[schema.OutcomeAnalysed]) != pages || len(by[schema.OutcomeDuplicate]) != 1 || by[schema.OutcomeDuplicate][0] != "http://shop.test/" {
			t.Errorf("%d pages ordered: %v", pages, by)
		}
	}
	site.Arrivals().RobotsFirst(t)
	site.Forget()
	_, by := run("round", "round.test", 1)
	if len(by[schema.OutcomeAnalysed]) != 0 {
		t.Errorf("%v", by)
	}
	if n := site.Arrivals().Count("/"); n != 4 {
		t.Errorf("round and round arrived %q, want four addresses asked for", requests(site))
	}
}
