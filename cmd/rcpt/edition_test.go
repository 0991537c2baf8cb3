package main

import (
	"crypto/rand"
	"os"
	"testing"

	"aead.dev/minisign"
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

// signer returns the command "sign FILE" of the scripts, which writes the
// signature of a file beside it, and the public key.
func signer(t *testing.T) (func(*testscript.TestScript, bool, []string), string) {
	t.Helper()
	public, private, err := minisign.GenerateKey(rand.Reader)
	check(t, err)
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: sign FILE")
		}
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[0])+".minisig", minisign.Sign(private, data), 0o600))
	}, public.String()
}
