package local

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// errLocked means that another process holds the folder's lock.
var errLocked = errors.New("another local stack holds the data folder")

// lockPatience is how long a stack tries for its folder: those who only look
// whether one runs hold it for a moment each.
const (
	lockPatience = time.Second
	lockRetry    = 20 * time.Millisecond
)

// lock takes the folder for this process until release, or until the process
// ends in whatever way: the kernel lets go of a flock by itself.
func (f Folder) lock() (release func(), err error) {
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(lockRetry) {
		release, err = f.flock(syscall.LOCK_EX)
		if !errors.Is(err, errLocked) || time.Now().After(deadline) {
			return release, err
		}
	}
}

func (f Folder) flock(how int) (release func(), err error) {
	file, err := os.OpenFile(f.lockFile(), os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		file.Close()
		return nil, errLocked
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("data folder lock: %w", err)
	}
	return func() { file.Close() }, nil
}

// locked tells whether a local stack runs on this folder. Any number may ask at
// once without taking each other for a stack: what they hold is shared.
func (f Folder) locked() (bool, error) {
	if _, err := os.Stat(f.lockFile()); err != nil {
		return false, nil
	}
	release, err := f.flock(syscall.LOCK_SH)
	if errors.Is(err, errLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	release()
	return false, nil
}
