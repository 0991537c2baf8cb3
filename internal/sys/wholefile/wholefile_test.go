package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplaceFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	for _, text := range []string{"first, and longer", "second"} {
		check(t, Replace(path, []byte(text)))
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != ReadableByAll {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	wantFiles(t, folder, "file")
}

// TestCreateFile: of two that make a file the first one's stays, for its user
// alone, and no other file is left.
func TestCreateFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	check(t, Create(path, []byte("first")))
	if err := Create(path, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "first" {
		t.Errorf("got %q, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != readableByUser {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	wantFiles(t, folder, "file")
}

// TestReplaceFileFails: a failed replacement leaves no file behind.
func TestReplaceFileFails(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "taken")
	check(t, os.Mkdir(path, 0o700))
	if err := Replace(path, []byte("text")); err == nil {
		t.Error("no error")
	}
	wantFiles(t, folder, "taken")
}

func wantFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	check(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
