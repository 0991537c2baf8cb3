//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// jobState is what the tests read of a job.
type jobState struct {
	ID, State             string
	Rows, Addresses, Done int64
	Results, Reasons      map[string]int64
}

func (j jobState) counted() (results, reasons int64) {
	for _, n := range j.Results {
		results += n
	}
	for _, n := range j.Reasons {
		reasons += n
	}
	return results, reasons
}

// request sends a request with a body; the error is that of the connection.
func (n *node) request(ctx context.Context, method, path, key, body string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, n.url+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("X-API-Key", key)
	if body != "" {
		request.Header.Set("Content-Type", "text/csv")
		request.Header.Set("Idempotency-Key", "the list")
	}
	response, err := n.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(text)}, err
}

func (n *node) mustJob(key, id string) (j jobState) {
	n.t.Helper()
	a, err := n.request(n.t.Context(), http.MethodGet, "/api/v1/bulk/"+id, key, "")
	check(n.t, err)
	if a.status != http.StatusOK {
		n.t.Fatalf("job %s: %d %s", id, a.status, a.body)
	}
	check(n.t, json.Unmarshal([]byte(a.body), &j))
	return j
}

// results writes the results of a job to a file.
func (n *node) results(key, id string) (file string) {
	n.t.Helper()
	a, err := n.request(n.t.Context(), http.MethodGet, "/api/v1/bulk/"+id+"/results", key, "")
	check(n.t, err)
	if a.status != http.StatusOK {
		n.t.Fatalf("results of %s: %d %s", id, a.status, a.body)
	}
	file = filepath.Join(n.t.TempDir(), "results.csv")
	check(n.t, os.WriteFile(file, []byte(a.body), 0o600))
	return file
}

// settledList is a list without greylisted mailboxes.
func settledList(all *crashList) *crashList {
	l := &crashList{has: all.has}
	for i, address := range all.addresses {
		if !strings.HasPrefix(address, "grey") && !strings.HasPrefix(address, "shut") {
			l.rows, l.addresses, l.want = append(l.rows, all.rows[i]), append(l.addresses, address), append(l.want, all.want[i])
		}
	}
	return l
}

// text is the list as it is uploaded.
func (l *crashList) text() string {
	return crashHeader + "\r\n" + strings.Join(l.rows, "\r\n") + "\r\n"
}

// runsThatAsked is how many runs asked about an address. Within a run, some
// mailboxes are asked about again as the proof for others.
func (p *postOffice) runsThatAsked(address string) (runs int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, of := range p.asked {
		if of[address] > 0 {
			runs++
		}
	}
	return runs
}

// TestJobKilled kills a server with signal 9 from the upload of a list to its
// last row: a list that was acknowledged is verified to its end, every row is
// in the output once, and the counters are those of the rows. A mailbox is
// asked about a second time only if the server was killed meanwhile.
func TestJobKilled(t *testing.T) {
	t.Parallel()
	rows, kills, hosts := 12_000, 4, 2
	if os.Getenv("TEST_CRASH") != "" { // make crash
		rows, kills, hosts = 60_000, 20, 40
	}
	post := openPost(t, hosts, rows)
	list, folder := settledList(post.list), t.TempDir()
	environment := append(post.settings, "RCPT_DATA="+folder)
	key := keysOf{environment}.mustCreate(t, "--scope", "bulk")
	id := ""
	for kill := range kills {
		run := fmt.Sprintf("run%d.example", kill)
		n := startNode(t, environment, "--helo", run)
		if id == "" { // the first server may be killed before it has answered
			sent := make(chan reply, 1)
			go func() {
				a, _ := n.request(t.Context(), http.MethodPost, "/api/v1/bulk", key.Key, list.text())
				sent <- a
			}()
			if kill == 0 {
				time.AfterFunc(rand.N(20*time.Millisecond), func() { _ = n.command.Process.Kill() })
			}
			if a := <-sent; a.status == http.StatusAccepted {
				var j jobState
				check(t, json.Unmarshal([]byte(a.body), &j))
				id = j.ID
			} else if kill > 0 {
				t.Fatalf("the list gets %d %s", a.status, a.body)
			}
			if kill == 0 {
				n.gone()
				continue
			}
		}
		// More than what is in progress at a time, so that what was interrupted
		// the time before is done: nothing is interrupted twice.
		all := int64(len(list.rows))
		goal := n.mustJob(key.Key, id).Done + max(all/4, 3000)
		if goal > all {
			n.kill()
			break
		}
		testkit.Eventually(t, "some are done", func() bool { return n.mustJob(key.Key, id).Done >= goal })
		n.kill()
		storetest.Sound(t, filepath.Join(folder, "rcpt.db"))
	}
	n := startNode(t, environment, "--helo", "last.example")
	if id == "" {
		t.Fatal("no list was acknowledged")
	}
	before := n.mustJob(key.Key, id)
	var j jobState
	testkit.Eventually(t, "the job is done", func() bool { j = n.mustJob(key.Key, id); return j.State == "done" })
	results, reasons := j.counted()
	if want := int64(len(list.rows)); j.Rows != want || j.Addresses != want || j.Done != want || results != want || reasons != want {
		t.Errorf("%d rows: %+v", want, j)
	}
	list.compare(t, n.results(key.Key, id), len(list.rows))
	if code := n.stop(); code != exitDone {
		t.Errorf("exit code %d, log:\n%s", code, n.log.String())
	}
	var runs [3]int // mailboxes that two and more runs have asked about
	for _, address := range list.addresses {
		if n := post.runsThatAsked(address); n > 1 {
			runs[min(n, len(runs))-1]++
		}
	}
	if runs[2] > len(list.rows)/100 { // a few may be slow, and in progress at two kills
		t.Errorf("%d mailboxes were asked about by more than two runs", runs[2])
	}
	t.Logf("%d rows, %d kills: %d were done before the last start; two runs asked about %d, more about %d", len(list.rows), kills, before.Done, runs[1], runs[2])
}
