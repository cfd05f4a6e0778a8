package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/sethvargo/go-retry"
)

// Options say what kind of cluster to open.
type Options struct {
	Dir     string // the cluster's own folder, made when absent; never shared with anything else
	Durable bool   // data must outlive crashes of the machine; false: throw-away, no fsync
	Port    int    // on 127.0.0.1; 0: a free one
}

// Cluster is a running private server. It listens on 127.0.0.1 alone and asks
// for a password (SCRAM) that is kept in its folder.
type Cluster struct {
	dir      string
	durable  bool
	port     int
	password string
	server   *server
	lock     *os.File
}

// ErrInUse is returned where another living process has the folder's cluster open.
var ErrInUse = errors.New("the cluster is in use by another process")

// Open starts the cluster of a folder and waits until it answers (at most 60 s).
// Files are made on first use; what an earlier run left behind after kill -9 is
// cleared up. The server ends with Stop, and with this process however that
// ends. As root the server runs as the system user postgres, else nobody.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	who, err := serverAccount()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, err
	}
	if err := who.canEnter(dir); err != nil {
		return nil, err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, durable: o.Durable, lock: lock}
	if err := c.start(ctx, who, o.Port); err != nil {
		lock.Close()
		return nil, fmt.Errorf("PostgreSQL in %s: %w", dir, err)
	}
	return c, nil
}

func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	return f, nil
}

func (c *Cluster) start(ctx context.Context, who account, port int) error {
	bin, err := programsFor(ctx, c.dir)
	if err != nil {
		return err
	}
	data, password, err := ensureData(ctx, bin, c.dir, who)
	if err != nil {
		return err
	}
	c.password = password
	if err := clearOrphan(data); err != nil {
		return err
	}
	// A port taken meanwhile, or shared memory a killed server's children still
	// hold, lets a start fail that succeeds a moment later.
	again := retry.WithMaxRetries(6, retry.NewConstant(500*time.Millisecond))
	return retry.Do(ctx, again, func(ctx context.Context) error {
		c.port = port
		if port == 0 {
			if c.port, err = freePort(); err != nil {
				return err
			}
		}
		return c.startOnce(ctx, bin, data, who)
	})
}

func (c *Cluster) startOnce(ctx context.Context, bin, data string, who account) (err error) {
	death := syscall.SIGQUIT
	if c.durable {
		death = syscall.SIGINT
	}
	logPath := filepath.Join(c.dir, "server.log")
	if c.server, err = startServer(bin, data, who, logPath, c.settings(), death); err != nil {
		return err
	}
	wait := retry.WithMaxDuration(60*time.Second, retry.NewConstant(20*time.Millisecond))
	err = retry.Do(ctx, wait, func(ctx context.Context) error {
		if !c.server.running() {
			return errStopped
		}
		return retry.RetryableError(ping(ctx, c.URL("postgres")))
	})
	if errors.Is(err, errStopped) {
		return retry.RetryableError(fmt.Errorf("%w; see %s", err, logPath))
	}
	if err != nil {
		_ = c.server.stop(syscall.SIGQUIT)
	}
	return err
}

var errStopped = errors.New("the server ended right after its start")

func ping(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func (c *Cluster) settings() []string {
	s := []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(c.port),
		"unix_socket_directories=",
		"max_connections=120",
		"shared_buffers=128MB",
		"log_checkpoints=off",
		"log_error_verbosity=terse", // details of an error may hold values
		"timezone=UTC",
	}
	if !c.durable {
		s = append(s, "fsync=off", "synchronous_commit=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "max_connections=400")
	}
	return s
}

// URL is a connection string for one of the cluster's databases, the password included.
func (c *Cluster) URL(db string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(adminRole, c.password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)),
		Path:     "/" + db,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// PID is the server's process id.
func (c *Cluster) PID() int { return c.server.cmd.Process.Pid }

// Done is closed when the server has ended, wished for or not.
func (c *Cluster) Done() <-chan struct{} { return c.server.done }

// CreateDatabase makes a database unless it is there.
func (c *Cluster) CreateDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var there bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&there); err != nil || there {
		return err
	}
	// CREATE DATABASE takes no parameters; the name is quoted as an identifier.
	_, err = conn.Exec(ctx, `CREATE DATABASE `+pgx.Identifier{name}.Sanitize())
	return err
}

// Stop ends the server: a lasting one in order, a throw-away one at once. Safe to call twice.
func (c *Cluster) Stop() error {
	defer c.lock.Close()
	if c.durable {
		return c.server.stop(syscall.SIGINT)
	}
	return c.server.stop(syscall.SIGQUIT)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
