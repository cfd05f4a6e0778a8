package pgtest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"visite/internal/pgcluster"
)

// keeperEnv makes a test program's copy the keeper of the shared server.
const keeperEnv = "VISITE_PGTEST_KEEPER"

// linger is how long the server stays without a user, so that one test
// program after another finds it running.
const linger = 5 * time.Second

func init() {
	dir := os.Getenv(keeperEnv)
	if dir == "" {
		return
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP) // a terminal's; we go when the users went
	log, err := os.OpenFile(filepath.Join(dir, "keeper.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		os.Exit(1)
	}
	logger := slog.New(slog.NewTextHandler(log, nil))
	if err := keep(dir); err != nil {
		logger.Error("keeper", "error", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// keep runs the server until it has had no user for a while.
func keep(dir string) error {
	old, _ := filepath.Glob(filepath.Join(dir, "cluster-*"))
	for _, path := range old {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	home := filepath.Join(dir, fmt.Sprintf("cluster-%d", os.Getpid()))
	defer os.RemoveAll(home)
	c, err := pgcluster.Open(context.Background(), pgcluster.Options{Dir: home})
	if err != nil {
		return err
	}
	defer c.Stop()
	ready := filepath.Join(dir, "ready")
	if err := os.WriteFile(ready+".new", []byte(c.URL("postgres")), 0o600); err != nil {
		return err
	}
	if err := os.Rename(ready+".new", ready); err != nil {
		return err
	}
	return untilUnused(dir, ready, c.Done())
}

func untilUnused(dir, ready string, ended <-chan struct{}) error {
	var idle time.Time
	for {
		select {
		case <-ended:
			return fmt.Errorf("the server ended by itself")
		case <-time.After(200 * time.Millisecond):
		}
		door, users := tryLocks(dir)
		switch {
		case users == nil:
			idle = time.Time{}
		case idle.IsZero():
			idle = time.Now()
		case time.Since(idle) > linger:
			// Both locks are held until this process ends, so none joins a server about to stop.
			return os.Remove(ready)
		}
		if users != nil {
			users.Close()
		}
		if door != nil {
			door.Close()
		}
	}
}

// tryLocks takes the door and then all places, without waiting; users is nil
// while there is a user or somebody is just coming in.
func tryLocks(dir string) (door, users *os.File) {
	door, err := lock(filepath.Join(dir, "join.lock"), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		return nil, nil
	}
	users, err = lock(filepath.Join(dir, "users.lock"), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		return door, nil
	}
	return door, users
}
