package local

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"visite/internal/config"
	"visite/internal/pgcluster"
	"visite/internal/postgres/migrate"
	"visite/internal/toolpath"
)

// database is the local stack's database in the private cluster.
const database = "visite"

// Options say how to run a local stack.
type Options struct {
	Folder  Folder
	Program string                           // the visite binary, started anew as worker and API
	Environ []string                         // what the worker and the API inherit, os.Environ form
	Tell    func(format string, args ...any) // what goes on, for people, one line each
	Ready   func(State)                      // called once everything serves
}

// workerGrace lets the visits under way end, which the worker itself bounds.
const workerGrace = 25 * time.Second

// ErrRunning is returned by Up where a stack runs on the folder already.
var ErrRunning = errors.New("a local stack runs already")

// Up runs the local stack until ctx ends, which stops it in order (nil), or
// until a part cannot be kept running (an error that names it). Killed in any
// way, it takes its children along; the data stays usable.
func Up(ctx context.Context, o Options) (err error) {
	if err := o.Folder.make(); err != nil {
		return err
	}
	release, err := o.Folder.lock()
	if errors.Is(err, errLocked) {
		return ErrRunning
	}
	if err != nil {
		return err
	}
	defer release()
	if err := os.Remove(o.Folder.stateFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("data folder: %w", err) // an earlier stack's, killed before it could
	}
	s := &stack{Options: o, bootstrap: rand.Text()}
	s.keep = newSupervisor(o.Tell, s.publish)
	defer func() {
		o.Tell("stopping")
		err = errors.Join(err, s.keep.stop())
		_ = os.Remove(o.Folder.stateFile()) // absent where the start failed early
	}()
	if err := s.start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.keep.failed:
		return err
	}
}

// stack is one run of the local stack.
type stack struct {
	Options
	keep      *supervisor
	bootstrap string // lets us make the workspace; new for each run

	mu      sync.Mutex
	state   State
	cluster *pgcluster.Cluster
}

func (s *stack) start(ctx context.Context) error {
	cli, err := toolpath.Temporal()
	if err != nil {
		return err
	}
	p, err := s.Folder.choosePorts()
	if err != nil {
		return err
	}
	s.state = State{
		PID: os.Getpid(), StartedAt: time.Now().UTC(), Data: string(s.Folder), TokenFile: s.Folder.tokenFile(),
		API: "http://" + loopback(p.API), UI: "http://" + loopback(p.UI), Temporal: loopback(p.Temporal),
	}
	s.doing("starting PostgreSQL and Temporal")
	both, bothCtx := errgroup.WithContext(ctx)
	both.Go(func() error { return s.startDatabase(bothCtx, p) })
	both.Go(func() error { return s.keep.launch(bothCtx, temporalServer(cli, s.Folder, p)) })
	if err := both.Wait(); err != nil {
		return err
	}
	s.doing("starting the worker and the API")
	for _, part := range []part{s.worker(p), s.api(p)} {
		if err := s.keep.launch(ctx, part); err != nil {
			return err
		}
	}
	if err := ensureToken(ctx, s.state.API, s.bootstrap, s.Folder.tokenFile()); err != nil {
		return err
	}
	s.change(func(st *State) { st.Ready, st.Doing = true, "" })
	s.Ready(s.snapshot())
	return nil
}

// startDatabase starts the cluster and brings the database to shape.
func (s *stack) startDatabase(ctx context.Context, p ports) error {
	if err := s.keep.launch(ctx, part{name: "postgres", start: func(ctx context.Context) (running, error) { return s.openCluster(ctx, p.Postgres) }}); err != nil {
		return err
	}
	if err := s.current().CreateDatabase(ctx, database); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	_, err := migrate.Up(ctx, s.databaseURL())
	return err
}

// openCluster starts the private cluster, at the same port each time: worker
// and API keep the address they were given.
func (s *stack) openCluster(ctx context.Context, port int) (running, error) {
	c, err := pgcluster.Open(ctx, pgcluster.Options{Dir: s.Folder.clusterDir(), Durable: true, Port: port})
	if err != nil {
		return running{}, err
	}
	s.mu.Lock()
	s.cluster = c
	s.mu.Unlock()
	return running{pid: c.PID(), done: c.Done(), stop: c.Stop}, nil
}

func (s *stack) current() *pgcluster.Cluster {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cluster
}

func (s *stack) databaseURL() string { return s.current().URL(database) }

func (s *stack) worker(p ports) part {
	return part{name: "worker", start: program{
		path: s.Program, args: []string{"worker"}, env: s.environ(p), log: s.Folder.logFile("worker"),
		ready: func(ctx context.Context) error { return askTemporal(ctx, loopback(p.Temporal), checkPollers) },
		grace: workerGrace,
	}.start}
}

func (s *stack) api(p ports) part {
	return part{name: "api", start: program{
		path: s.Program, args: []string{"api"}, env: s.environ(p), log: s.Folder.logFile("api"),
		ready: func(ctx context.Context) error { return checkReady(ctx, "http://"+loopback(p.API)) },
		grace: 10 * time.Second,
	}.start}
}

// environ is what the worker and the API are told: the caller's settings, and
// the stack's own addresses over them.
func (s *stack) environ(p ports) []string {
	ours := map[string]string{
		"DATABASE_URL": s.databaseURL(), "TEMPORAL_ADDRESS": loopback(p.Temporal), "TEMPORAL_NAMESPACE": "default",
		"LISTEN": loopback(p.API), "ALLOW_LOOPBACK": "true", "OWN_PORTS": strconv.Itoa(p.UI), "BOOTSTRAP_TOKEN": s.bootstrap,
		"PUBLIC_URL": "http://" + loopback(p.API),
	}
	env := slices.DeleteFunc(slices.Clone(s.Environ), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		_, ours := ours[strings.TrimPrefix(name, config.Prefix)]
		return ours && strings.HasPrefix(name, config.Prefix)
	})
	for name, value := range ours {
		env = append(env, config.Prefix+name+"="+value)
	}
	return env
}

func (s *stack) doing(what string) {
	s.Tell("%s", what)
	s.change(func(st *State) { st.Doing = what })
}

func (s *stack) publish() { s.change(func(*State) {}) }

// change alters the state and writes it for other processes to read.
func (s *stack) change(alter func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	alter(&s.state)
	s.state.Children = s.keep.pids()
	if err := writeJSON(s.Folder.stateFile(), s.state); err != nil {
		s.Tell("state file: %v", err)
	}
}

func (s *stack) snapshot() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}
