//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/rcpt/rcpt/internal/service/webhook"
	"github.com/rcpt/rcpt/internal/testkit"
)

// hooks is a receiver that counts webhooks by their ID.
type hooks struct {
	url    string
	mu     sync.Mutex
	secret string
	ids    map[string]int
	forged int
	mute   atomic.Bool // it answers nothing
}

func startHooks(t *testing.T) *hooks {
	h := &hooks{ids: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.ids[r.Header.Get("webhook-id")]++
		if checker, err := standardwebhooks.NewWebhook(h.secret); err != nil || checker.Verify(body, r.Header) != nil {
			h.forged++
		}
		if h.mute.Load() {
			h.mu.Unlock()
			<-r.Context().Done()
			h.mu.Lock()
		}
	}))
	t.Cleanup(server.Close)
	h.url = server.URL + "/hook"
	return h
}

func (h *hooks) received() (ids map[string]int, forged int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids = map[string]int{}
	for id, n := range h.ids {
		ids[id] = n
	}
	return ids, h.forged
}

// webhooksOf runs "rcpt webhooks" beside servers.
func webhooksOf(ctx context.Context, t *testing.T, environment []string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(ctx, "rcpt", append([]string{"webhooks"}, args...)...)
	command.Env = append(os.Environ(), environment...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("rcpt webhooks %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestWebhookAfterKill: what was stored while no server ran, or before one was
// killed, is sent after the next start, with one ID, and the log has the try.
func TestWebhookAfterKill(t *testing.T) {
	t.Parallel()
	h := startHooks(t)
	environment := append(startWorld(t), "RCPT_DATA="+t.TempDir())
	key := keysOf{environment}.mustCreate(t, "--name", "shop")
	h.secret = strings.TrimSpace(webhooksOf(t.Context(), t, environment, "secret", key.ID))
	sent := map[string]webhook.Record{}
	for range 3 {
		var w webhook.Record
		check(t, json.Unmarshal([]byte(webhooksOf(t.Context(), t, environment, "test", key.ID, h.url, "--json", "--wait", "0s")), &w))
		sent[w.ID] = w
		n := startNode(t, environment, "--webhook-allow-net", "127.0.0.0/8")
		testkit.Eventually(t, "the webhook arrives", func() bool { ids, _ := h.received(); return ids[w.ID] > 0 })
		testkit.Eventually(t, "and that is stored", func() bool {
			return strings.Contains(webhooksOf(t.Context(), t, environment, "show", w.ID, "--json"), `"state":"delivered"`)
		})
		n.kill()
	}
	ids, forged := h.received()
	if len(ids) != len(sent) || forged != 0 {
		t.Errorf("received %v with %d wrong signatures, sent %v", ids, forged, sent)
	}
	for id, times := range ids {
		if _, known := sent[id]; !known || times != 1 {
			t.Errorf("%s arrived %d times", id, times)
		}
	}
}

// TestWebhookStaysOutside: without leave, nothing on this machine is reached.
func TestWebhookStaysOutside(t *testing.T) {
	t.Parallel()
	h := startHooks(t)
	environment := append(startWorld(t), "RCPT_DATA="+t.TempDir())
	key := keysOf{environment}.mustCreate(t)
	n := startNode(t, environment)
	var w webhook.Record
	check(t, json.Unmarshal([]byte(webhooksOf(t.Context(), t, environment, "test", key.ID, h.url, "--json", "--wait", "0s")), &w))
	testkit.Eventually(t, "it is given up", func() bool {
		return strings.Contains(webhooksOf(t.Context(), t, environment, "show", w.ID), "(loopback) is not public")
	})
	n.kill()
	if ids, _ := h.received(); len(ids) != 0 {
		t.Errorf("received %v", ids)
	}
}

// TestWebhookTest: the command waits for the answer, prints it, and fails if
// the receiver has not taken the event.
func TestWebhookTest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags []string
		exit  int
		says  []string
	}{
		"delivered": {[]string{"--webhook-allow-net", "127.0.0.0/8"}, 0, []string{"  delivered  1 ", "    1  20", "  200 in "}},
		"refused":   {nil, 1, []string{"  failed  ", "(loopback) is not public", "rcpt: the receiver has not taken it"}},
	} {
		h := startHooks(t)
		environment := append(startWorld(t), "RCPT_DATA="+t.TempDir())
		key := keysOf{environment}.mustCreate(t)
		n := startNode(t, environment, c.flags...)
		command := exec.CommandContext(t.Context(), "rcpt", "webhooks", "test", key.ID, h.url)
		command.Env = append(os.Environ(), environment...)
		out, _ := command.CombinedOutput()
		if command.ProcessState.ExitCode() != c.exit {
			t.Errorf("%s: exit code %d:\n%s", name, command.ProcessState.ExitCode(), out)
		}
		for _, text := range c.says {
			if !strings.Contains(string(out), text) {
				t.Errorf("%s: does not say %q:\n%s", name, text, out)
			}
		}
		n.kill()
	}
}
