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

// A folder that is locked is tried again for a while: the process that has it may be about to end, as at a restart.
const (
	lockPatience = 2 * time.Second
	lockRetry    = 50 * time.Millisecond
)

// folderLock is a lock that the operating system drops when the process ends, however it ends.
type folderLock struct{ file *os.File }

// lockFolder locks the folder, or returns [ErrLocked] with the process that has it.
func lockFolder(ctx context.Context, folder string) (*folderLock, error) {
	path := filepath.Join(folder, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, fmt.Errorf("the data folder cannot be locked: %w", err)
	}
	giveUp := time.Now().Add(lockPatience)
	for {
		err = tryLock(file)
		if err == nil {
			return &folderLock{file}, errors.Join(file.Truncate(0), writePID(file))
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
	return nil, fmt.Errorf("the data folder %s is %w%s: stop that process, or name another folder", folder, ErrLocked, owner(file))
}

func writePID(file *os.File) error {
	_, err := fmt.Fprintf(io.NewOffsetWriter(file, 0), "%d\n", os.Getpid())
	return err
}

// owner tells the process that has the lock, as far as it wrote it down.
func owner(file *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 20))
	pid := strings.TrimSpace(string(text))
	if err != nil || pid == "" {
		return ""
	}
	return " (" + pid + ")"
}

// release gives the lock back. The file stays: to delete it would let two processes lock two files of one name.
func (l *folderLock) release() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
