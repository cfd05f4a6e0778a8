package temporaltest

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"visite/internal/toolpath"
)

// pool is how many namespaces the shared server is started with; making them at
// the start costs nothing, making them later takes seconds to be seen.
const pool = 200

var (
	sharedServer = sync.OnceValues(startShared)
	handedOut    atomic.Int64
)

func startShared() (string, error) {
	cli, err := toolpath.Temporal()
	if err != nil {
		return "", err
	}
	s := settings{cli: cli}
	for i := range pool {
		s.namespaces = append(s.namespaces, namespaceName(i))
	}
	return startAnywhere(&s)
}

// startAnywhere starts a server at a free port; somebody may take that port
// first, so it is tried more than once.
func startAnywhere(s *settings) (string, error) {
	_, err := startChild(s)
	return s.address, err
}

func startChild(s *settings) (*child, error) {
	var last error
	for range 3 {
		var err error
		if s.address, err = freeAddress(); err != nil {
			return nil, err
		}
		c, err := start(*s)
		if err == nil {
			return c, nil
		}
		last = err
	}
	return nil, last
}

// Server gives the address of this test process's Temporal server, host and
// port, starting it for the first test. Without the Temporal CLI the test is
// skipped, or fails where CI=true.
func Server(t testing.TB) string {
	t.Helper()
	requireCLI(t)
	address, err := sharedServer()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Namespace gives a namespace on Server that no other test uses, with the search
// attributes registered. Task queues with the same name in different namespaces
// do not see each other.
func Namespace(t testing.TB) string {
	t.Helper()
	Server(t)
	n := int(handedOut.Add(1)) - 1
	if n >= pool {
		t.Fatalf("this test process has used up its %d Temporal namespaces", pool)
	}
	return namespaceName(n)
}

// Client gives a client in a new Namespace, closed when the test ends.
func Client(t testing.TB) client.Client {
	t.Helper()
	return Dial(t, Server(t), Namespace(t))
}

// Dial gives a client for a server and namespace, closed when the test ends.
func Dial(t testing.TB, address, namespace string) client.Client {
	t.Helper()
	c, err := client.DialContext(t.Context(), options(address, namespace))
	if err != nil {
		t.Fatalf("connect to Temporal at %s: %v", address, err)
	}
	t.Cleanup(c.Close)
	return c
}

func namespaceName(i int) string { return fmt.Sprintf("test-%03d", i) }

func countAny(attribute string) *workflowservice.CountWorkflowExecutionsRequest {
	return &workflowservice.CountWorkflowExecutionsRequest{Query: attribute + " IS NOT NULL"}
}

// requireCLI skips a test that has no Temporal CLI; under CI=true it fails it.
func requireCLI(t testing.TB) string {
	t.Helper()
	path, err := toolpath.Temporal()
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip(err)
	return ""
}
