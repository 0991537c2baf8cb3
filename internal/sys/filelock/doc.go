// Package filelock locks files against other processes. The system gives a lock
// back when the process ends, however it ends.
package filelock

import "errors"

// ErrLocked means that another process holds the lock.
var ErrLocked = errors.New("another process uses the file")
