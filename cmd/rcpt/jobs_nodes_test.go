//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestNodesShareAJob: two servers on one database work on a job together. One
// is killed; the other takes over what it had, and every row is in the output
// once.
func TestNodesShareAJob(t *testing.T) {
	takesLong(t)
	t.Parallel()
	rows, hosts := 20_000, 6
	if os.Getenv("TEST_CRASH") != "" { // make crash
		rows, hosts = 100_000, 40
	}
	post := openPost(t, hosts, rows)
	list := settledList(post.list)
	environment := append(post.settings, "RCPT_DATABASE="+storetest.Start(t).Database(t))
	key := keysOf{environment}.mustCreate(t, "--scope", "bulk")
	var nodes []*node
	for _, run := range []string{"one.example", "two.example"} {
		nodes = append(nodes, startNode(t, environment, "--helo", run, "--node-lease", "10s"))
	}
	a, err := nodes[0].request(t.Context(), http.MethodPost, "/api/v1/bulk", key.Key, list.text())
	check(t, err)
	var j jobState
	if check(t, json.Unmarshal([]byte(a.body), &j)); a.status != http.StatusAccepted {
		t.Fatalf("the list gets %d %s", a.status, a.body)
	}
	asked := func(run string) int {
		post.mu.Lock()
		defer post.mu.Unlock()
		return len(post.asked[run])
	}
	testkit.Eventually(t, "both ask", func() bool { return asked("one.example") > 500 && asked("two.example") > 500 })
	nodes[0].kill()
	testkit.Eventually(t, "the job is done", func() bool { j = nodes[1].mustJob(key.Key, j.ID); return j.State == "done" })
	results, reasons := j.counted()
	if want := int64(len(list.rows)); j.Done != want || results != want || reasons != want {
		t.Errorf("%d rows: %+v", want, j)
	}
	list.compare(t, nodes[1].results(key.Key, j.ID), len(list.rows))
	again := 0
	for _, address := range list.addresses {
		if post.runsThatAsked(address) > 1 {
			again++
		}
	}
	if again > 8500 { // a window, and what was not committed
		t.Errorf("%d mailboxes were asked about by both", again)
	}
	if log := nodes[1].log.String(); strings.Contains(log, "ERROR") {
		t.Error(log)
	}
	t.Logf("%d rows: one server asked about %d, the other about %d; both about %d", len(list.rows), asked("one.example"), asked("two.example"), again)
}
