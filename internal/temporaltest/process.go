package temporaltest

import (
	"path/filepath"
	"testing"
	"time"
)

// Process is a Temporal server of a test's own with a database file, to be
// killed and started again. Its address stays the same.
type Process struct {
	settings settings
	running  *child
}

// StartProcess starts a server for this test, killed when the test ends. It has
// the namespace "default" with the search attributes. Without the Temporal CLI
// the test is skipped, or fails where CI=true.
func StartProcess(t testing.TB) *Process {
	t.Helper()
	p := &Process{settings: settings{
		cli: requireCLI(t), database: filepath.Join(t.TempDir(), "temporal.db"), namespaces: []string{"default"},
	}}
	c, err := startChild(&p.settings)
	if err != nil {
		t.Fatal(err)
	}
	p.running = c
	t.Cleanup(p.Kill)
	return p
}

// Addr is where the server listens, host and port.
func (p *Process) Addr() string { return p.settings.address }

// Namespace is the server's namespace.
func (p *Process) Namespace() string { return p.settings.namespaces[0] }

// Kill ends the server as kill -9 does. Without effect where it does not run.
func (p *Process) Kill() {
	if p.running != nil {
		p.running.kill()
		p.running = nil
	}
}

// Restart kills the server, leaves it away for the time given, and starts it
// again at the same address with the same database.
func (p *Process) Restart(t testing.TB, away time.Duration) {
	t.Helper()
	p.Kill()
	time.Sleep(away)
	c, err := start(p.settings)
	if err != nil {
		t.Fatal(err)
	}
	p.running = c
}
