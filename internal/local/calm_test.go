package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.temporal.io/sdk/temporal"
)

func TestCancelledStepsAreNoErrorsInTheLog(t *testing.T) {
	canceled := temporal.NewCanceledError()
	for _, c := range []struct {
		message string
		err     error
		written bool
	}{
		{"Activity error.", context.Canceled, false},
		{"Activity error.", fmt.Errorf("visit: %w", context.Canceled), false},
		{"Activity error.", canceled, false},
		{"RecordActivityHeartbeat with error", context.Canceled, false},
		{"Activity error.", context.DeadlineExceeded, true},
		{"Activity error.", errors.New("no database"), true},
		{"RecordActivityHeartbeat with error", context.DeadlineExceeded, true},
		{"Failed to poll for task.", context.Canceled, true},
	} {
		var b bytes.Buffer
		log := temporalLogger(slog.New(slog.NewTextHandler(&b, nil)))
		log.Error(c.message, "Attempt", 1, "Error", c.err)
		if got := strings.Contains(b.String(), "level=ERROR"); got != c.written || !c.written && b.Len() > 0 {
			t.Errorf("%s %v: %q", c.message, c.err, b.String())
		}
	}
	var b bytes.Buffer
	log := temporalLogger(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	log.Warn("RecordActivityHeartbeat with error", "Error", context.Canceled)
	if !strings.Contains(b.String(), "level=DEBUG") {
		t.Errorf("for who wants details: %q", b.String())
	}
}
