package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"visite/api"
	"visite/schema"
)

// stream is an open event stream, read line by line.
type stream struct {
	t       *testing.T
	lines   *bufio.Scanner
	close   func()
	header  http.Header
	comment int
}

func (e *edge) follow(token, scanID string) *stream {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(e.t.Context(), 20*time.Second)
	req, err := http.NewRequestWithContext(ctx, "GET", e.server.URL+"/v1/scans/"+scanID+"/events", nil)
	check(e.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	check(e.t, err)
	s := &stream{t: e.t, lines: bufio.NewScanner(resp.Body), header: resp.Header, close: func() { resp.Body.Close(); cancel() }}
	e.t.Cleanup(s.close)
	if resp.StatusCode != 200 {
		e.t.Fatalf("status %d", resp.StatusCode)
	}
	return s
}

// next is the next event; ok is false at the end of the stream.
func (s *stream) next() (id, name string, event api.ScanEvent, ok bool) {
	s.t.Helper()
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			check(s.t, json.Unmarshal([]byte(value), &event))
			ok = true
		case "":
			if value != "" {
				s.comment++
			} else if ok {
				return id, name, event, true
			}
		}
	}
	return "", "", event, false
}

func TestEventsUntilTheScanHasEnded(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.EventPoll, o.Heartbeat = 10*time.Millisecond, 50*time.Millisecond })
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	s := e.follow(token, scan.ID)
	if got := s.header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	id, name, event, ok := s.next()
	if !ok || id != "1" || name != "progress" || event.State != "queued" || event.Final || event.ScanID != scan.ID {
		t.Fatalf("%q %q %+v", id, name, event)
	}
	time.Sleep(200 * time.Millisecond)
	e.record(scan.ID, 4)
	until := time.Now().Add(time.Minute).Truncate(time.Millisecond)
	check(t, e.store.SetPhase(t.Context(), scan.ID, schema.PhasePages, "a pause", until))
	for ok && (event.WaitingFor == "" || event.Progress.Done < 4) {
		_, _, event, ok = s.next()
	}
	if event.Phase != "pages" || event.Progress.Done != 4 || event.Progress.Findings != 4 || event.WaitingUntil == nil || !event.WaitingUntil.Equal(until) || event.State != "running" {
		t.Errorf("%+v", event)
	}
	if s.comment == 0 {
		t.Error("no comment kept the silent stream alive")
	}
	check(t, e.store.Finish(t.Context(), scan.ID, schema.ScanStopped, "three_failures"))
	id, _, event, ok = s.next()
	if !ok || id != "final" || !event.Final || event.State != "stopped" || event.StateReason != "three_failures" || event.Progress.Done != 4 {
		t.Errorf("%q %+v", id, event)
	}
	if _, _, _, more := s.next(); more {
		t.Error("an event after the last")
	}
}

func TestEventsOfAnEndedScan(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	check(t, e.store.Finish(t.Context(), scan.ID, schema.ScanFinished, ""))
	path := "/v1/scans/" + scan.ID + "/events"
	// Whatever a client says it saw last, it gets the whole state.
	for _, last := range []string{"", "7", "nonsense"} {
		a := e.call("GET", path, token, nil, "Last-Event-ID", last).want(200, nil)
		if text := string(a.body); !strings.HasPrefix(text, "id: final\nevent: progress\ndata: {") || !strings.HasSuffix(text, "}\n\n") || strings.Count(text, "data:") != 1 {
			t.Errorf("after %q: %q", last, text)
		}
	}
	// A browser that saw the last event is told not to come back.
	if a := e.call("GET", path, token, nil, "Last-Event-ID", "final").want(204, nil); len(a.body) != 0 {
		t.Errorf("body %q", a.body)
	}
}

func TestShutdownEndsTheStreams(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.EventPoll = 10 * time.Millisecond })
	token := e.workspace("w")
	s := e.follow(token, e.scan(token, "http://localhost:4000/").ID)
	if _, _, _, ok := s.next(); !ok {
		t.Fatal("no event")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	check(t, e.server.Config.Shutdown(ctx))
	if _, _, _, ok := s.next(); ok {
		t.Error("an event after the shutdown")
	}
}

func TestStreamsOfAWorkspaceAreBounded(t *testing.T) {
	e := newEdge(t)
	token, other := e.workspace("w"), e.workspace("other")
	scan := e.scan(token, "http://localhost:4000/")
	var open []*stream
	for range 50 {
		open = append(open, e.follow(token, scan.ID))
	}
	e.call("GET", "/v1/scans/"+scan.ID+"/events", token, nil).problem(429, "too-many-streams")
	e.follow(other, e.scan(other, "http://localhost:4000/").ID)
	open[0].close()
	deadline := time.Now().Add(10 * time.Second)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		req, err := http.NewRequestWithContext(ctx, "GET", e.server.URL+"/v1/scans/"+scan.ID+"/events", nil)
		check(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		check(t, err)
		resp.Body.Close()
		cancel()
		if resp.StatusCode == 200 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a closed stream still counts")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
