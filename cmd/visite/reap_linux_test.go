package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary play process 1: orphans of its children become
// its own, as they do in a container.
func TestMain(m *testing.M) {
	if script := os.Getenv("VISITE_TEST_INIT"); script != "" {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			os.Exit(99)
		}
		os.Exit(runAsInit(exec.Command("sh", "-c", script)))
	}
	os.Exit(m.Run())
}

func asInit(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "VISITE_TEST_INIT="+script)
	return cmd
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("ended with %v", err)
	}
	return exit.ExitCode()
}

// The script leaves two orphans that end at once and then looks for zombies
// among its parent's children.
const orphans = `(sleep 0.1 &); (sleep 0.1 &)
sleep 0.6
for s in /proc/[0-9]*/stat; do
	read -r pid name state parent rest < $s 2>/dev/null || continue
	if [ "$state" = Z ] && [ "$parent" = $PPID ]; then exit 9; fi
done
exit 7`

func TestProcessOneReapsOrphansAndKeepsTheExitCode(t *testing.T) {
	if code := exitCode(t, asInit(t, orphans).Run()); code != 7 {
		t.Errorf("exit code %d, want 7 (9: a zombie was left)", code)
	}
}

func TestProcessOneHandsSignalsOn(t *testing.T) {
	cmd := asInit(t, `trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "ready" {
		t.Fatalf("said %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd.Wait()); code != 5 {
		t.Errorf("exit code %d, want 5", code)
	}
}

func TestProcessOneTellsTheSignalThatEndedItsChild(t *testing.T) {
	if code := exitCode(t, asInit(t, `kill -KILL $$`).Run()); code != 128+9 {
		t.Errorf("exit code %d, want 137", code)
	}
}
