package temporaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
)

// SearchAttributes are registered in every namespace, all of type Keyword. The
// list repeats workflows.SearchAttributeNames, which this package must not
// import so that tests inside package workflows can use it; a test compares them.
var SearchAttributes = []string{"VisiteWorkspace", "VisiteSite", "VisiteHost", "VisiteKind"}

// settings say how to run a dev server.
type settings struct {
	cli        string
	address    string // 127.0.0.1 and port
	database   string // file; empty: in memory
	namespaces []string
}

func (s settings) args() []string {
	_, port, _ := net.SplitHostPort(s.address)
	args := []string{"server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port, "--log-level", "error"}
	for _, n := range s.namespaces {
		args = append(args, "--namespace", n)
	}
	for _, name := range SearchAttributes {
		args = append(args, "--search-attribute", name+"=Keyword")
	}
	if s.database != "" {
		args = append(args, "--db-filename", s.database, "--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=NORMAL")
	}
	return args
}

// child is a running dev server.
type child struct {
	cmd  *exec.Cmd
	said *tail
	gone chan struct{} // closed once it has ended and was waited for
}

// startTimeout bounds a server's start; one takes half a second on an idle machine.
const startTimeout = 60 * time.Second

// start runs a dev server and returns once it answers in its last namespace.
func start(s settings) (*child, error) {
	c := &child{said: &tail{}, gone: make(chan struct{})}
	c.cmd = exec.Command(s.cli, s.args()...)
	c.cmd.Stdout, c.cmd.Stderr = c.said, c.said
	c.cmd.SysProcAttr = childAttr()
	started := make(chan error)
	go func() {
		// The kernel ties the child to the thread that starts it, so the thread is
		// kept for as long as the child runs, and is thrown away after.
		runtime.LockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.cmd.Wait() // how it ended does not matter
		}
		close(c.gone)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start the Temporal dev server: %w", err)
	}
	if err := c.ready(s); err != nil {
		c.kill()
		return nil, fmt.Errorf("the Temporal dev server did not come up: %w; it said: %s", err, c.said)
	}
	return c, nil
}

func (c *child) ready(s settings) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		err := probe(ctx, s)
		if err == nil {
			return nil
		}
		select {
		case <-c.gone:
			return errors.New("it ended by itself")
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// probe asks for a poller list in the namespace that was made last.
func probe(ctx context.Context, s settings) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c, err := client.DialContext(ctx, options(s.address, s.namespaces[len(s.namespaces)-1]))
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.CountWorkflow(ctx, countAny(SearchAttributes[len(SearchAttributes)-1]))
	return err
}

// kill ends the server at once, as kill -9 does, and waits until it is gone.
func (c *child) kill() {
	c.cmd.Process.Kill() // fails only where it has ended already
	<-c.gone
}

func options(address, namespace string) client.Options {
	return client.Options{HostPort: address, Namespace: namespace, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))}
}

// freeAddress finds a free port below those that the kernel gives to outgoing
// connections, so that it is still free when a killed server starts again.
func freeAddress() (string, error) {
	var last error
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(15_000+rand.IntN(15_000)))
		l, err := net.Listen("tcp", address)
		if err == nil {
			return address, l.Close()
		}
		last = err
	}
	return "", fmt.Errorf("find a free port: %w", last)
}

// tail keeps the last 4 KiB written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - 4096; extra > 0 {
		t.buf = t.buf[extra:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.buf))
}
