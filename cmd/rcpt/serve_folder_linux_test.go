package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/list/xlsx"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
)

// TestUploadsInDataFolder: with PostgreSQL, too, a list that arrives waits in
// the data folder, and a list for which that has no room is refused with 503,
// in whatever form it comes.
func TestUploadsInDataFolder(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, 6)
	environment := append(startWorld(t), "RCPT_DATA="+folder, "RCPT_DATABASE="+storetest.Start(t).Database(t))
	key := keysOf{environment}.mustCreate(t, "--scope", "bulk").Key
	warns(t, environment, " is in memory .tmpfs., so lists")
	n := startNode(t, environment)
	rows := strings.Repeat("somebody@box.example\n", 400_000)
	var book bytes.Buffer
	sheet, err := xlsx.NewWriter(&book, xlsx.AppendRow(nil, []xlsx.Cell{{Kind: xlsx.Text, Text: "email"}}))
	check(t, err)
	row := xlsx.AppendRow(nil, []xlsx.Cell{{Kind: xlsx.Text, Text: "somebody@box.example"}})
	for range 400_000 {
		_, err := sheet.Write(row)
		check(t, err)
	}
	check(t, sheet.Close())
	for name, list := range map[string]string{"text": rows, "workbook": book.String()} {
		a, err := n.request(t.Context(), http.MethodPost, "/api/v1/bulk", key, list)
		check(t, err)
		if a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "disk") {
			t.Errorf("a %s without room gets %d %s", name, a.status, a.body)
		}
	}
	a, err := n.request(t.Context(), http.MethodPost, "/api/v1/bulk", key, "somebody@box.example\n")
	check(t, err)
	if a.status != http.StatusAccepted {
		t.Errorf("a small list gets %d %s", a.status, a.body)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "rcpt-*")); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// warns checks that a server says something at its start.
func warns(t *testing.T, environment []string, pattern string) {
	t.Helper()
	p := start(t, environment, "serve", "--listen", "127.0.0.1:0")
	p.awaitAll(p.stderr, pattern, `^rcpt listens on`)
	check(t, p.command.Process.Signal(os.Interrupt))
	p.wait()
}

// TestUploadsWithoutDataFolder: with PostgreSQL a data folder that cannot be
// written to is no reason not to start.
func TestUploadsWithoutDataFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	environment := append(startWorld(t), "RCPT_DATA="+filepath.Join(file, "data"), "RCPT_DATABASE="+storetest.Start(t).Database(t))
	key := keysOf{environment}.mustCreate(t, "--scope", "bulk").Key
	warns(t, environment, "lists that arrive wait in")
	n := startNode(t, environment)
	a, err := n.request(t.Context(), http.MethodPost, "/api/v1/bulk", key, "somebody@box.example\n")
	check(t, err)
	if a.status != http.StatusAccepted {
		t.Errorf("a list gets %d %s", a.status, a.body)
	}
}
