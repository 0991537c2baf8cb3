package listupdate

import (
	"testing"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate/editiontest"
)

// bundleFile is the embedded edition.
const bundleFile = "../../../../lists/data/lists.bundle"

func editionFor(t *testing.T, edits ...string) []byte {
	t.Helper()
	data, err := editiontest.Another(bundleFile, edits...)
	check(t, err)
	return data
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
