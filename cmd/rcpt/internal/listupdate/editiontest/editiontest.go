// Package editiontest makes editions of the lists for tests.
package editiontest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
)

// Dates before and after that of the embedded edition, in the head of one.
const (
	DateLine = `(?m)^date: .*`
	Early    = "date: 2001-01-01"
	Late     = "date: 2999-01-01"
	Later    = "date: 2999-01-02"
)

// Another is the edition in a file with another head: edits are pairs of
// pattern and replacement.
func Another(file string, edits ...string) ([]byte, error) {
	data, err := os.ReadFile(file)
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
