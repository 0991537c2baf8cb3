//go:build unix

package store

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/web/openapi/openapitest"
)

// TestWebhookOfAJob: each end of a job makes one webhook, in the transaction
// that ends it, and a deleted job leaves none.
func TestWebhookOfAJob(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		contract, err := openapitest.New()
		check(t, err)
		ends := map[string]func(j Job){
			"job.completed": func(j Job) {
				for {
					leased := lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 10})
					if len(leased) == 0 {
						return
					}
					for _, b := range leased {
						settle(t, s, "node", settled(b))
						if lost := settle(t, s, "node", settled(b)); !lost[0] {
							t.Error("a batch is settled twice")
						}
					}
				}
			},
			"job.failed": func(j Job) {
				leased := lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 1})
				settle(t, s, "node", Settlement{Batch: leased[0], Left: &leased[0], Failed: "it is damaged"})
			},
			"job.cancelled": func(j Job) {
				for range 2 {
					_, _ = s.CancelJob(ctx, ByCommand("test"), j.ID)
				}
			},
		}
		for event, end := range ends {
			j := someJob(t, s, "acme", "https://receiver.example/hook")
			if early, err := s.Webhooks(ctx, WebhookQuery{Job: j.ID, Limit: 9}); err != nil || len(early) != 0 {
				t.Errorf("before the end: %+v %v", early, err)
			}
			end(j)
			all, err := s.Webhooks(ctx, WebhookQuery{Job: j.ID, Limit: 9})
			check(t, err)
			if len(all) != 1 || all[0].Event != event || all[0].URL != "https://receiver.example/hook" || all[0].State != WebhookPending {
				t.Fatalf("%s: %+v", event, all)
			}
			var body struct {
				Type      string
				Timestamp time.Time
				Data      struct {
					ID, State, Problem    string
					Rows, Addresses, Done int64
					Results               map[string]int64
				}
			}
			check(t, json.Unmarshal(all[0].Body, &body))
			check(t, contract.CheckEvent(all[0].Body))
			sum := int64(0)
			for _, n := range body.Data.Results {
				sum += n
			}
			if body.Type != event || body.Data.ID != j.ID || !strings.HasSuffix(event, strings.Replace(body.Data.State, "done", "completed", 1)) ||
				body.Data.Addresses != j.Addresses || sum != body.Data.Done || body.Timestamp.IsZero() || (body.Data.Problem == "") == (event == "job.failed") {
				t.Errorf("%s: %s", event, all[0].Body)
			}
			check(t, s.DeleteJob(ctx, ByCommand("test"), j.ID))
			wantRows(t, s, "webhooks", 0)
		}
	})
}

// TestWebhookOfProgress: a job that wants it has a webhook at each tenth, once
// a minute at most, and not after the end.
func TestWebhookOfProgress(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		j, err := s.BeginJob(ctx, "node", Job{Owner: "acme", Key: "key", Webhook: "https://receiver.example/hook", Progress: true}, 0, []byte("head"))
		check(t, err)
		for segment := range int64(20) {
			check(t, s.AddSegment(ctx, j.ID, segment, 0, []byte{1}, []Batch{{Segment: segment, Addresses: 1, Data: []byte("one")}}))
		}
		j, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{Rows: 20, Addresses: 20}, nil)
		if check(t, err); !j.Progress {
			t.Error("it is not noted")
		}
		quiet := someJob(t, s, "acme", "https://receiver.example/hook")
		for _, step := range []struct {
			after   time.Duration
			batches int // of one address each
			sent    int // webhooks so far
		}{
			{0, 5, 0}, // a minute has not passed since the start
			{time.Minute, 1, 1},
			{time.Minute, 1, 1}, // still the third tenth
			{0, 1, 2},
			{30 * time.Second, 4, 2},
			{30 * time.Second, 1, 3},
			{time.Second, 7, 4}, // the end
		} {
			clock.Advance(step.after)
			join(t, s, "node")
			for _, b := range lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: step.batches}) {
				settle(t, s, "node", settled(b))
			}
			for _, b := range lease(t, s, BatchQuery{Job: quiet.ID, Node: "node", Limit: 1}) {
				settle(t, s, "node", settled(b))
			}
			all, err := s.Webhooks(ctx, WebhookQuery{Job: j.ID, Limit: 20})
			if check(t, err); len(all) != step.sent {
				t.Fatalf("%+v: %d webhooks", step, len(all))
			}
		}
		if all, err := s.Webhooks(ctx, WebhookQuery{Job: quiet.ID, Limit: 20}); err != nil || len(all) != 1 || all[0].Event != "job.completed" {
			t.Errorf("a job that did not ask for it: %+v %v", all, err)
		}
		all, err := s.Webhooks(ctx, WebhookQuery{Job: j.ID, Limit: 20})
		check(t, err)
		ids := map[string]bool{}
		contract, err := openapitest.New()
		check(t, err)
		for i, w := range all {
			ids[w.ID] = true
			check(t, contract.CheckEvent(w.Body))
			if want := []string{"job.completed", "job.progress"}[min(i, 1)]; w.Event != want {
				t.Errorf("webhook %d from the end is %s", i, w.Event)
			}
		}
		if len(ids) != len(all) || !strings.Contains(string(all[1].Body), `"done":13,"results":{"deliverable":13}`) {
			t.Errorf("%d IDs, %s", len(ids), all[1].Body)
		}
	})
}
