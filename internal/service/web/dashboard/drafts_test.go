package dashboard

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
)

// newNodes are two servers on one database, with one browser that is signed in.
func newNodes(t *testing.T) (here, there *world) {
	t.Helper()
	database := storetest.Start(t).Database(t)
	node := func() *world {
		var s *store.Store
		w := newWorld(t, func(c *Config) {
			var err error
			if s, err = store.Open(t.Context(), store.Options{DatabaseURL: database, Now: c.Now}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			c.Store, c.Keys = s, dashboardtest.Keys{Store: s}
			c.Lists, _ = dashboardtest.NewLists(t, s, jobs.Limits{})
		})
		w.store = s
		return w
	}
	here, there = node(), node()
	here.setUp(t)
	there.client.Jar = here.client.Jar
	return here, there
}

// TestListOfAnotherNode: a list that was sent to one server is looked at and
// started at another, once.
func TestListOfAnotherNode(t *testing.T) {
	here, there := newNodes(t)
	send := func() string {
		sent := here.sendFile(t, here.listToken(t), "Mine.csv", fewRows)
		return sent.Header.Get("Location")
	}
	next := send()
	for range 2 { // from the store, then from the copy
		page := there.get(t, next)
		for _, want := range []string{`value="Mine"`, `<strong title="5">5</strong>`, "Ada"} {
			if !strings.Contains(page.body, want) {
				t.Fatalf("at the other server: %d without %s\n%s", page.StatusCode, want, page.body)
			}
		}
	}
	if page := here.get(t, "/lists"); strings.Contains(page.body, "Mine") {
		t.Errorf("it is among the lists before its start:\n%s", page.body)
	}
	if bad := there.post(t, next, next, "column", "1"); bad.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a column without addresses: %d", bad.StatusCode)
	}
	var starts sync.WaitGroup
	places := make(chan string, 4)
	for range 2 {
		for _, w := range []*world{here, there} {
			starts.Go(func() { places <- w.post(t, "/lists", next, "column", "2").Header.Get("Location") })
		}
	}
	starts.Wait()
	close(places)
	started := ""
	for at := range places {
		if at != "/lists" && started != "" {
			t.Errorf("started as %s and as %s", started, at)
		} else if at != "/lists" {
			started = at
		}
	}
	there.awaitState(t, started, store.JobDone)
	if page := here.get(t, started); !strings.Contains(page.body, "3 of 3") {
		t.Errorf("the list: %d\n%s", page.StatusCode, page.body)
	}
	for _, w := range []*world{here, there} {
		if got := w.get(t, next); got.StatusCode != http.StatusNotFound || len(w.drafts.all) != 0 {
			t.Errorf("after the start: %d, %d copies", got.StatusCode, len(w.drafts.all))
		}
	}

	next = send()
	if got := there.post(t, next, next+"/drop"); got.Header.Get("Location") != "/lists" {
		t.Errorf("discarded: %d", got.StatusCode)
	}
	if got := here.get(t, next); got.StatusCode != http.StatusNotFound {
		t.Errorf("after it was discarded: %d", got.StatusCode)
	}
	if left, err := here.store.Drafts(t.Context(), ""); err != nil || len(left) != 0 {
		t.Errorf("left in the store: %+v %v", left, err)
	}
}
