package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/sethvargo/go-retry"

	"visite/internal/postgres/migrate"
	"visite/schema"
)

// shared is the server all test processes use.
type shared struct{ base string } // URL of its database postgres

func (s shared) url(db string) string {
	u, err := url.Parse(s.base)
	if err != nil {
		panic(err) // we wrote it ourselves
	}
	u.Path = "/" + db
	return u.String()
}

func (s shared) admin(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, s.base)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// template makes, once for each state of the migrations, the database that
// tests' databases are copies of.
func (s shared) template(ctx context.Context) (string, error) {
	name, err := templateName()
	if err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, s.base)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	// One process makes it; the session's end frees the lock.
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtext($1))`, name); err != nil {
		return "", err
	}
	var ready bool
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&ready)
	if err != nil || ready {
		return name, err
	}
	making := pgx.Identifier{name + "_making"}.Sanitize()
	for _, sql := range []string{`DROP DATABASE IF EXISTS ` + making + ` WITH (FORCE)`, `CREATE DATABASE ` + making} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return "", err
		}
	}
	if _, err := migrate.Up(ctx, s.url(name+"_making")); err != nil {
		return "", err
	}
	return name, renameQuiet(ctx, conn, making, pgx.Identifier{name}.Sanitize())
}

// renameQuiet waits until the migrating sessions are gone: PostgreSQL ends them
// a moment after they were closed.
func renameQuiet(ctx context.Context, conn *pgx.Conn, from, to string) error {
	return retry.Do(ctx, retry.WithMaxDuration(10*time.Second, retry.NewConstant(10*time.Millisecond)), func(ctx context.Context) error {
		_, err := conn.Exec(ctx, `ALTER DATABASE `+from+` RENAME TO `+to)
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == "55006" { // object_in_use
			return retry.RetryableError(err)
		}
		return err
	})
}

func templateName() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(schema.Migrations, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(schema.Migrations, path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	return "template_" + hex.EncodeToString(sum.Sum(nil)[:8]), err
}

// room is the folder test processes meet in.
func room() (string, error) {
	dir := filepath.Join(os.TempDir(), "visite-pgtest-"+strconv.Itoa(os.Geteuid()))
	if err := os.Mkdir(dir, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || (ok && int(stat.Uid) != os.Geteuid()) {
		return "", fmt.Errorf("%s is not ours", dir)
	}
	return dir, nil
}

// place is this process's hold on the server; reachable, so that the garbage
// collector does not close it.
//
//lint:ignore U1000 holding it is its use
var place *os.File

// join makes this process a user of the shared server, starting it where there
// is none. Being a user is holding users.lock shared: the kernel lets go of it
// when the process ends, by kill -9 too.
func join() (shared, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	dir, err := room()
	if err != nil {
		return shared{}, err
	}
	door, err := lock(filepath.Join(dir, "join.lock"), syscall.LOCK_EX)
	if err != nil {
		return shared{}, err
	}
	defer door.Close()
	if place, err = lock(filepath.Join(dir, "users.lock"), syscall.LOCK_SH); err != nil {
		return shared{}, err
	}
	if s, err := readReady(dir); err == nil && s.admin(ctx, `SELECT 1`) == nil {
		return s, nil
	}
	return startKeeper(ctx, dir)
}

func startKeeper(ctx context.Context, dir string) (shared, error) {
	if err := os.RemoveAll(filepath.Join(dir, "ready")); err != nil {
		return shared{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return shared{}, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), keeperEnv+"="+dir)
	cmd.Dir = dir // the package's folder may go away
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return shared{}, err
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	var s shared
	err = retry.Do(ctx, retry.NewConstant(20*time.Millisecond), func(context.Context) error {
		var err error
		if s, err = readReady(dir); err == nil {
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("the test server's keeper ended; see %s", filepath.Join(dir, "keeper.log"))
		default:
			return retry.RetryableError(err)
		}
	})
	return s, err
}

func readReady(dir string) (shared, error) {
	text, err := os.ReadFile(filepath.Join(dir, "ready"))
	return shared{base: string(text)}, err
}

func lock(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, err
		}
	}
}
