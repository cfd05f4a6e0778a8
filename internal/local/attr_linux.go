package local

import "syscall"

// childAttr puts a child into a process group of its own, so that a terminal's
// Ctrl-C is ours to hand on in order, and has the kernel end it with us.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
