package main

import (
	"os"
	"path/filepath"
)

// readFolder returns the files of a folder by their names.
func readFolder(dir string) (map[string][]byte, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, f := range list {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		files[f.Name()] = text
	}
	return files, nil
}
