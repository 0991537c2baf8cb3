package main

import (
	"errors"
	"io/fs"
	"os"
)

// readFile reads a file that a flag names. The error says what is wrong with it; the caller, who knows the flag, names the file.
func readFile(path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New("the name of the file is missing")
	}
	data, err := os.ReadFile(path)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return nil, failed.Err
	}
	return data, err
}
