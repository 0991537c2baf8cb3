//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// fleet is three servers on one PostgreSQL that work on one list, and one that
// replaces one of them.
type fleet struct {
	t        *testing.T
	post     *postOffice
	list     *crashList
	cluster  *storetest.Cluster
	nodes    [4]*node
	wire     *wire // of the third node to the database
	commands keysOf
	key      madeKey
	job      string
	most     int // nodes that may ask about a mailbox
	lease    time.Duration
	hooks    *hooks
}

// fleetSizes are those of the test and, with TEST_FLEET set, of make fleet.
type fleetSizes struct {
	rows, hosts int
	stopped     time.Duration // a node stands still for so long
	lease       time.Duration // of the nodes: longer than the database is away
}

func startFleet(t *testing.T, size fleetSizes) *fleet {
	t.Helper()
	f := &fleet{t: t, cluster: storetest.Start(t), hooks: startHooks(t), most: 3, lease: size.lease, post: openPost(t, size.hosts, size.rows)}
	f.list = settledList(f.post.list)
	database := f.cluster.Database(t)
	f.commands, f.wire = keysOf{append(f.post.settings, "RCPT_DATABASE="+database)}, startWire(t, database)
	for i, settings := range [][]string{nil, nil, {"RCPT_DATABASE=" + f.wire.url}} {
		f.nodes[i] = f.node(i, settings...)
	}
	f.key = f.commands.mustCreate(t, "--scope", "bulk", "--scope", "verify")
	f.hooks.secret = strings.TrimSpace(webhooksOf(t.Context(), t, f.commands.environment, "secret", f.key.ID))
	testkit.Eventually(t, "the key is taken up", func() bool { return f.nodes[0].accepts(f.key.Key) })
	a, err := f.nodes[0].request(t.Context(), http.MethodPost, "/api/v1/bulk?webhook="+url.QueryEscape(f.hooks.url), f.key.Key, f.list.text())
	check(t, err)
	var j jobState
	if check(t, json.Unmarshal([]byte(a.body), &j)); a.status != http.StatusAccepted || j.ID == "" {
		t.Fatalf("the list gets %d %s", a.status, a.body)
	}
	f.job = j.ID
	return f
}

func (f *fleet) node(i int, settings ...string) *node {
	f.t.Helper()
	return startNode(f.t, append(f.commands.environment, settings...), "--helo", nodeName(i), "--node-lease", f.lease.String(), "--webhook-allow-net", "127.0.0.0/8")
}

func nodeName(i int) string { return fmt.Sprintf("node%d.example", i) }

// awaitDone waits until so many addresses are done, as a node tells that may
// have no database at the moment.
func (f *fleet) awaitDone(from *node, done int64) (j jobState) {
	f.t.Helper()
	// A session breaks while its node stands still, and the job asks again
	// after a quarter of an hour.
	const long = 20 * time.Minute // make fleet
	testkit.Within(f.t, long, fmt.Sprintf("%d addresses are done", done), func() bool {
		a, err := from.request(f.t.Context(), http.MethodGet, "/api/v1/bulk/"+f.job, f.key.Key, "")
		check(f.t, err)
		if a.status != http.StatusOK {
			return false
		}
		check(f.t, json.Unmarshal([]byte(a.body), &j))
		return j.Done >= done
	})
	return j
}

// TestFleet: three servers share a list. One is killed with signal 9 and
// replaced, one stands still for a while, and one is cut from the database: at
// first it hears nothing, then it is refused. Then the database is restarted.
// Every row is in the output once and the counters are those of the rows, also
// after the server that was cut is back with what it had found, and one webhook
// tells of the end.
func TestFleet(t *testing.T) {
	takesLong(t)
	t.Parallel()
	size := fleetSizes{rows: 12_000, hosts: 6, stopped: time.Second, lease: 15 * time.Second}
	if os.Getenv("TEST_FLEET") != "" { // make fleet
		size = fleetSizes{rows: 60_000, hosts: 40, stopped: time.Minute, lease: 30 * time.Second}
	}
	began := time.Now()
	f := startFleet(t, size)
	all := int64(len(f.list.rows))
	killed, stopped, cut := f.nodes[0], f.nodes[1], f.nodes[2]

	f.awaitDone(cut, all/10)
	killed.kill()
	killedAt := time.Now()
	f.awaitDone(cut, all*15/100)
	check(t, stopped.command.Process.Signal(syscall.SIGSTOP))
	paused := time.AfterFunc(size.stopped, func() { _ = stopped.command.Process.Signal(syscall.SIGCONT) })
	defer paused.Stop()
	f.awaitDone(cut, all*20/100)
	f.wire.set(wireSilent)
	if time.Since(killedAt) < f.lease/2 {
		f.most = 2 // the one that is cut has nothing of the one that was killed
	}
	fresh := f.node(3)
	f.nodes[3] = fresh
	testkit.Eventually(t, "the database is missed", func() bool { return cut.ready() == http.StatusServiceUnavailable })
	f.wire.set(wireRefused)
	f.cluster.Halt()
	testkit.Eventually(t, "the database is missed", func() bool { return fresh.ready() == http.StatusServiceUnavailable })
	check(t, f.cluster.Resume())

	testkit.Eventually(t, "the job is done", func() bool { return f.awaitDone(fresh, all).State == "done" })
	took := time.Since(began)
	f.wire.set(wireWhole)
	for _, n := range f.nodes[1:] {
		testkit.Eventually(t, "all servers work again", func() bool { return n.ready() == http.StatusOK })
	}
	f.oneWebhook()
	for _, n := range f.nodes[1:] { // they commit what they have
		if code := n.stop(); code != exitDone {
			t.Errorf("exit code %d, log:\n%s", code, n.log.String())
		}
	}
	f.outcome(f.node(4))
	f.report(took)
}

// outcome checks the job, on a server that had nothing to do with it.
func (f *fleet) outcome(n *node) {
	f.t.Helper()
	all, j := int64(len(f.list.rows)), n.mustJob(f.key.Key, f.job)
	results, reasons := j.counted()
	if j.Rows != all || j.Addresses != all || j.Done != all || results != all || reasons != all {
		f.t.Errorf("%d rows: %+v", all, j)
	}
	f.list.compare(f.t, n.results(f.key.Key, f.job), len(f.list.rows))
}

// oneWebhook waits for the webhook of the job.
func (f *fleet) oneWebhook() {
	f.t.Helper()
	testkit.Eventually(f.t, "the webhook is delivered", func() bool {
		return strings.Contains(webhooksOf(f.t.Context(), f.t, f.commands.environment, "list", "--json"), `"state":"delivered"`)
	})
	ids, forged := f.hooks.received()
	if list := webhooksOf(f.t.Context(), f.t, f.commands.environment, "list", "--json"); len(ids) != 1 || forged != 0 || strings.Count(list, `"event":"job.completed"`) != 1 {
		f.t.Errorf("webhooks arrived: %v, %d with a wrong signature; the log has\n%s", ids, forged, list)
	}
}

// report logs what each node did, and fails if a mailbox was asked about by
// more nodes than can have lost it.
func (f *fleet) report(took time.Duration) {
	f.t.Helper()
	f.post.mu.Lock()
	for i := range f.nodes {
		f.t.Logf("%s asked about %d addresses", nodeName(i), len(f.post.asked[nodeName(i)]))
	}
	f.post.mu.Unlock()
	again := 0
	for _, address := range f.list.addresses {
		switch times := f.post.runsThatAsked(address); {
		case times > f.most:
			f.t.Errorf("%s was asked about by %d nodes", address, times)
		case times > 1:
			again++
		}
	}
	f.t.Logf("%d rows in %v; %d were asked about by two nodes", len(f.list.rows), took.Round(100*time.Millisecond), again)
}
