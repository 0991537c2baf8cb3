package drive

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is what the process has used so far.
type usage struct {
	at      time.Time
	cpu     time.Duration
	mallocs uint64
}

func used() (usage, error) {
	cpu, err := CPU()
	if err != nil {
		return usage{}, err
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return usage{at: time.Now(), cpu: cpu, mallocs: memory.Mallocs}, nil
}

// CPU is the time, user's and system's, that this process has had of the
// processors.
func CPU() (time.Duration, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, err
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}

// PeakRSS is the most memory that a running process had resident, in bytes.
// (What getrusage(2) says begins with the parent's memory.)
func PeakRSS(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("the process has no memory of its own any more")
}
