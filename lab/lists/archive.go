package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxFile bounds a file in an archive, in bytes: a dozen times the largest list
// there is.
const maxFile = 32 << 20

// readArchive returns the files of an npm archive by their path in the package.
func readArchive(archive []byte) (map[string][]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for r := tar.NewReader(unzipped); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Size > maxFile {
			return nil, fmt.Errorf("%s has %d bytes", header.Name, header.Size)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		_, path, _ := strings.Cut(header.Name, "/") // npm puts everything under package/
		files[path] = text
	}
}

// checkLicense refuses a package that declares another licence than the pinned
// one.
func checkLicense(manifest []byte, want string) error {
	var m struct {
		License string `json:"license"`
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		return fmt.Errorf("package.json: %w", err)
	}
	if m.License != want {
		return fmt.Errorf("licence is %q, pinned is %q", m.License, want)
	}
	return nil
}
