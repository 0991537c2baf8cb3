package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks an open file until it is closed. [ErrLocked] means that another
// process has it. An octet far beyond the contents is locked, so that others
// can read them.
func Try(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}
