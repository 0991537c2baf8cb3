package dashboard

import (
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestWaitingLines: while a list runs, its page says what its addresses wait
// for, and from when on they are asked.
func TestWaitingLines(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	var text strings.Builder
	err := w.views["list"].ExecuteTemplate(&text, "progress", page{Body: progressView{
		Job: store.Job{State: store.JobRunning}, Live: true, Waiting: []headway.Waiting{
			{Message: "29,000 wait for acme.example: slowed down because most of its mailboxes do not exist"},
			{Message: "2 wait for a.example: paused", Until: time.Date(2026, 11, 23, 20, 48, 0, 0, time.UTC)},
		}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<li>29,000 wait for acme.example: slowed down because most of its mailboxes do not exist.</li>",
		`<li>2 wait for a.example: paused, from <time class="moment" data-clock datetime="2026-11-23T20:48:00Z">20:48 UTC</time> on.</li>`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("there is no %s in\n%s", want, text.String())
		}
	}
}

// TestVerifyAgain: what is unknown is asked about again, into the same list.
func TestVerifyAgain(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	at := w.startFile(t, "list.csv", "email\nada@acme.example\nlate@acme.example\nlate@b.example\n")
	w.awaitState(t, at, store.JobDone)
	if page := w.get(t, at).body; !strings.Contains(page, "Verify these 2 again") || !strings.Contains(page, `form="again"`) {
		t.Fatalf("there is no button:\n%s", page)
	}
	id := strings.TrimPrefix(at, "/lists/")
	before, err := w.store.Job(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Minute)
	if got := w.post(t, at, at+"/again"); got.Header.Get("Location") != at {
		t.Fatalf("%d to %q\n%s", got.StatusCode, got.Header.Get("Location"), got.body)
	}
	testkit.Eventually(t, "it is done again", func() bool {
		j, err := w.store.Job(t.Context(), id)
		return err == nil && j.State == store.JobDone && j.Finished.After(before.Finished)
	})
	other := w.startFile(t, "other.csv", "email\nslow@acme.example\n")
	if got := w.post(t, other, other+"/again"); got.Header.Get("Location") != other { // it runs: nothing changes
		t.Errorf("a list that runs: %d\n%s", got.StatusCode, got.body)
	}
	if page := w.get(t, other).body; strings.Contains(page, " again</button>") {
		t.Errorf("a list that runs has the button:\n%s", page)
	}
}
