//go:build !linux

package pgcluster

import "syscall"

// dieWithParent is known to Linux alone; elsewhere the next Open ends an orphan.
func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}
