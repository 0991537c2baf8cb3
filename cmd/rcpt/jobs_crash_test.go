//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
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

// crashJob is a list on a server that is killed again and again.
type crashJob struct {
	t           *testing.T
	post        *postOffice
	list        *crashList
	folder      string
	environment []string
	key         madeKey
	hooks       *hooks
	id          string // empty: it was not acknowledged yet
	runs        int

	settled     map[string]bool // addresses whose result was committed at the last kill
	interrupted map[string]int  // how often addresses were asked about without that
}

func newCrashJob(t *testing.T, rows, hosts int, folder string) *crashJob {
	t.Helper()
	c := &crashJob{t: t, post: openPost(t, hosts, rows), folder: folder, hooks: startHooks(t), settled: map[string]bool{}, interrupted: map[string]int{}}
	c.list, c.environment = settledList(c.post.list), append(c.post.settings, "RCPT_DATA="+folder)
	c.key = keysOf{c.environment}.mustCreate(t, "--scope", "bulk")
	c.hooks.secret = strings.TrimSpace(webhooksOf(t.Context(), t, c.environment, "secret", c.key.ID))
	return c
}

func (c *crashJob) start() *node {
	c.t.Helper()
	c.runs++
	return startNode(c.t, c.environment, "--helo", runName(c.runs), "--webhook-allow-net", "127.0.0.0/8")
}

func runName(number int) string { return fmt.Sprintf("run%d.example", number) }

// upload sends the list, again if that was interrupted.
func (c *crashJob) upload(n *node) reply {
	a, _ := n.request(c.t.Context(), http.MethodPost, "/api/v1/bulk?webhook="+url.QueryEscape(c.hooks.url), c.key.Key, c.list.text())
	if a.status == http.StatusAccepted {
		var j jobState
		check(c.t, json.Unmarshal([]byte(a.body), &j))
		c.id = j.ID
	}
	return a
}

func (c *crashJob) mustUpload(n *node) {
	c.t.Helper()
	if a := c.upload(n); a.status != http.StatusAccepted {
		c.t.Fatalf("the list gets %d %s", a.status, a.body)
	}
}

// kill kills the server and checks that nothing was lost, and that it has asked
// about nothing that was settled before it started.
func (c *crashJob) kill(n *node) {
	c.t.Helper()
	n.kill()
	storetest.Sound(c.t, filepath.Join(c.folder, "rcpt.db"))
	c.notAgain(c.runs)
	if c.id == "" {
		return
	}
	settled := c.committed()
	for address := range c.settled {
		if !settled[address] {
			c.t.Fatalf("run %d: the result of %s was committed and is lost", c.runs, address)
		}
	}
	c.settled = settled
	for _, address := range c.list.addresses {
		if !settled[address] && c.post.askedBy(runName(c.runs), address) > 0 {
			c.interrupted[address]++
		}
	}
}

// notAgain checks that a run has asked about nothing that was settled before.
func (c *crashJob) notAgain(run int) {
	c.t.Helper()
	for address := range c.settled {
		if c.post.askedBy(runName(run), address) > 0 {
			c.t.Fatalf("run %d has asked about %s, whose result was committed before", run, address)
		}
	}
}

// committed reads the addresses that have a result, beside a server or without
// one.
func (c *crashJob) committed() map[string]bool {
	c.t.Helper()
	s, err := store.Open(c.t.Context(), store.Options{DataDir: c.folder, Beside: true})
	check(c.t, err)
	defer s.Close()
	m, err := jobs.New(jobs.Config{Store: s, Verifier: struct{ bulk.Verifier }{}})
	check(c.t, err)
	j, err := m.Job(c.t.Context(), c.id, nil)
	check(c.t, err)
	var output bytes.Buffer
	check(c.t, m.Write(c.t.Context(), &output, j, jobs.Output{Format: list.CSV}))
	all := make(map[string]bool)
	for _, address := range inOutput.FindAllString(output.String(), -1) {
		all[address] = true
	}
	return all
}

var inOutput = regexp.MustCompile(`[a-z0-9]+@[a-z0-9]+\.example`)

// finish waits for the end of the job and checks what became of it.
func (c *crashJob) finish(n *node) {
	c.t.Helper()
	var j jobState
	testkit.Eventually(c.t, "the job is done", func() bool { j = n.mustJob(c.key.Key, c.id); return j.State == "done" })
	results, reasons := j.counted()
	if want := int64(len(c.list.rows)); j.Rows != want || j.Addresses != want || j.Done != want || results != want || reasons != want {
		c.t.Errorf("%d rows: %+v", want, j)
	}
	c.list.compare(c.t, n.results(c.key.Key, c.id), len(c.list.rows))
	a, err := n.request(c.t.Context(), http.MethodGet, "/api/v1/bulk", c.key.Key, "")
	check(c.t, err)
	if strings.Count(a.body, `"id":`) != 1 {
		c.t.Errorf("there must be one job: %s", a.body)
	}
}

// webhookTries is how often the receiver was sent a webhook.
func (c *crashJob) webhookTries() (tries int) {
	ids, _ := c.hooks.received()
	for _, n := range ids {
		tries += n
	}
	return tries
}

// delivered waits until the store knows that the webhook has arrived, and
// checks that all tries had one ID.
func (c *crashJob) delivered(tries int) {
	c.t.Helper()
	testkit.Eventually(c.t, "the webhook is delivered", func() bool {
		return strings.Contains(webhooksOf(c.t.Context(), c.t, c.environment, "list", "--json"), `"state":"delivered"`)
	})
	if ids, forged := c.hooks.received(); len(ids) != 1 || forged != 0 || c.webhookTries() != tries {
		c.t.Errorf("webhooks arrived: %v, %d with a wrong signature; want one ID, %d times", ids, forged, tries)
	}
}

// asks checks that a kill has made one run more ask about what it interrupted,
// and about nothing else. It counts the mailboxes that two runs have asked
// about, and those that more have.
func (c *crashJob) asks() (two, more int) {
	c.t.Helper()
	for _, address := range c.list.addresses {
		runs := c.post.runsThatAsked(address)
		if want := 1 + c.interrupted[address]; runs != want {
			c.t.Fatalf("%d runs have asked about %s, want %d", runs, address, want)
		}
		switch {
		case runs > 2:
			more++
		case runs > 1:
			two++
		}
	}
	return two, more
}

// TestJobKilled kills a server with signal 9 at random moments: during the
// upload of a list, while it works on it, and while it sends the webhook. A
// list that was acknowledged is verified to its end, every row is in the output
// once, the counters are those of the rows, and the webhook arrives under one
// ID. No result that was committed is lost or asked about again, and no mailbox
// more than twice.
func TestJobKilled(t *testing.T) {
	t.Parallel()
	rows, hosts, kills := 9000, 2, killPlan{uploads: 1, works: 2, sendings: 1, inProgress: 2500}
	if os.Getenv("TEST_CRASH") != "" { // make crash
		rows, hosts, kills = 160_000, 40, killPlan{uploads: 3, works: 15, sendings: 2, inProgress: jobs.DefaultWindow}
	}
	newCrashJob(t, rows, hosts, t.TempDir()).suffer(kills)
}

// killPlan says how often a server is killed, and when.
type killPlan struct {
	uploads, works, sendings int
	inProgress               int // addresses at a time, at most
}

// suffer brings a job from its upload to its webhook.
func (c *crashJob) suffer(kills killPlan) {
	c.t.Helper()
	c.hooks.mute.Store(true)
	for range kills.uploads {
		n := c.start()
		sent := make(chan reply, 1)
		go func() { sent <- c.upload(n) }()
		select {
		case a := <-sent:
			sent <- a
		case <-time.After(rand.N(time.Duration(len(c.list.rows)) * 5 * time.Microsecond)):
		}
		n.kill()
		<-sent
		c.kill(n)
	}
	for kill := range kills.works {
		n := c.start()
		if c.id == "" {
			c.mustUpload(n)
		}
		// The next server begins with what was in progress at the last kill. It
		// does more than that, so that nothing is interrupted twice.
		left, after := len(c.list.rows)-len(c.settled), kills.works-kill
		goal := int64(len(c.settled) + min(left-1, kills.inProgress+rand.N(max(1, 2*(left-kills.inProgress*after)/after))))
		testkit.Eventually(c.t, "some are done", func() bool { return n.mustJob(c.key.Key, c.id).Done >= goal })
		c.kill(n)
	}
	done := len(c.settled)
	for range kills.sendings {
		tries := c.webhookTries()
		n := c.start()
		c.finish(n)
		testkit.Eventually(c.t, "the webhook is sent", func() bool { return c.webhookTries() > tries })
		c.kill(n)
	}
	tries := c.webhookTries()
	c.hooks.mute.Store(false)
	n := c.start()
	c.finish(n)
	c.delivered(tries + 1)
	if code := n.stop(); code != exitDone {
		c.t.Errorf("exit code %d, log:\n%s", code, n.log.String())
	}
	c.notAgain(c.runs)
	two, more := c.asks()
	if more > 0 {
		c.t.Errorf("more than two runs have asked about %d mailboxes", more)
	}
	c.t.Logf("%d rows, %d kills: %d were done at the last one during the work; two runs asked about %d, more about %d", len(c.list.rows), c.runs-1, done, two, more)
}
