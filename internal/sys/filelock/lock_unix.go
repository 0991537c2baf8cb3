//go:build !windows

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try locks an open file until it is closed. [ErrLocked] means that another
// process has it. On file systems without locks, nothing is locked.
func Try(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrLocked
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOTSUP),
		errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		return nil
	}
	return err
}
