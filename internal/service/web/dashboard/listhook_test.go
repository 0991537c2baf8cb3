package dashboard

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestListHook: a list that is started on the pages sends a webhook to the URL
// of the form, signed with the secret of the pages. The form of the next list
// has that URL.
func TestListHook(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	send := func() (next string) {
		return w.sendFile(t, w.listToken(t), "a.csv", fewRows).Header.Get("Location")
	}
	next := send()
	if page := w.get(t, next).body; !strings.Contains(page, `name="webhook" type="url" value=""`) || strings.Contains(page, `value="1" checked`) {
		t.Errorf("the first list:\n%s", page)
	}
	bad := w.post(t, next, next, "column", "2", "name", "Mine", "webhook", "ftp://receiver.example", "progress", "1")
	for _, want := range []string{`value="ftp://receiver.example"`, `id="webhook-fault"`, `value="1" checked`, `value="Mine"`} {
		if bad.StatusCode != 422 || !strings.Contains(bad.body, want) {
			t.Errorf("a bad URL: %d without %s\n%s", bad.StatusCode, want, bad.body)
		}
	}
	const hook = "https://receiver.example/hook"
	at := w.post(t, next, next, "column", "2", "webhook", " "+hook, "progress", "1").Header.Get("Location")
	w.awaitState(t, at, store.JobDone)
	j, err := w.store.Job(t.Context(), strings.TrimPrefix(at, "/lists/"))
	if err != nil || j.Webhook != hook || !j.Progress {
		t.Errorf("the job: %+v %v", j, err)
	}
	if page := w.get(t, at).body; !strings.Contains(page, hook) {
		t.Errorf("the page of the list does not have the webhook:\n%s", page)
	}

	const receivers = "/webhooks/receivers"
	if page := w.get(t, receivers+"?key="+KeyID); page.StatusCode != 200 || !strings.Contains(page.body, "Dashboard") {
		t.Errorf("the receivers of the pages: %d", page.StatusCode)
	}
	w.post(t, receivers, receivers+"/"+KeyID+"/secret")
	secret, err := w.store.RotateWebhookSecret(t.Context(), store.ByCommand("test"), KeyID, w.clock.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := w.store.ClaimWebhooks(t.Context(), 9, 9, 9, time.Minute)
	if err != nil || len(claimed) != 1 || claimed[0].Event != "job.completed" || claimed[0].URL != hook || !slices.Contains(claimed[0].Secrets, secret) {
		t.Errorf("sent: %+v %v", claimed, err)
	}

	next = send()
	if page := w.get(t, next).body; !strings.Contains(page, `value="`+hook+`"`) || !strings.Contains(page, `value="1" checked`) {
		t.Errorf("the next list:\n%s", page)
	}
	at = w.post(t, next, next, "column", "2", "webhook", "", "progress", "1").Header.Get("Location")
	if j, err := w.store.Job(t.Context(), strings.TrimPrefix(at, "/lists/")); err != nil || j.Webhook != "" || j.Progress {
		t.Errorf("without a webhook: %+v %v", j, err)
	}
}
