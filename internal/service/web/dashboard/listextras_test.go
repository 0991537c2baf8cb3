package dashboard

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
)

// TestOnlyWhatIsNew: the results of an earlier list are taken from it, and the
// page of the new one compares the two.
func TestOnlyWhatIsNew(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	before := w.startFile(t, "october.csv", "email\nada@acme.example\nnobody@acme.example\n")
	w.awaitState(t, before, store.JobDone)
	next := w.sendFile(t, w.listToken(t), "november.csv",
		"email\nada@acme.example\nnobody@acme.example\nbob@acme.example\ncy@acme.example\n").Header.Get("Location")
	id := strings.TrimPrefix(before, "/lists/")
	if page := w.get(t, next).body; !strings.Contains(page, `<option value="`+id+`">What is new since october, `) {
		t.Fatalf("the earlier list is not offered:\n%s", page)
	}
	look := w.post(t, next, next+"/read", "since", id).Header.Get("Location")
	if page := w.get(t, look).body; !strings.Contains(page, "The mail hosts of 2 addresses will be asked; 2 have a result already.") {
		t.Errorf("what is asked:\n%s", page)
	}
	at := w.post(t, next, next, "since", id).Header.Get("Location")
	w.awaitState(t, at, store.JobDone)
	if page := w.get(t, at).body; !strings.Contains(page, `Bad: 50% → 25% since <a href="`+before+`">october</a>.`) {
		t.Errorf("it is not compared:\n%s", page)
	}
	w.post(t, "/lists", before+"/delete")
	if page := w.get(t, at); page.StatusCode != http.StatusOK || strings.Contains(page.body, "Bad: 50%") {
		t.Errorf("compared with a list that is deleted: %d\n%s", page.StatusCode, page.body)
	}
}

// TestNotify: where mail can be sent, a list can say to whom when it is done.
func TestNotify(t *testing.T) {
	for _, mails := range []bool{false, true} {
		w := newWorld(t, func(c *Config) {
			c.Mails = mails
			c.Lists, _ = dashboardtest.NewLists(t, c.Store, jobs.Limits{})
		})
		w.setUp(t)
		next := w.sendFile(t, w.listToken(t), "a.csv", fewRows).Header.Get("Location")
		if offered := strings.Contains(w.get(t, next).body, `name="notify"`); offered != mails {
			t.Errorf("with a relay: %v, offered: %v", mails, offered)
		}
		bad := w.post(t, next, next, "notify", "ops at acme")
		if refused := bad.StatusCode == http.StatusUnprocessableEntity && strings.Contains(bad.body, `id="notify-fault"`); refused != mails {
			t.Errorf("with a relay: %v, no address: %d", mails, bad.StatusCode)
		}
		if !mails {
			continue
		}
		at := w.post(t, next, next, "notify", " ops@acme.example ").Header.Get("Location")
		j, err := w.store.Job(t.Context(), strings.TrimPrefix(at, "/lists/"))
		if err != nil || j.Notify != "ops@acme.example" {
			t.Errorf("the job: %+v, %v", j, err)
		}
		if page := w.get(t, at).body; !strings.Contains(page, "ops@acme.example") {
			t.Errorf("the page of the list does not say it:\n%s", page)
		}
	}
}
