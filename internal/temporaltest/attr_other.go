//go:build !linux

package temporaltest

import "syscall"

func childAttr() *syscall.SysProcAttr { return nil }
