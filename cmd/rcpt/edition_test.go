package main

import (
	"os"
	"testing"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate/editiontest"
	"github.com/rogpeppe/go-internal/testscript"
)

// bundleFile is the embedded edition.
const bundleFile = "../../lists/data/lists.bundle"

func editionFor(t *testing.T, edits ...string) []byte {
	t.Helper()
	data, err := editiontest.Another(bundleFile, edits...)
	check(t, err)
	return data
}

// makeEdition is the command "edition FILE [PATTERN REPLACEMENT]..." of the
// scripts. It writes another edition.
func makeEdition(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 == 0 {
		ts.Fatalf("usage: edition FILE [PATTERN REPLACEMENT]...")
	}
	data, err := editiontest.Another(bundleFile, args[1:]...)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}
