package main

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// npm downloads with "npm pack", which puts the archive of a package into a
// folder and runs none of its scripts.
type npm struct{ registry string }

func (n npm) download(ctx context.Context, p pkg) ([]byte, error) {
	dir, err := os.MkdirTemp("", "rcpt-lists-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args := []string{"pack", "--silent", "--ignore-scripts", "--pack-destination", dir}
	if n.registry != "" {
		args = append(args, "--registry", n.registry)
	}
	cmd := exec.CommandContext(ctx, "npm", append(args, p.Name+"@"+p.Version)...)
	cmd.Dir = dir // away from any project's own .npmrc
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("npm pack: %w", err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil {
		return nil, err
	}
	if len(archives) != 1 {
		return nil, fmt.Errorf("npm pack left %d archives", len(archives))
	}
	return os.ReadFile(archives[0])
}

// checkIntegrity refuses an archive that is not the pinned one.
func checkIntegrity(archive []byte, want string) error {
	sum := sha512.Sum512(archive)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != want {
		return fmt.Errorf("integrity is %s, pinned is %s", got, want)
	}
	return nil
}
