package pgtest

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestEachTestHasItsOwnMigratedDatabase(t *testing.T) {
	one, two := DB(t), DB(t)
	if _, err := one.Exec(t.Context(), `INSERT INTO workspaces (id, name) VALUES ('w1', 'one')`); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := two.QueryRow(t.Context(), `SELECT count(*) FROM workspaces WHERE id = 'w1'`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n != 0 {
		t.Errorf("the second database has %d of the first one's workspaces, want 0", n)
	}
}

func TestAnEmptyDatabaseHasNoTables(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), EmptyURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var n int
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tables, error %v", n, err)
	}
}

// asUser makes this test program's copy a process that uses a server of its own
// room, says so, and waits to be killed.
const asUser = "VISITE_PGTEST_AS_USER"

func TestMain(m *testing.M) {
	if os.Getenv(asUser) != "" {
		s, err := join()
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(s.base + "\n")
		select {}
	}
	os.Exit(m.Run())
}

func TestTheServerServesAllAndGoesWhenItsUsersWereKilled(t *testing.T) {
	server(t) // skips where there is none
	temp, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(temp, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	first, url := startUser(t, temp)
	second, sameURL := startUser(t, temp)
	if url != sameURL {
		t.Errorf("two users got two servers: %s, %s", url, sameURL)
	}
	pid := serverPID(t, temp)

	kill(first)
	time.Sleep(linger + time.Second)
	if !alive(pid) {
		t.Fatal("the server went with its first user")
	}
	kill(second)
	for until := time.Now().Add(linger + 20*time.Second); alive(pid); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("the server (pid %d) still runs after its users were killed", pid)
		}
	}
}

func startUser(t *testing.T, temp string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asUser+"=1", "TMPDIR="+temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the user ended: %v", err)
	}
	return cmd, line
}

func kill(cmd *exec.Cmd) {
	if cmd.ProcessState == nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

func serverPID(t *testing.T, temp string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(temp, "visite-pgtest-*", "cluster-*", "data", "postmaster.pid"))
	if err != nil || len(found) != 1 {
		t.Fatalf("pid files: %v, error %v", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }
