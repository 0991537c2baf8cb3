//go:build unix

package store

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestWebhookOfAJob: each end of a job makes one webhook, in the transaction
// that ends it, and a deleted job leaves none.
func TestWebhookOfAJob(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
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
					_, _ = s.CancelJob(ctx, j.ID)
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
			sum := int64(0)
			for _, n := range body.Data.Results {
				sum += n
			}
			if body.Type != event || body.Data.ID != j.ID || !strings.HasSuffix(event, strings.Replace(body.Data.State, "done", "completed", 1)) ||
				body.Data.Addresses != j.Addresses || sum != body.Data.Done || body.Timestamp.IsZero() || (body.Data.Problem == "") == (event == "job.failed") {
				t.Errorf("%s: %s", event, all[0].Body)
			}
			check(t, s.DeleteJob(ctx, j.ID))
			wantRows(t, s, "webhooks", 0)
		}
	})
}
