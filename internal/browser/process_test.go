package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"visite/schema"
)

// child is what this test binary does as a worker of its own: it starts
// Chromium, tells its process group and folder, and waits to be killed.
func child() {
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	b, err := New(Options{TempDir: os.Getenv("VISITE_TEST_CHILD")})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	if _, err := b.Version(context.Background()); err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("group", instanceOf(b).proc.pid, instanceOf(b).proc.dir)
	time.Sleep(time.Minute)
}

// shortDir is a folder whose name leaves room for Chromium's socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "vt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// process states by group, from /proc.
func members(pgid int) (alive, zombies []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(b), ") ") // "pid (name) state ppid pgrp ..."
		f := strings.Fields(rest)
		if len(f) < 3 || f[2] != strconv.Itoa(pgid) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if f[0] == "Z" || f[0] == "X" {
			zombies = append(zombies, pid)
		} else {
			alive = append(alive, pid)
		}
	}
	return alive, zombies
}

func TestKillingTheWorkerLeavesNoChromium(t *testing.T) {
	needBrowser(t)
	tmp := shortDir(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "VISITE_TEST_CHILD="+tmp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	var group int
	var dir string
	if _, err := fmt.Sscanf(line, "group %d %s", &group, &dir); err != nil {
		cmd.Process.Kill()
		t.Fatalf("%q: %v", line, err)
	}
	if alive, _ := members(group); len(alive) < 3 {
		t.Errorf("only %d processes: the test proves little", len(alive))
	}
	cmd.Process.Kill()
	cmd.Wait()
	soon(t, func() string {
		if alive, _ := members(group); len(alive) > 0 {
			return fmt.Sprintf("still alive: %v", alive)
		}
		return ""
	})
	syscall.Kill(-group, syscall.SIGKILL)
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("the folder should be left over: %v", err)
	}
	sweep(tmp)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the next start does not remove the folder: %v", err)
	}
}

// A worker that is process 1 of a container inherits Chromium's orphans; a
// subreaper does as well.
func TestOpeningAndClosingLeavesNeitherZombiesNorFolders(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
	needBrowser(t)
	tmp := shortDir(t)
	d := newDoor(t, pages{"/": html("", "x")})
	for i := range 20 {
		b, err := New(Options{TempDir: tmp})
		if err != nil {
			t.Fatal(err)
		}
		if i%5 == 0 {
			open(t, b, d, "/")
		} else if _, err := b.Version(t.Context()); err != nil {
			t.Fatal(err)
		}
		group := instanceOf(b).proc.pid
		b.Close()
		if alive, zombies := members(group); len(alive)+len(zombies) > 0 {
			t.Fatalf("round %d: alive %v, zombies %v", i, alive, zombies)
		}
	}
	left, err := filepath.Glob(filepath.Join(tmp, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the temp folder: %v", left)
	}
}

func TestABrowserThatDiesIsOurFaultAndIsStartedAgain(t *testing.T) {
	b := ownBrowser(t)
	d := newDoor(t, streams{pages{"/": html("", `<img alt="x" src="/never.svg">`), "/ok": html("", "fine")}})
	v := visitOf(t, b, d, "/")
	asked := d.whenAsked("/never.svg", func() { syscall.Kill(instanceOf(b).proc.pid, syscall.SIGKILL) })
	out, err := b.Visit(t.Context(), v)
	if err != nil || out.Failure != schema.ReasonBrowserCrashed || !out.OurFault {
		t.Fatalf("%v %q %v", err, out.Failure, out.OurFault)
	}
	took(t, <-asked, defaultLimits.load-2*time.Second)
	v.URL = "http://site.example/ok"
	if out, err = b.Visit(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	analysed(t, out)
}

func TestABrowserThatHangsIsReplaced(t *testing.T) {
	b := ownBrowser(t)
	d := newDoor(t, pages{"/": html("", "fine")})
	v := visitOf(t, b, d, "/")
	if _, err := b.Visit(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	b.limits.answer = time.Second // from here on: the watch keeps to its own limit
	syscall.Kill(instanceOf(b).proc.pid, syscall.SIGSTOP)
	if out, err := b.Visit(t.Context(), v); !errors.Is(err, errNoAnswer) {
		t.Fatalf("%v %+v", err, out)
	}
	b.limits.answer = defaultLimits.answer
	out, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	analysed(t, out)
}

func TestARendererThatDiesIsThePagesFault(t *testing.T) {
	b := ownBrowser(t)
	d := newDoor(t, streams{pages{"/": html("", `<script>onload = () => { const a = []; for (;;) a.push(new Array(1e6).fill(a.length + 0.1)) }</script>`), "/ok": html("", "fine")}})
	v := visitOf(t, b, d, "/")
	out, err := b.Visit(t.Context(), v)
	if err != nil || out.Failure != schema.ReasonBrowserCrashed || out.OurFault {
		t.Fatalf("%v %q %v", err, out.Failure, out.OurFault)
	}
	if n := d.count("site.example/ "); d.count("GET http://site.example/") != 1 {
		t.Errorf("loaded %d times: %v", n, d.requests())
	}
	v.URL = "http://site.example/ok"
	if out, err = b.Visit(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	analysed(t, out)
}

func TestClosingTheBrowserEndsItsVisits(t *testing.T) {
	b := ownBrowser(t)
	d := newDoor(t, streams{pages{"/": html("", `<img alt="x" src="/never.svg">`)}})
	v := visitOf(t, b, d, "/")
	time.AfterFunc(500*time.Millisecond, func() { b.Close() })
	start := time.Now()
	out, err := b.Visit(t.Context(), v)
	if err != nil || !out.OurFault {
		t.Errorf("%v %+v", err, out)
	}
	took(t, start, defaultLimits.load-2*time.Second)
	if _, err := b.Visit(t.Context(), v); err != ErrClosed {
		t.Errorf("%v", err)
	}
}

func TestAChromiumThatDoesNotStartSaysWhy(t *testing.T) {
	needBrowser(t)
	bad := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(bad, []byte("#!/bin/sh\necho 'no such display' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	b, err := New(Options{Path: bad})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Version(t.Context()); err == nil || !strings.Contains(err.Error(), "no such display") {
		t.Errorf("%v", err)
	}
	if _, err := New(Options{Path: bad, TempDir: "/tmp/" + strings.Repeat("long", 20)}); err == nil {
		t.Error("a temp folder too long for a socket is taken")
	}
	b, err = New(Options{Path: filepath.Join(t.TempDir(), "missing")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Version(t.Context()); err == nil {
		t.Error("a missing binary starts")
	}
}

// Nothing but the door is ever connected to: no other TCP peer, no UDP at all.
func TestNothingGoesOutBesideTheDoor(t *testing.T) {
	stun, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stun.Close()
	direct, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	hit := make(chan string, 10)
	go func() {
		buf := make([]byte, 1500)
		if _, _, err := stun.ReadFrom(buf); err == nil {
			hit <- "a datagram"
		}
	}()
	go func() {
		if c, err := direct.Accept(); err == nil {
			c.Close()
			hit <- "a connection"
		}
	}()
	page := html(fmt.Sprintf(`<link rel="dns-prefetch" href="//a.example"><link rel="preconnect" href="http://%s">`, direct.Addr()), fmt.Sprintf(`<script>
		const rtc = new RTCPeerConnection({iceServers: [{urls: "stun:%s"}]}); rtc.createDataChannel("x"); rtc.createOffer().then(o => rtc.setLocalDescription(o));
		try { new WebTransport("https://%s/") } catch {}
		new WebSocket("ws://%s/"); fetch("http://%s/direct").catch(() => {});
	</script>`, stun.LocalAddr(), stun.LocalAddr(), direct.Addr(), direct.Addr()))
	d := newDoor(t, pages{"/": page})
	b := needBrowser(t)
	v := visitOf(t, b, d, "/")
	v.URL = "http://localhost/"
	out, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	analysed(t, out)
	if d.count("/direct") != 1 {
		t.Errorf("a request to this machine did not pass the door: %v", d.requests())
	}
	select {
	case what := <-hit:
		t.Errorf("%s went past the door", what)
	case <-time.After(500 * time.Millisecond):
	}
}

func TestNothingIsFetchedAheadOfNeed(t *testing.T) {
	d := newDoor(t, pages{"/": html(`<script type="speculationrules">{"prefetch": [{"urls": ["/ahead1"], "eagerness": "immediate"}], "prerender": [{"urls": ["/ahead2"], "eagerness": "immediate"}]}</script>
		<link rel="prerender" href="/ahead3"><link rel="dns-prefetch" href="//ahead4.example">`, "x"), "/ahead1": "x", "/ahead2": "x"})
	b := needBrowser(t)
	v := visitOf(t, b, d, "/")
	v.URL = "http://localhost/"
	out, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	analysed(t, out)
	time.Sleep(300 * time.Millisecond)
	if n := d.count("ahead"); n != 0 {
		t.Errorf("%v", d.requests())
	}
}
