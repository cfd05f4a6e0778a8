package pgcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a running postgres process.
type server struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
}

// startServer starts postgres and keeps its starting thread alive: the kernel
// takes the thread's end for the parent's.
func startServer(bin, data string, who account, logPath string, settings []string, death syscall.Signal) (*server, error) {
	log, err := openLog(logPath)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := []string{"-D", data}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	cmd := exec.Command(filepath.Join(bin, "postgres"), args...)
	cmd.Env = serverEnv()
	cmd.Dir = data
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = who.attr()
	cmd.SysProcAttr.Setpgid = true // a terminal's Ctrl-C is ours to hand on
	dieWithParent(cmd.SysProcAttr, death)

	s := &server{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine, after the child
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(s.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return s, nil
}

func (s *server) running() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// stop asks with increasing force until the process has ended.
func (s *server) stop(first syscall.Signal) error {
	for _, step := range []struct {
		sig  syscall.Signal
		wait time.Duration
	}{{first, 30 * time.Second}, {syscall.SIGQUIT, 10 * time.Second}, {syscall.SIGKILL, 5 * time.Second}} {
		_ = s.cmd.Process.Signal(step.sig)
		select {
		case <-s.done:
			return nil
		case <-time.After(step.wait):
		}
	}
	return fmt.Errorf("postgres (pid %d) does not end", s.cmd.Process.Pid)
}

// clearOrphan ends a server of this folder whose parent is gone, and removes
// the pid file of one that no longer runs. The caller holds the folder's lock,
// so no living owner is disturbed.
func clearOrphan(data string) error {
	file := filepath.Join(data, "postmaster.pid")
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || !servesFolder(pid, data) {
		return os.Remove(file)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		_ = syscall.Kill(pid, sig)
		for range 200 {
			if !servesFolder(pid, data) {
				return nil
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return fmt.Errorf("a PostgreSQL server (pid %d) of an earlier run still holds %s", pid, data)
}

// servesFolder reports whether the process is a postgres started on the folder.
func servesFolder(pid int, data string) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return false
	}
	args := strings.Split(string(line), "\x00")
	return len(args) > 2 && filepath.Base(args[0]) == "postgres" && args[2] == data
}

const maxLog = 8 << 20

// openLog appends to the server's log; one over 8 MiB is begun anew.
func openLog(path string) (*os.File, error) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		flags |= os.O_TRUNC
	}
	return os.OpenFile(path, flags, 0o600)
}

// serverEnv is the environment of the server: nothing of ours but the path and
// a fixed locale, so that no PG* variable reaches it.
func serverEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
}
