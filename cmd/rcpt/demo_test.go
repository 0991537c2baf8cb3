package main

import (
	"path/filepath"
	"testing"
)

// TestAsCalled: the demo prints commands that work as they are typed, also
// where the program is not in PATH.
func TestAsCalled(t *testing.T) {
	there, err := filepath.Abs(filepath.Join("bin", "rcpt"))
	check(t, err)
	for arg0, want := range map[string]string{
		"rcpt": "rcpt", filepath.Join("bin", "rcpt"): there, there: there,
		filepath.Join("a folder", "rcpt"): filepath.Join("a folder", "rcpt"),
	} {
		if got := asCalled(arg0); got != want {
			t.Errorf("%q is called as %q, want %q", arg0, got, want)
		}
	}
}
