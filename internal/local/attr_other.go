//go:build !linux

package local

import "syscall"

// childAttr puts a child into a process group of its own, so that a terminal's
// Ctrl-C is ours to hand on in order.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
