package local

import (
	"context"
	"log/slog"
	"strings"

	sdklog "go.temporal.io/sdk/log"
)

// temporalLogger writes the SDK's lines to log; what comes with every scan that
// a person cancels is detail there, not an error.
func temporalLogger(log *slog.Logger) sdklog.Logger {
	return sdklog.NewStructuredLogger(slog.New(calmHandler{log.Handler()}))
}

// calmHandler lowers a step's end by cancelling to debug. All else passes as it is.
type calmHandler struct{ slog.Handler }

func (h calmHandler) Handle(ctx context.Context, r slog.Record) error {
	if !ofCancelling(r) {
		return h.Handler.Handle(ctx, r)
	}
	if r.Level = slog.LevelDebug; !h.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h calmHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return calmHandler{h.Handler.WithAttrs(attrs)}
}

func (h calmHandler) WithGroup(name string) slog.Handler {
	return calmHandler{h.Handler.WithGroup(name)}
}

// ofCancelling tells by the SDK's words for a step that failed, or could not
// give a sign of life, and the error it ended with. A deadline is not meant.
func ofCancelling(r slog.Record) bool {
	if r.Message != "Activity error." && r.Message != "RecordActivityHeartbeat with error" {
		return false
	}
	cancelled := false
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "Error" {
			return true
		}
		words := a.Value.String()
		cancelled = words == "canceled" || strings.HasSuffix(words, context.Canceled.Error())
		return false
	})
	return cancelled
}
