package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// bundleFile is the embedded edition.
const bundleFile = "../../lists/data/lists.bundle"

// Dates before and after that of the embedded edition, in the head of one.
const (
	dateLine = `(?m)^date: .*`
	early    = "date: 2001-01-01"
	late     = "date: 2999-01-01"
	later    = "date: 2999-01-02"
)

// anotherEdition is the embedded edition with another head: edits are pairs of pattern and replacement.
func anotherEdition(edits ...string) ([]byte, error) {
	data, err := os.ReadFile(bundleFile)
	if err != nil {
		return nil, err
	}
	head, body, _ := bytes.Cut(data, []byte("\n\n"))
	head = regexp.MustCompile(`\nsha256: .*`).ReplaceAll(head, nil)
	for i := 0; i < len(edits); i += 2 {
		head = regexp.MustCompile(edits[i]).ReplaceAll(head, []byte(edits[i+1]))
	}
	sum := sha256.Sum256(bytes.Join([][]byte{head, body}, []byte("\n\n")))
	return bytes.Join([][]byte{head, []byte("\nsha256: " + hex.EncodeToString(sum[:]) + "\n\n"), body}, nil), nil
}

func editionFor(t *testing.T, edits ...string) []byte {
	t.Helper()
	data, err := anotherEdition(edits...)
	check(t, err)
	return data
}

// makeEdition is the scripts' command edition FILE [PATTERN REPLACEMENT]...: it writes another edition.
func makeEdition(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 == 0 {
		ts.Fatalf("usage: edition FILE [PATTERN REPLACEMENT]...")
	}
	data, err := anotherEdition(args[1:]...)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}
