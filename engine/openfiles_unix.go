//go:build unix

package engine

import (
	"math"
	"syscall"
)

// openFiles is how many files this process may have open. Go has raised that to what the system allows at all.
func openFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxInt32
	}
	return int(min(uint64(limit.Cur), math.MaxInt32)) // Cur is signed on some systems
}
