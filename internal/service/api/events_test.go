package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// withoutEvents is a store that cannot write that somebody did something.
type withoutEvents struct{ *store.Store }

func (withoutEvents) RecordEvent(context.Context, store.Actor, store.Event) error {
	return errors.Join(store.ErrUnavailable, errors.New("the disk is full"))
}

// TestEventsOfKeys: what is done with a key is an event in its name, and so is
// a download, but not one that sends nothing. If the event of a download cannot
// be stored, nothing is sent.
func TestEventsOfKeys(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	text := l.key(store.Key{Name: "shop"})
	j := l.want(l.send("POST", "/api/v1/bulk", text, "email\na@acme.example\n", "Content-Type", "text/csv"), http.StatusAccepted)
	l.done(text, j.ID)
	results := "/api/v1/bulk/" + j.ID + "/results?group=safe,bad"
	got := l.send("GET", results, text, "")
	l.want(got, http.StatusOK)
	l.want(l.send("GET", results, text, "", "If-None-Match", got.Header().Get("ETag")), http.StatusNotModified)
	l.want(l.send("GET", results+"&format=pdf", text, ""), http.StatusBadRequest)
	l.want(l.send("POST", "/api/v1/bulk/"+j.ID+"/pause", text, ""), http.StatusConflict)

	full, err := jobs.New(jobs.Config{Store: withoutEvents{l.store}, Verifier: together(accepts), TempDir: t.TempDir()})
	check(t, err)
	r := httptest.NewRequest("GET", results, nil)
	r.Header.Set("X-API-Key", text)
	if got := serve(newServer(t, api.Config{Keys: l.keys, Usage: l.store, Jobs: full}).Handler(), r); got.Code != http.StatusServiceUnavailable ||
		strings.Contains(got.Body.String(), "acme.example") {
		t.Errorf("without an event: %d %s", got.Code, got.Body)
	}
	l.want(l.send("DELETE", "/api/v1/bulk/"+j.ID, text, ""), http.StatusOK)

	events, err := l.store.Events(t.Context(), store.EventQuery{})
	check(t, err)
	var done []string
	for _, e := range events {
		if e.By.From == "api" {
			done = append(done, e.By.Name+" "+string(e.What)+" "+e.Detail)
		}
		if e.By.From == "api" && e.Object != j.ID {
			t.Errorf("%s is about %q", e.What, e.Object)
		}
	}
	slices.Sort(done)
	if want := "shop list.created ,shop list.deleted ,shop list.downloaded csv safe bad"; strings.Join(done, ",") != want {
		t.Errorf("the events are %q", done)
	}
}
