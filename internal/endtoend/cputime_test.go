package endtoend_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// clockTick is the unit of /proc's processor times: 100 a second on Linux, whatever the machine.
const clockTick = 10 * time.Millisecond

// processorTime is what a process and its descendants have used, those that have
// ended included: it says what a run costs on a machine that has other work, too.
func processorTime(pid int) (used time.Duration) {
	children := map[int][]int{}
	times := map[int]time.Duration{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		_, rest, found := bytes.Cut(raw, []byte(") ")) // a name may hold spaces, but nothing of ours has ") "
		fields := bytes.Fields(rest)
		if !found || len(fields) < 15 {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		children[parent] = append(children[parent], id)
		for _, f := range fields[11:15] { // utime, stime, cutime, cstime: proc_pid_stat(5)
			n, _ := strconv.Atoi(string(f))
			times[id] += time.Duration(n) * clockTick
		}
	}
	for todo := []int{pid}; len(todo) > 0; todo = todo[1:] {
		used += times[todo[0]]
		todo = append(todo, children[todo[0]]...)
	}
	return used
}
