package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A locked folder is tried again for a while: the process that has it may be
// about to end, as at a restart.
const (
	lockTimeout = 2 * time.Second
	lockRetry   = 50 * time.Millisecond
)

// folderLock is a lock that the operating system releases when the process
// ends, however it ends.
type folderLock struct{ file *os.File }

// lockFolder locks the folder, or returns [ErrLocked] with the process that has
// it after some time.
func lockFolder(ctx context.Context, folder string, wait time.Duration) (*folderLock, error) {
	path := filepath.Join(folder, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, fmt.Errorf("the data folder cannot be locked: %w", err)
	}
	giveUp := time.Now().Add(wait)
	for {
		err = tryLock(file)
		if err == nil {
			writePID(file)
			return &folderLock{file}, nil
		}
		if !errors.Is(err, errWouldBlock) || time.Now().After(giveUp) {
			break
		}
		select {
		case <-time.After(lockRetry):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		}
	}
	defer file.Close()
	if !errors.Is(err, errWouldBlock) {
		return nil, fmt.Errorf("the data folder cannot be locked: %s: %w", path, err)
	}
	return nil, fmt.Errorf("the data folder %s is %w%s: stop that process, or name another folder",
		folder, ErrLocked, owner(file))
}

// writePID tells others our process ID. The lock holds without it, on a full
// disk for instance.
func writePID(file *os.File) {
	_ = file.Truncate(0)
	_, _ = fmt.Fprintf(io.NewOffsetWriter(file, 0), "%d\n", os.Getpid())
}

// owner tells the process that has the lock, as far as it wrote it down.
func owner(file *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 20))
	pid := strings.TrimSpace(string(text))
	if err != nil || pid == "" {
		return ""
	}
	return " (process " + pid + ")"
}

// release releases the lock. The file stays: if it were deleted, two processes
// could lock two files of the same name.
func (l *folderLock) release() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
