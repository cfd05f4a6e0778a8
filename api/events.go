package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"visite/schema"
)

// ScanEvent is the data of a progress event: the whole state, so that a client
// that missed some needs only the newest.
type ScanEvent struct {
	ScanID       string           `json:"scan_id"`
	State        schema.ScanState `json:"state" enum:"queued,running,finished,stopped,refused,cancelled,failed"`
	StateReason  string           `json:"state_reason,omitempty"`
	Final        bool             `json:"final" doc:"The last event; the stream ends after it."`
	Phase        schema.Phase     `json:"phase" enum:"queued,robots,sitemap,pages,verdicts,done"`
	WaitingFor   string           `json:"waiting_for,omitempty"`
	WaitingUntil *time.Time       `json:"waiting_until,omitempty"`
	Progress     schema.Progress  `json:"progress"`
}

const (
	eventName = "progress"
	// finalID is the id of the last event. A browser that comes back with it is
	// told by 204 not to come back again (HTML standard, server-sent events).
	finalID = "final"
	// streamsAtOnce bounds the open streams of one workspace in this process.
	streamsAtOnce = 50
	// streamWithin bounds one stream; clients come back by themselves.
	streamWithin = time.Hour
	eventWithin  = 10 * time.Second // for writing one event
)

type eventsInput struct {
	ScanRef
	LastEventID string `header:"Last-Event-ID" maxLength:"64" doc:"Sent by browsers that come back. Each event is complete, so nothing is repeated or lost."`
}

func (a *API) registerEvents() {
	schemas := a.huma.OpenAPI().Components.Schemas
	event := schemas.Schema(reflect.TypeFor[ScanEvent](), true, "ScanEvent")
	register(a, huma.Operation{
		OperationID: "stream-events", Method: http.MethodGet, Path: "/v1/scans/{id}/events", Tags: []string{"Scans"},
		Summary:     "Follow a scan",
		Description: "Server-sent events: one named progress at once and whenever something changes, until the scan has ended. Each event's data is a ScanEvent. Comments keep the connection alive.",
		Security:    needsWorkspace, Errors: []int{401, 404, 429},
		Responses: map[string]*huma.Response{
			"200": {Description: "A stream of events", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
				Type: huma.TypeArray, Items: event, Description: "Data of the events, in order.",
			}}}},
			"204": {Description: "The scan has ended and its last event was received"},
		},
	}, a.streamEvents)
}

func (a *API) streamEvents(ctx context.Context, in *eventsInput) (*huma.StreamResponse, error) {
	scan, err := a.scanOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if in.LastEventID == finalID && scan.State.Final() {
		return &huma.StreamResponse{Body: func(c huma.Context) { c.SetStatus(http.StatusNoContent) }}, nil
	}
	leave, ok := a.streams.enter(scan.WorkspaceID)
	if !ok {
		return nil, refuse(schema.RefusalBusy, codeTooManyStreams, "")
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		defer leave()
		a.follow(c, scan)
	}}, nil
}

// follow sends the scan's state whenever it differs from what was sent last.
func (a *API) follow(c huma.Context, scan schema.Scan) {
	_, w := humachi.Unwrap(c)
	ctx, cancel := context.WithTimeout(c.Context(), streamWithin)
	defer cancel()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // proxies must not hold events back
	if c.Method() == http.MethodHead {
		return
	}
	s := &eventStream{w: w, control: http.NewResponseController(w), id: 0}
	poll := time.NewTicker(a.EventPoll)
	defer poll.Stop()
	for {
		event, err := a.eventOf(ctx, scan.WorkspaceID, scan.ID)
		if err != nil {
			if ctx.Err() == nil {
				a.log.WarnContext(ctx, "event stream ended", "scan", scan.ID, "error", err)
			}
			return
		}
		if err := s.send(event, a.Heartbeat); err != nil || event.Final {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-a.closing:
			return
		case <-poll.C:
		}
	}
}

func (a *API) eventOf(ctx context.Context, workspace, scanID string) (ScanEvent, error) {
	// Progress first: a scan that is final then has no later progress.
	progress, err := a.Store.Progress(ctx, scanID)
	if err != nil {
		return ScanEvent{}, err
	}
	scan, err := a.Store.ScanOf(ctx, workspace, scanID)
	if err != nil {
		return ScanEvent{}, err
	}
	if scan.State.Final() {
		if progress, err = a.Store.Progress(ctx, scanID); err != nil {
			return ScanEvent{}, err
		}
	}
	return ScanEvent{
		ScanID: scan.ID, State: scan.State, StateReason: scan.StateReason, Final: scan.State.Final(), Phase: scan.Phase,
		WaitingFor: scan.WaitingFor, WaitingUntil: timeOrNil(scan.WaitingUntil), Progress: progress,
	}, nil
}

// eventStream writes events, and a comment where nothing happens for long.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	id      int
	last    []byte
	spoke   time.Time
}

func (s *eventStream) send(event ScanEvent, heartbeat time.Duration) error {
	data, err := json.Marshal(event)
	if err != nil {
		return err
	}
	switch {
	case !bytes.Equal(data, s.last):
		s.id++
		id := strconv.Itoa(s.id)
		if event.Final {
			id = finalID
		}
		err = s.write(fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", id, eventName, data))
		s.last = data
	case time.Since(s.spoke) >= heartbeat:
		err = s.write(": still here\n\n")
	}
	return err
}

func (s *eventStream) write(text string) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(eventWithin))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	s.spoke = time.Now()
	return s.control.Flush()
}

// streamCount counts the open streams of each workspace.
type streamCount struct {
	mu   sync.Mutex
	open map[string]int
}

func newStreamCount() *streamCount { return &streamCount{open: map[string]int{}} }

func (c *streamCount) enter(workspace string) (leave func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[workspace] >= streamsAtOnce {
		return nil, false
	}
	c.open[workspace]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[workspace]--; c.open[workspace] == 0 {
			delete(c.open, workspace)
		}
	}, true
}
