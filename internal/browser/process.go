package browser

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	dirPattern = "visite-chromium-"
	lockName   = "owner.lock"
	reapLimit  = 3 * time.Second
	staleAge   = 10 * time.Minute // of a folder without a lock
)

// process is one Chromium with its children, its folder and its debugging pipe.
type process struct {
	pid    int
	dir    string
	lock   *os.File
	pipe   *pipe
	stderr *headWriter
	done   chan struct{} // closed when the whole group is gone, waited for, and the folder removed
}

// startProcess runs Chromium in a process group of its own. The kernel kills it
// when we die, however we die: the goroutine that starts it keeps its OS thread,
// because the parent-death signal is bound to the thread that forked.
func startProcess(path, tmp string, args func(dir string) []string) (*process, error) {
	sweep(tmp)
	dir, err := os.MkdirTemp(tmp, dirPattern)
	if err != nil {
		return nil, fmt.Errorf("browser: folder for Chromium: %w", err)
	}
	p := &process{dir: dir, stderr: &headWriter{}, done: make(chan struct{})}
	if p.lock, err = takeLock(filepath.Join(dir, lockName)); err != nil {
		return nil, errors.Join(fmt.Errorf("browser: lock Chromium's folder: %w", err), os.RemoveAll(dir))
	}
	if err := writePreferences(dir); err != nil {
		return nil, errors.Join(err, p.lock.Close(), os.RemoveAll(dir))
	}
	ours, theirs, err := newPipe()
	if err != nil {
		return nil, errors.Join(err, p.lock.Close(), os.RemoveAll(dir))
	}
	p.pipe = ours
	cmd := exec.Command(path, args(dir)...)
	cmd.Env = environ(dir)
	cmd.Dir = dir
	cmd.Stderr = p.stderr
	cmd.ExtraFiles = theirs // descriptors 3 and 4, as --remote-debugging-pipe wants them
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	started := make(chan error, 1)
	go p.run(cmd, theirs, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("browser: start %s: %w", path, err)
	}
	return p, nil
}

// run starts, waits and cleans up, all on one OS thread that it never gives back.
func (p *process) run(cmd *exec.Cmd, theirs []*os.File, started chan<- error) {
	runtime.LockOSThread()
	defer close(p.done)
	err := cmd.Start()
	for _, f := range theirs {
		f.Close()
	}
	if err == nil {
		p.pid = cmd.Process.Pid
	}
	started <- err
	if err == nil {
		_ = cmd.Wait() // how Chromium ended is of no interest: it has ended
		p.kill()
		reapGroup(p.pid)
	}
	p.pipe.Close()
	p.remove()
	p.lock.Close()
}

// remove takes the folder away; a child that is just dying may still write into it.
func (p *process) remove() {
	for range 40 {
		if os.RemoveAll(p.dir) == nil {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
}

// kill ends the whole group. Nothing is done once the group was waited for: its
// number may belong to somebody else by then.
func (p *process) kill() {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
}

// stop kills and waits until nothing is left.
func (p *process) stop() {
	p.kill()
	<-p.done
}

// reapGroup waits for the orphans of a killed group where they fall to us:
// where we are process 1 of a container, or a subreaper. Else nobody else's
// children are ours to wait for.
func reapGroup(pgid int) {
	var subreaper int32
	if unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&subreaper)), 0, 0, 0) != nil || (subreaper == 0 && os.Getpid() != 1) {
		return
	}
	for deadline := time.Now().Add(reapLimit); time.Now().Before(deadline); {
		pid, err := syscall.Wait4(-pgid, nil, syscall.WNOHANG, nil)
		switch {
		case err == nil && pid > 0, err == syscall.EINTR:
			continue
		case err != nil && syscall.Kill(-pgid, 0) != nil: // none of ours in the group, and none of anybody's
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// sweep removes folders whose owner died without cleaning up. The lock tells,
// not a process number: two containers may share the temp folder.
func sweep(tmp string) {
	dirs, _ := filepath.Glob(filepath.Join(tmp, dirPattern+"*"))
	for _, dir := range dirs {
		f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) { // being made right now, or half removed
			if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > staleAge {
				_ = os.RemoveAll(dir)
			}
		}
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(dir)
		}
		f.Close()
	}
}

func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// headWriter keeps the first 2 KiB until it is closed to further words: why a
// start failed stands there, and later lines could carry text of pages.
type headWriter struct {
	mu     sync.Mutex
	buf    strings.Builder
	closed bool
}

func (w *headWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if room := 2048 - w.buf.Len(); !w.closed && room > 0 {
		w.buf.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

func (w *headWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.buf.Reset()
}

func (w *headWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(w.buf.String())
}
