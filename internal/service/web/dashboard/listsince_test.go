package dashboard

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestListWithResults: a list that has results of another service offers to
// take them. Those without a day need one.
func TestListWithResults(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	send := func(text string) string {
		t.Helper()
		return w.sendFile(t, w.listToken(t), "list.csv", text).Header.Get("Location")
	}
	next := send("email\nada@acme.example\n")
	if page := w.get(t, next).body; strings.Contains(page, `value="self"`) || strings.Contains(page, `name="since_date"`) {
		t.Errorf("%s", page)
	}
	next = send("email,email_status\nada@acme.example,valid\nnobody@acme.example,invalid\n")
	if page := w.get(t, next).body; !strings.Contains(page, "which has results of NeverBounce</option>") {
		t.Errorf("%s", page)
	}
	if got := w.post(t, next, next, "since", "self", "since_date", "1.10."); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a date that is none: %d", got.StatusCode)
	}
	today := time.Now().Format(time.DateOnly)
	w.post(t, next, next+"/read", "since", "self", "since_date", today)
	if page := w.get(t, next).body; !strings.Contains(page, `value="`+today+`"`) || !strings.Contains(page, "1 have a result already") {
		t.Errorf("%s", page)
	}
	started := w.post(t, next, next, "since", "self", "since_date", today).Header.Get("Location")
	if !strings.HasPrefix(started, "/lists/job_") {
		t.Fatalf("started at %q", started)
	}
	w.awaitState(t, started, store.JobDone)
	if got := w.get(t, started+"/rows/all.csv").body; !strings.Contains(got, "NeverBounce said valid on "+today+" or before.") {
		t.Errorf("%s", got)
	}
}
