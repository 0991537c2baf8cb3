// Package wholefile reads and replaces files as a whole. Its errors do not name
// the file: callers know the flag that does.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Read reads a file that a flag names. The error says what is wrong with it;
// the caller, who knows the flag, names the file.
func Read(path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New("the name of the file is missing")
	}
	data, err := os.ReadFile(path)
	return data, WithoutPath(err)
}

// ReadUpTo is Read for a file of limit bytes at most.
func ReadUpTo(limit int64, path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New("the name of the file is missing")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, WithoutPath(err)
	}
	defer file.Close()
	data, err := AllUpTo(limit, file)
	return data, WithoutPath(err)
}

// AllUpTo reads limit bytes at most; more are an error.
func AllUpTo(limit int64, from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("there are more than %d MiB", limit>>20)
	}
	return data, err
}

// WithoutPath returns the error of a file without the file's name.
func WithoutPath(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// Replace replaces a file with data atomically: a full disk or a crash leaves
// the old file.
func Replace(path string, data []byte) error {
	temporary, err := written(path, data, ReadableByAll)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		os.Remove(temporary)
		return err
	}
	return nil
}

// Create makes a file that only its user can read, with all of data at once. If
// there is one, perhaps made by another process at this moment, it stays as it
// is, and the error is [fs.ErrExist].
func Create(path string, data []byte) error {
	temporary, err := written(path, data, readableByUser)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	return os.Link(temporary, path)
}

// written writes data to a temporary file beside path, and returns its name.
func written(path string, data []byte, mode fs.FileMode) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if _, err := file.Write(data); err != nil {
		return "", err
	}
	if err := file.Chmod(mode); err != nil {
		return "", err
	}
	if err := file.Sync(); err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// ReadableByAll is for files that hold nothing private: a service may run as
// another user than the one that updates its lists.
const ReadableByAll = 0o644

const readableByUser = 0o600
