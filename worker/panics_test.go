package worker

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
)

// proves C-36, C-58, C-61
func TestAPanicQuotesNoPage(t *testing.T) {
	const words = "Quenbrillow the lamplighter"
	for name, step := range map[string]func(context.Context) error{
		"a text":        func(context.Context) error { panic(words) },
		"an error":      func(context.Context) error { panic(errors.New(words)) },
		"out of bounds": func(context.Context) error { return errors.New(words[len(words)+len(t.Name()):]) },
	} {
		t.Run(name, func(t *testing.T) {
			var said bytes.Buffer
			suite := &testsuite.WorkflowTestSuite{}
			suite.SetLogger(sdklog.NewStructuredLogger(slog.New(slog.NewTextHandler(&said, nil))))
			env := suite.NewTestActivityEnvironment()
			env.SetWorkerOptions(guarded())
			env.RegisterActivity(step)
			_, err := env.ExecuteActivity(step)
			var failure *temporal.ApplicationError
			if !errors.As(err, &failure) || failure.Type() != panicType || !strings.HasPrefix(failure.Message(), "the step panicked") {
				t.Fatalf("%T %v", err, err)
			}
			if strings.Contains(err.Error()+said.String(), "lamplighter") {
				t.Errorf("error %v, log %s", err, said.String())
			}
			if !strings.Contains(said.String(), "panics_test.go") {
				t.Errorf("the log does not say where: %s", said.String())
			}
		})
	}
}
