//go:build unix

package machine

import (
	"math"
	"syscall"
)

// OpenFiles returns the number of files that this process may have open.
// Go has raised it to what the system allows.
func OpenFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxInt32
	}
	return int(min(uint64(limit.Cur), math.MaxInt32)) // Cur is signed on some systems
}
