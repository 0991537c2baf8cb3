package listupdate

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate/editiontest"
	"github.com/rcpt/rcpt/lists"
)

// TestEditionInUse: the edition that is used at start, and what is logged about
// it.
func TestEditionInUse(t *testing.T) {
	embedded, err := lists.Embedded()
	check(t, err)
	same, err := os.ReadFile(bundleFile)
	check(t, err)
	for _, c := range []struct {
		name   string
		bundle []byte // nil: none
		date   string
		file   bool
		log    string
	}{
		{"none", nil, embedded.Date(), false, ""},
		{"later", editionFor(t, editiontest.DateLine, editiontest.Late), "2999-01-01", true, ""},
		{"of the same day", same, embedded.Date(), true, ""},
		{"earlier", editionFor(t, editiontest.DateLine, editiontest.Early), embedded.Date(), false, "level=INFO"},
		{"damaged", append(bytes.Clone(same[:len(same)-1]), 'x'), embedded.Date(), false, "level=WARN"},
		{"empty", []byte{}, embedded.Date(), false, "level=WARN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			if c.bundle != nil {
				check(t, os.WriteFile(filepath.Join(folder, BundleName), c.bundle, 0o600))
			}
			var log bytes.Buffer
			source, err := Open(folder, nil, slog.New(slog.NewTextHandler(&log, nil)))
			check(t, err)
			if got := source.lists.Edition().Date(); got != c.date || (source.edition.File != "") != c.file {
				t.Errorf("edition of %s from %q, want %s, from a file %t", got, source.edition.File, c.date, c.file)
			}
			if got := log.String(); !strings.Contains(got, c.log) || (got == "") != (c.log == "") {
				t.Errorf("log %q, want %q", got, c.log)
			}
		})
	}
}

// TestPipeIsReadOnce: the contents of a pipe are kept when the lists are read
// again.
func TestPipeIsReadOnce(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.CommandContext(t.Context(), "mkfifo", pipe).Run(); err != nil {
		t.Skip("no mkfifo: ", err)
	}
	go os.WriteFile(pipe, []byte("throw.example\n"), 0o600)
	source, err := Open(t.TempDir(), []File{{lists.KindDisposable, pipe}}, slog.New(slog.DiscardHandler))
	check(t, err)
	check(t, source.load())
	if len(source.lists.Match("", "throw.example")) == 0 {
		t.Error("the entry is gone")
	}
}
