package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
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
	key, err := w.store.CreateKey(ctx, store.ByCommand("test"), store.Key{Hash: store.HashOf("a"), Name: "Newsletter"})
	must(err)
	add := func() store.Webhook {
		t.Helper()
		w.clock.Advance(time.Millisecond)
		added, err := w.store.AddWebhook(ctx, store.ByCommand("test"), store.Webhook{
			Key: key.ID, Job: "job_1", Event: "job.completed", URL: "https://receiver.example/<hook>", Body: json.RawMessage(`{}`),
		})
		must(err)
		return added
	}
	failed := add()
	claimed, err := w.store.ClaimWebhooks(ctx, 1, 1, 1, time.Minute)
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

// TestReceivers: a receiver is tested, and a secret is made, shown once, and
// signs beside the one before.
func TestReceivers(t *testing.T) {
	var log bytes.Buffer
	w := newWorld(t, func(c *Config) { c.FixedKey, c.Log = FixedKeyID, slog.New(slog.NewTextHandler(&log, nil)) })
	w.setUp(t)
	key, err := w.store.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Hash: store.HashOf("a"), Name: "Newsletter", Scopes: []store.Scope{store.ScopeBulk}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := w.store.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Hash: store.HashOf("b"), Name: "Sign-up", Scopes: []store.Scope{store.ScopeVerify}})
	if err != nil {
		t.Fatal(err)
	}
	const page = "/webhooks/receivers"
	at := page + "/" + key.ID
	if got := w.get(t, page); !strings.Contains(got.body, "Newsletter") || !strings.Contains(got.body, "RCPT_API_KEY") || strings.Contains(got.body, "Sign-up") || !strings.Contains(got.body, "Not yet") {
		t.Errorf("at first: %s", got.body)
	}
	if got := w.post(t, page, at+"/test", "url", "ftp://receiver.example"); got.StatusCode != 422 || !strings.Contains(got.body, `value="ftp://receiver.example"`) || !strings.Contains(got.body, `id="url-fault"`) {
		t.Errorf("a bad URL: %d\n%s", got.StatusCode, got.body)
	}
	sent := w.post(t, page, at+"/test", "url", "https://receiver.example/hook").Header.Get("Location")
	got := w.get(t, sent)
	if !strings.Contains(got.body, "webhook.test") || got.Header.Get("Refresh") == "" {
		t.Errorf("the test: %v\n%s", got.Header, got.body)
	}
	w.clock.Advance(2 * sendingFor)
	if got := w.get(t, sent); got.Header.Get("Refresh") != "" {
		t.Error("the page is loaded again for ever")
	}

	shown := regexp.MustCompile(`whsec_[\w+/=]{40,}`)
	first := shown.FindString(html.UnescapeString(w.post(t, page, at+"/secret").body))
	made := w.post(t, page, at+"/secret").body
	second := shown.FindString(html.UnescapeString(made))
	if first == "" || second == "" || first == second || !strings.Contains(made, "signs as well until") {
		t.Errorf("secrets %q and %q\n%s", first, second, made)
	}
	for _, path := range []string{page, page + "?key=" + key.ID, "/webhooks"} {
		if got := w.get(t, path); shown.MatchString(html.UnescapeString(got.body)) {
			t.Errorf("%s shows a secret", path)
		}
	}
	if text := log.String(); strings.Contains(text, "whsec_") || !strings.Contains(text, "a secret of webhooks was made") {
		t.Errorf("the log:\n%s", text)
	}
	claimed, err := w.store.ClaimWebhooks(t.Context(), 9, 9, 9, time.Minute)
	if err != nil || len(claimed) == 0 || !slices.Equal(claimed[0].Secrets, []string{second, first}) {
		t.Errorf("%+v %v", claimed, err)
	}
	for _, id := range []string{other.ID, "key_none"} {
		for path, method := range map[string]func() answer{
			page + "?key=" + id: func() answer { return w.get(t, page+"?key="+id) }, "test": func() answer { return w.post(t, page, page+"/"+id+"/test", "url", "https://a.example") },
			"secret": func() answer { return w.post(t, page, page+"/"+id+"/secret") },
		} {
			if got := method(); got.StatusCode != 404 {
				t.Errorf("%s of %s: %d", path, id, got.StatusCode)
			}
		}
	}
}
