package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/server/client"
)

// VerifyGroup is for jobs.
func (v verifier) VerifyGroup(
	ctx context.Context, all []string, _ engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	for i, email := range all {
		r, err := v.Verify(ctx, email)
		r.Verdict, r.RetryAt = rcpt.VerdictDeliverable, time.Time{}
		done(i, r, err)
	}
}

// newListServer is a server with jobs.
func newListServer(t *testing.T) *client.Client {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{DataDir: t.TempDir()})
	check(t, err)
	manager, err := jobs.New(jobs.Config{Store: db, Verifier: verifier{}, TempDir: t.TempDir(), RetryWindow: -1})
	check(t, err)
	check(t, manager.Join(t.Context()))
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { manager.Run(ctx) })
	t.Cleanup(func() {
		stop()
		work.Wait()
		check(t, db.Close())
	})
	s, err := api.New(api.Config{Verifier: verifier{}, Keys: fixed("rcpt_key"), Jobs: manager})
	check(t, err)
	service := httptest.NewServer(s.Handler())
	t.Cleanup(service.Close)
	c, err := client.New(client.Config{URL: service.URL, Key: "rcpt_key"})
	check(t, err)
	return c
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLists sends a list to a real server, and does with it all that can be
// done.
func TestLists(t *testing.T) {
	c, ctx := newListServer(t), t.Context()
	list := strings.NewReader("id,email\n1,a@acme.example\n2,b@acme.example\n")
	o := client.ListOptions{
		Name: "spring", Columns: []string{"email"}, IdempotencyKey: "one", Webhook: "https://receiver.example/hook", WebhookProgress: true,
	}
	want := client.Plan{Rows: 2, Addresses: 2, Domains: 1}
	plan, err := c.PlanList(ctx, list, o)
	if plan.EstimatedSeconds, plan.EstimatedMostSeconds, plan.List = 0, 0, nil; err != nil || plan != want {
		t.Errorf("planned: %+v %v", plan, err)
	}
	j, err := c.SendList(ctx, list, o)
	check(t, err)
	if again, err := c.SendList(ctx, list, o); err != nil || again.ID != j.ID {
		t.Errorf("sent again: %+v %v", again, err)
	}
	j, err = c.WaitForJob(ctx, j.ID, 10*time.Millisecond)
	check(t, err)
	if j.State != client.JobDone || j.Rows != 2 || j.Results["deliverable"]+j.Results["unknown"] != 2 || j.FinishedAt.IsZero() || j.Name != "spring" || !j.WebhookProgress {
		t.Errorf("%+v", j)
	}
	results, err := c.JobResults(ctx, j.ID, client.ResultsOptions{Format: "jsonl", Flags: []string{"role"}})
	check(t, err)
	text, err := io.ReadAll(results)
	check(t, errors.Join(err, results.Close()))
	if strings.Count(string(text), "\n") != 2 || !strings.HasPrefix(string(text), `{"id":"1",`) {
		t.Errorf("results %s", text)
	}
	var all []client.Job
	for j, err := range c.Jobs(ctx) {
		check(t, err)
		all = append(all, j)
	}
	if len(all) != 1 {
		t.Errorf("%d jobs", len(all))
	}
	var refused *client.Error
	if _, err := c.PauseJob(ctx, j.ID); !errors.As(err, &refused) || refused.Code != "wrong_state" {
		t.Errorf("pausing what is done: %v", err)
	}
	_, err = c.DeleteJob(ctx, j.ID)
	check(t, err)
	if _, err := c.JobResults(ctx, j.ID, client.ResultsOptions{}); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("results of what is deleted: %v", err)
	}
}

// TestListIsSentAgain: a try that fails is repeated from the beginning of the
// list, under the same key.
func TestListIsSentAgain(t *testing.T) {
	var bodies, keys []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies, keys = append(bodies, string(body)), append(keys, r.Header.Get("Idempotency-Key"))
		if len(bodies) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, `{"id":"job_1","state":"queued"}`)
	}))
	defer service.Close()
	c, err := client.New(client.Config{URL: service.URL, Key: "k"})
	check(t, err)
	j, err := c.SendList(t.Context(), strings.NewReader("a@a.example\n"), client.ListOptions{})
	check(t, err)
	if j.ID != "job_1" || len(bodies) != 2 || bodies[0] != bodies[1] || keys[0] != keys[1] || keys[0] == "" {
		t.Errorf("%+v %q %q", j, bodies, keys)
	}
}
