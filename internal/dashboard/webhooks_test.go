package dashboard

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/store"
)

// TestWebhooks: webhooks are listed, looked at and sent again.
func TestWebhooks(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	ctx := t.Context()
	if got := w.get(t, "/webhooks"); !strings.Contains(got.body, "No webhooks") {
		t.Errorf("no empty state: %d", got.StatusCode)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	key, err := w.store.CreateKey(ctx, store.Key{Hash: store.HashOf("a"), Name: "Newsletter"})
	must(err)
	add := func() store.Webhook {
		t.Helper()
		w.clock.Advance(time.Millisecond)
		added, err := w.store.AddWebhook(ctx, store.Webhook{
			Key: key.ID, Job: "job_1", Event: "job.completed", URL: "https://receiver.example/<hook>", Body: json.RawMessage(`{}`),
		})
		must(err)
		return added
	}
	failed := add()
	claimed, err := w.store.ClaimWebhooks(ctx, 1, 1, time.Minute)
	must(err)
	must(w.store.SettleWebhook(ctx, claimed[0], store.WebhookTry{
		At: w.clock.Now(), Status: 503, Duration: 31 * time.Millisecond, Answer: "<script>alert(1)</script>",
	}, store.WebhookFailed, time.Time{}))
	for range webhooksShown {
		add()
	}

	list := w.get(t, "/webhooks")
	if n := strings.Count(list.body, "https://receiver.example/&lt;hook&gt;"); n != webhooksShown || !strings.Contains(list.body, "Newsletter") {
		t.Errorf("%d webhooks on the first page", n)
	}
	older := list.body[strings.Index(list.body, "/webhooks?before="):]
	if got := w.get(t, older[:strings.IndexByte(older, '"')]); strings.Count(got.body, "&lt;hook&gt;") != 1 || !strings.Contains(got.body, failed.ID) {
		t.Errorf("second page: %d", got.StatusCode)
	}
	if got := w.get(t, "/webhooks?state=failed"); strings.Count(got.body, "&lt;hook&gt;") != 1 || !strings.Contains(got.body, failed.ID) {
		t.Errorf("those that failed: %d", got.StatusCode)
	}
	one := "/webhooks/" + failed.ID
	got := w.get(t, one)
	for _, want := range []string{">503<", "31 ms", "&lt;script&gt;", "Send it again", "job_1", ">Failed<"} {
		if !strings.Contains(got.body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if got := w.post(t, one, one+"/resend"); got.StatusCode != 303 || got.Header.Get("Location") != one+"?resent" {
		t.Errorf("resend: %d %s", got.StatusCode, got.Header.Get("Location"))
	}
	if got := w.get(t, one+"?resent"); !strings.Contains(got.body, "It is sent again.") || !strings.Contains(got.body, ">Pending<") {
		t.Errorf("after it: %d", got.StatusCode)
	}
	for _, path := range []string{"/webhooks/msg_none", "/webhooks/" + strings.ToUpper(failed.ID)} {
		if got := w.get(t, path); got.StatusCode != 404 {
			t.Error(fmt.Sprint(path, ": ", got.StatusCode))
		}
	}
}
