package local

import (
	"sync"
	"syscall"
	"testing"
	"time"
)

// Those who look whether a stack runs are not taken for one, neither by each
// other nor by a stack that starts meanwhile.
func TestLookingForAStackIsNoStack(t *testing.T) {
	f := Folder(t.TempDir())
	if err := f.make(); err != nil {
		t.Fatal(err)
	}
	release, err := f.lock()
	if err != nil {
		t.Fatal(err)
	}
	if held, err := f.locked(); err != nil || !held {
		t.Fatalf("a stack that runs is seen: %v, %v", held, err)
	}
	release()
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if held, err := f.locked(); err != nil || held {
					t.Errorf("a stack was seen where none runs: %v, %v", held, err)
					return
				}
			}
		})
	}
	time.Sleep(200 * time.Millisecond)
	close(stop)
	all.Wait()

	// One that looks holds the folder for a while; the stack gets it all the same.
	look, err := f.flock(syscall.LOCK_SH)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(lockPatience/4, look)
	if release, err = f.lock(); err != nil {
		t.Fatalf("beside one that looks: %v", err)
	}
	defer release()
	if _, err := f.lock(); err != errLocked {
		t.Errorf("a second stack: %v, want %v", err, errLocked)
	}
}
