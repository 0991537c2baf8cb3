//go:build !windows

package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// isClosed reports whether the process was started with a closed standard
// output (>&-). The Go runtime opens /dev/null in its place, for reading and
// writing; a shell opens it for writing alone.
func isClosed(stdout *os.File) bool {
	flags, err := unix.FcntlInt(stdout.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := stdout.Stat()
	return err == nil && os.SameFile(null, info)
}
