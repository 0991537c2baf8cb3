package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestJobsOnFullDisk: a list for which there is no room is refused with an
// error that says so; a job whose results find no room waits, and goes on when
// there is some.
func TestJobsOnFullDisk(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, 16) // the log of SQLite takes some while results are written
	post := openPost(t, 2, 8000)
	list := settledList(post.list)
	environment := append(post.settings, "RCPT_DATA="+folder)
	key := keysOf{environment}.mustCreate(t, "--scope", "bulk").Key
	n := startNode(t, environment)
	send := func(list string) reply {
		t.Helper()
		a, err := n.request(t.Context(), http.MethodPost, "/api/v1/bulk", key, list)
		check(t, err)
		return a
	}
	filler := filepath.Join(folder, "filler")
	fill := func() { _ = os.WriteFile(filler, make([]byte, 32<<20), 0o600) } // as much as there is room for
	fill()
	if a := send(strings.Repeat("somebody@d0.example\n", 20_000)); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "disk") || a.header.Get("Retry-After") == "" {
		t.Errorf("a list without room gets %d %s", a.status, a.body)
	}
	check(t, os.Remove(filler))
	a := send(list.text())
	var j jobState
	if check(t, json.Unmarshal([]byte(a.body), &j)); a.status != http.StatusAccepted {
		t.Fatalf("the list gets %d %s", a.status, a.body)
	}
	fill()
	// Whichever of them the disk has no room for first.
	waits := []string{"results of jobs cannot be stored", "no batches can be leased", "jobs wait for the store"}
	testkit.Eventually(t, "the log says that the job waits", func() bool {
		said := func(text string) bool { return strings.Contains(n.log.String(), text) }
		return slices.ContainsFunc(waits, said) || n.mustJob(key, j.ID).State == "done"
	})
	waited := n.mustJob(key, j.ID).State != "done"
	check(t, os.Remove(filler))
	testkit.Eventually(t, "the job is done", func() bool { j = n.mustJob(key, j.ID); return j.State == "done" })
	results, reasons := j.counted()
	if want := int64(len(list.rows)); j.Done != want || results != want || reasons != want {
		t.Errorf("%d rows: %+v", want, j)
	}
	list.compare(t, n.results(key, j.ID), len(list.rows))
	if code := n.stop(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	storetest.Sound(t, filepath.Join(folder, "rcpt.db"))
	t.Logf("results waited for room: %v; the log has %d lines", waited, strings.Count(n.log.String(), "\n"))
}
