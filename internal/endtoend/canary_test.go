package endtoend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/encoding/protojson"

	"visite/internal/fixturesite"
)

// proves C-36, C-58, C-60, C-61, S-24, R-23
func TestNoTextOfAPageIsKeptAnywhere(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"browser", "http"} {
		t.Run(engine, func(t *testing.T) {
			site := trackedSite(fixturesite.Plan{Pages: 4, Faults: true, Canary: true, Sitemap: true}).Start(t)
			temp := shortTempDir(t)
			d := deploy(t, "VISITE_LOG_LEVEL=debug", "TMPDIR="+temp, "VISITE_TRACKER_LISTS="+trackerLists(t), "XDG_CACHE_HOME="+temp)
			var of struct{ ID string }
			d.call(http.MethodPost, "/v1/sites", d.token, order{"url": site.URL("/")}, &of)
			d.call(http.MethodPut, "/v1/sites/"+of.ID+"/previews", d.token, order{"enabled": true, "expires_at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, nil)
			s := d.scan(order{"url": site.URL("/"), "engine": engine})
			if s = d.finish(s.ID, 4*time.Minute); s.State != "finished" || s.Progress.Analysed != 4 {
				t.Fatalf("scan %+v", s)
			}
			searched := map[string][]byte{}
			dumpDatabase(t, d.database, searched)
			searched["workflow history"] = history(t, d, workflowID(s))
			_, searched["JSON report"] = d.request("GET", "/v1/scans/"+s.ID+"/report", d.token, nil, "Accept", "application/json")
			_, searched["HTML report"] = d.request("GET", "/v1/scans/"+s.ID+"/report", d.token, nil, "Accept", "text/html")
			previews(t, d, engine, searched)
			readFolder(t, d.logs, searched)
			toldByLists(t, searched["JSON report"], engine == "browser")
			d.temporal.Kill() // so that its database file is complete
			readFolder(t, filepath.Dir(d.logs), searched)
			d.worker.kill()
			readFolder(t, temp, searched)
			if len(searched["JSON report"]) < 1000 || len(searched["workflow history"]) < 1000 || len(searched["table pages"]) < 100 {
				t.Fatal("there is nothing to search in")
			}
			for where, raw := range searched {
				for _, canary := range fixturesite.Canaries() {
					if i := bytes.Index(bytes.ToLower(raw), bytes.ToLower([]byte(canary))); i >= 0 {
						t.Errorf("%q is in %s: …%.120q", canary, where, raw[max(0, i-60):])
					}
				}
			}
		})
	}
}

// trackedSite is the planned site, each page of which tells a host that no list of
// companies has who was there: with a query that is a canary.
func trackedSite(plan fixturesite.Plan) *fixturesite.Site {
	site, inner := plan.Site(), plan.Site().Handler()
	for i := range plan.Pages {
		site.HandleFunc(plan.Path(i), func(w http.ResponseWriter, r *http.Request) {
			was := httptest.NewRecorder()
			inner.ServeHTTP(was, r)
			body := bytes.Replace(was.Body.Bytes(), []byte("</body>"), []byte(`<script>new Image().src = "http://count.elsewhere.test/i.gif?who=`+fixturesite.CanaryValue+`"</script></body>`), 1)
			maps.Copy(w.Header(), was.Header())
			w.Header().Del("Content-Length")
			w.WriteHeader(was.Code)
			_, _ = w.Write(body)
		})
	}
	return site
}

// trackerLists is a folder of lists of trackers.
func trackerLists(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"easyprivacy.txt": "||elsewhere.test^$third-party\n", "easylist.txt": "||ads.test^\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// toldByLists: pages of a browser were judged by the lists, once they were loaded;
// what a script asks for, the http engine does not see.
func toldByLists(t *testing.T, raw []byte, browser bool) {
	t.Helper()
	var r struct {
		Pages []struct {
			TrackersBy string `json:"trackers_by"`
			Findings   []struct{ Rule, Detail string }
		} `json:"pages"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	lists := 0
	for _, p := range r.Pages {
		named := false
		for _, f := range p.Findings {
			named = named || (f.Rule == "tracker-before-consent" && f.Detail == "elsewhere.test, EasyPrivacy")
		}
		if named != (p.TrackersBy == "lists") {
			t.Errorf("told by %q, and the tracker is named: %v", p.TrackersBy, named)
		}
		if named {
			lists++
		}
	}
	if browser != (lists > 0) {
		t.Errorf("%d of %d pages were judged by lists", lists, len(r.Pages))
	}
}

// previews reads those of all pages of a scan in a browser, with findings marked on
// them; the other engine draws none.
func previews(t *testing.T, d *deployment, engine string, into map[string][]byte) {
	t.Helper()
	var report struct {
		Pages []struct {
			URL     string
			Preview *struct {
				Path   string
				Places []struct{ Selector string }
			}
		}
	}
	if err := json.Unmarshal(into["JSON report"], &report); err != nil {
		t.Fatal(err)
	}
	marked := 0
	for _, page := range report.Pages {
		if page.Preview == nil {
			continue
		}
		marked += len(page.Preview.Places)
		status, picture := d.request(http.MethodGet, page.Preview.Path, d.token, nil)
		if status != http.StatusOK || bytes.Count(picture, []byte("<path ")) < 3 {
			t.Errorf("%s: %d %.300s", page.Preview.Path, status, picture)
		}
		into["preview of "+page.URL] = picture
	}
	if (marked > 0) != (engine == "browser") || (marked > 0) != bytes.Contains(into["HTML report"], []byte("<use ")) {
		t.Errorf("%d places are marked", marked)
	}
}

// shortTempDir is a folder with a short name: Chromium puts sockets there.
func shortTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "vc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// dumpDatabase reads every row of every table as text.
func dumpDatabase(t *testing.T, url string, into map[string][]byte) {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rows, err := conn.Query(ctx, `SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		rows, err := conn.Query(ctx, `SELECT t::text FROM `+table+` t`)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			into["table "+trimSchema(table)] = append(into["table "+trimSchema(table)], line+"\n"...)
		}
	}
}

func trimSchema(table string) string {
	if _, name, ok := bytes.Cut([]byte(table), []byte(".")); ok {
		return string(name)
	}
	return table
}

// history is a workflow's whole history in readable form, payloads decoded.
func history(t *testing.T, d *deployment, id string) []byte {
	t.Helper()
	var out []byte
	for it := d.temporalClient().GetWorkflowHistory(t.Context(), id, "", false, 0); it.HasNext(); {
		event, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := protojson.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, raw...)
		for _, p := range event.GetActivityTaskScheduledEventAttributes().GetInput().GetPayloads() {
			out = append(out, p.GetData()...)
		}
		for _, p := range event.GetActivityTaskCompletedEventAttributes().GetResult().GetPayloads() {
			out = append(out, p.GetData()...)
		}
	}
	return out
}

// readFolder reads every file below a folder.
func readFolder(t *testing.T, dir string, into map[string][]byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err == nil {
			into["file "+path] = raw
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
