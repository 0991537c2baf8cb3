package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/testkit"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// node is a running "rcpt serve" whose log is read continuously.
type node struct {
	*process
	url     string
	took    time.Duration // from its start until it listened
	client  *http.Client
	log     testkit.Log
	drained chan struct{}
}

// startNode starts a server and returns when it listens.
func startNode(t *testing.T, environment []string, args ...string) *node {
	t.Helper()
	began := time.Now()
	p := start(t, environment, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-level", "warn"}, args...)...)
	n := &node{process: p, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}, drained: make(chan struct{})}
	n.url = p.await(p.stderr, `^rcpt listens on (http://.*)$`)[1]
	n.took = time.Since(began)
	go func() {
		defer close(n.drained)
		_, _ = io.Copy(&n.log, p.stderr)
	}()
	t.Cleanup(n.kill)
	return n
}

// kill is kill -9.
func (n *node) kill() {
	_ = n.command.Process.Kill()
	n.gone()
}

// stop ends the server as an operator does.
func (n *node) stop() (code int) {
	_ = n.command.Process.Signal(os.Interrupt)
	n.gone()
	return n.command.ProcessState.ExitCode()
}

func (n *node) gone() {
	<-n.drained
	_ = n.command.Wait()
	n.client.CloseIdleConnections()
}

// reply is the response of a server.
type reply struct {
	status int
	header http.Header
	body   string
}

// verify sends a request for an address; the error is that of the connection.
func (n *node) verify(ctx context.Context, key, address string) (reply, error) {
	return n.get(ctx, "/api/v1/verify?details=1&email="+url.QueryEscape(address), key)
}

func (n *node) get(ctx context.Context, path, key string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.url+path, nil)
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("X-API-Key", key)
	response, err := n.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(body)}, err
}

// mustVerify is verify for a server that must be running.
func (n *node) mustVerify(key, address string) reply {
	n.t.Helper()
	a, err := n.verify(n.t.Context(), key, address)
	check(n.t, err)
	return a
}

// asker is a client that sends requests with a key without a pause, and counts
// them.
type asker struct {
	answered atomic.Int64 // with 200
}

// ask sends requests until ctx ends or the server is gone. It passes every
// response except 200 to other, which may end it too.
func (a *asker) ask(ctx context.Context, n *node, key string, address func(i int) string, other func(reply) (goOn bool)) {
	for i := 0; ctx.Err() == nil; i++ {
		got, err := n.verify(ctx, key, address(i))
		if err != nil {
			return
		}
		if got.status != http.StatusOK {
			if !other(got) {
				return
			}
			continue
		}
		a.answered.Add(1)
	}
}

// keysOf runs "rcpt keys" beside servers. A key or a revocation is acknowledged
// if the command succeeded.
type keysOf struct{ environment []string }

func (k keysOf) run(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "rcpt", append([]string{"keys"}, args...)...)
	command.Env = append(os.Environ(), k.environment...)
	out, err := command.Output()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		err = fmt.Errorf("rcpt keys %s: %w: %s", args[0], err, ended.Stderr)
	}
	return string(out), err
}

// madeKey is a key that was created.
type madeKey struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

func (k keysOf) create(ctx context.Context, args ...string) (made madeKey, err error) {
	out, err := k.run(ctx, append([]string{"create", "--json", "--create-database"}, args...)...)
	if err == nil {
		err = json.Unmarshal([]byte(out), &made)
	}
	return made, err
}

func (k keysOf) mustCreate(t *testing.T, args ...string) madeKey {
	t.Helper()
	made, err := k.create(t.Context(), args...)
	check(t, err)
	return made
}

func (k keysOf) revoke(ctx context.Context, id string) error {
	_, err := k.run(ctx, "revoke", id)
	return err
}

// boxes replies for a mail host that has every mailbox that begins with "box",
// and from the second attempt on those that begin with "grey".
func boxes() func(v *smtptest.Visit, rcpt string) string {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(_ *smtptest.Visit, rcpt string) string {
		mu.Lock()
		defer mu.Unlock()
		first := !seen[rcpt]
		seen[rcpt] = true
		switch {
		case strings.HasPrefix(rcpt, "grey") && first:
			return "451 4.7.1 Greylisted, please try again in 6 seconds" // longer than a session waits for
		case strings.HasPrefix(rcpt, "grey"), strings.HasPrefix(rcpt, "box"):
			return "250 2.1.5 Ok"
		}
		return ""
	}
}

// busy reports whether a request was refused because of load: on a busy machine
// the disk may be too slow for units of a quota.
func (a reply) busy() bool {
	return a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") != ""
}

// remembered reports whether a response was cached.
func (a reply) remembered() bool { return strings.Contains(a.body, `"cached":true`) }
