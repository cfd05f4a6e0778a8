package pgcluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// asOwner makes this test program's copy open the cluster of a folder, say
// where it is, and wait to be killed.
const asOwner = "VISITE_PGCLUSTER_AS_OWNER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asOwner); dir != "" {
		c, err := Open(context.Background(), Options{Dir: dir, Durable: true})
		if err != nil {
			panic(err)
		}
		fmt.Println(c.PID())
		fmt.Println(c.URL("postgres"))
		select {}
	}
	os.Exit(m.Run())
}

// folder is a new one that the server's account can enter.
func folder(t *testing.T) string {
	t.Helper()
	if _, err := Find(); errors.Is(err, ErrNotFound) {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "pgcluster")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "cluster")
}

func open(t *testing.T, o Options) *Cluster {
	t.Helper()
	c, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Stop() })
	return c
}

func exec1(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func TestDataOutlivesItsServer(t *testing.T) {
	dir := folder(t)
	c := open(t, Options{Dir: dir, Durable: true})
	for range 2 {
		if err := c.CreateDatabase(t.Context(), `odd "name"`); err != nil {
			t.Fatal(err)
		}
	}
	exec1(t, c.URL(`odd "name"`), `CREATE TABLE kept AS SELECT 1 AS n`)
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Errorf("stopped twice: %v", err)
	}
	again := open(t, Options{Dir: dir, Durable: true})
	exec1(t, again.URL(`odd "name"`), `SELECT n FROM kept`)
}

func TestOneOwnerAtATime(t *testing.T) {
	dir := folder(t)
	c := open(t, Options{Dir: dir})
	if _, err := Open(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrInUse) {
		t.Errorf("a second owner got %v, want ErrInUse", err)
	}
	exec1(t, c.URL("postgres"), `SELECT 1`)
}

func TestAPasswordIsAskedFor(t *testing.T) {
	c := open(t, Options{Dir: folder(t)})
	wrong := strings.Replace(c.URL("postgres"), c.password, "guess", 1)
	if conn, err := pgx.Connect(t.Context(), wrong); err == nil {
		conn.Close(context.Background())
		t.Error("a wrong password got in")
	}
}

// After kill -9 of its owner the server goes too; were it still there, or a pid
// file of it, the next owner would clear that up.
func TestTheNextOwnerTakesOverAfterKill(t *testing.T) {
	dir := folder(t)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), asOwner+"="+dir)
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	var pid int
	var url string
	if _, err := fmt.Fscan(lines, &pid, &url); err != nil {
		t.Fatal(err)
	}
	exec1(t, url, `CREATE TABLE kept AS SELECT 1 AS n`)
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	c := open(t, Options{Dir: dir, Durable: true})
	exec1(t, c.URL("postgres"), `SELECT n FROM kept`)
	if servesFolder(pid, filepath.Join(dir, "data")) {
		t.Errorf("the first server (pid %d) still runs", pid)
	}
}

func TestAPIDFileOfAnotherProcessIsNoHindrance(t *testing.T) {
	dir := folder(t)
	c := open(t, Options{Dir: dir, Durable: true})
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	// The number is alive, but it is ours and not a server's.
	stale := fmt.Sprintf("%d\n%s/data\n0\n1\n\n127.0.0.1\n0 0\nready\n", os.Getpid(), dir)
	if err := os.WriteFile(filepath.Join(dir, "data", "postmaster.pid"), []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	exec1(t, open(t, Options{Dir: dir, Durable: true}).URL("postgres"), `SELECT 1`)
}

func TestAFolderNobodyElseMayEnterIsNamed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as another user")
	}
	dir := folder(t)
	private := filepath.Join(filepath.Dir(dir), "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Dir: filepath.Join(private, "cluster")})
	if err == nil || !strings.Contains(err.Error(), private+" (mode 0700)") {
		t.Errorf("got %v, want the folder %s named", err, private)
	}
}

func TestAServerThatCannotStartSaysWhereToLook(t *testing.T) {
	dir := folder(t)
	c := open(t, Options{Dir: dir})
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", "postgresql.conf"), []byte("no such setting = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, err := Open(ctx, Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "server.log")) {
		t.Errorf("got %v, want the log named", err)
	}
}
