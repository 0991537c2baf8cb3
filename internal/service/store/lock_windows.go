package store

import (
	"os"

	"golang.org/x/sys/windows"
)

var errWouldBlock error = windows.ERROR_LOCK_VIOLATION

// tryLock locks an octet far beyond the process ID, which stays readable.
func tryLock(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{Offset: 1 << 20})
}
