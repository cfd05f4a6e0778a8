package local

import (
	"fmt"
	"syscall"
)

// forbidCoreDumps keeps this process, and Chromium as its child, from leaving
// what they held in memory on the disk when they crash: pages, cookies, keys
// (C-36, C-58).
func forbidCoreDumps() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core dumps: %w", err)
	}
	return nil
}
