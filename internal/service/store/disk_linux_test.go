package store

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk mounts a disk in memory.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	folder := t.TempDir()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to mount a small disk")
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, options); err != nil {
		t.Skip("SKIPPED: no disk can be mounted: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	return folder
}

// TestFullDisk fills the disk under a store, and makes room again.
func TestFullDisk(t *testing.T) {
	folder := smallDisk(t, "size=16m") // what waits in memory may be written before it is forgotten
	s, ctx := open(t, Options{DataDir: folder}), t.Context()
	kept := someKey(t, s, "kept")
	filler := filepath.Join(folder, "filler")
	_ = os.WriteFile(filler, make([]byte, 32<<20), 0o600) // as much as there is room for
	s.RecordUse(Use{Key: "a", At: time.Now()})
	var err error
	var made []string
	for i := 0; i < 1000 && err == nil; i++ { // the log may have room for some
		var key Key
		if key, err = s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf(time.Duration(i).String()), Name: strings.Repeat("n", maxText)}); err == nil {
			made = append(made, key.ID)
		}
	}
	wantError(t, err, ErrUnavailable)
	if !strings.Contains(err.Error(), "full") || !strings.Contains(err.Error(), folder) {
		t.Errorf("the error does not tell what is full: %v", err)
	}
	if _, err := s.Key(ctx, kept.ID); err != nil {
		t.Errorf("reading while the disk is full: %v", err)
	}
	for i := range 2000 {
		s.PutVerdict(time.Duration(i).String(), Verdict{Result: []byte(strings.Repeat("x", 1000)), Checked: time.Now(), Expires: time.Now().Add(time.Hour)})
	}
	wantError(t, s.Flush(ctx), ErrUnavailable)
	wantError(t, s.Backup(ctx, filepath.Join(folder, "backup")), ErrUnavailable)

	check(t, os.Remove(filler))
	check(t, s.ForgetVerdicts(ctx))
	check(t, s.Flush(ctx))
	someKey(t, s, "after")
	rows, err := s.Usage(ctx, UsageQuery{})
	check(t, err)
	keys, err := s.Keys(ctx)
	check(t, err)
	if len(rows) != 1 || len(keys) != len(made)+2 {
		t.Errorf("%d rows of usage, %d keys, acknowledged 1 and %d", len(rows), len(keys), len(made)+2)
	}
}

func TestReadOnlyDisk(t *testing.T) {
	folder := smallDisk(t, "size=4m")
	o := Options{DataDir: folder}
	check(t, open(t, o).Close())
	check(t, syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	_, err := Open(t.Context(), o)
	wantError(t, err, ErrUnavailable)
	if !strings.Contains(err.Error(), folder) {
		t.Errorf("%v", err)
	}
}
