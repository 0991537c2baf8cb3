package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// greylistedJob is a job that is done, of whose 40 addresses 30 are greylisted.
func greylistedJob(t *testing.T, s *Store) Job {
	t.Helper()
	j := someJob(t, s, "acme", "https://hooks.example/a")
	for i, b := range lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 10}) {
		one := settled(b)
		if i > 0 {
			one.Counts = []ResultCount{{Result: "unknown", Reason: "greylisted", Addresses: int64(b.Addresses)}}
			one.Groups = map[string]GroupCount{"retry": {Rows: b.Rows, Addresses: int64(b.Addresses)}}
		}
		settle(t, s, "node", one)
	}
	j, err := s.Job(t.Context(), j.ID)
	check(t, err)
	if j.State != JobDone || j.Results["unknown"] != 30 {
		t.Fatalf("%+v", j)
	}
	return j
}

// again are batches of the greylisted addresses.
func again(addresses ...int) (all []Batch) {
	for _, n := range addresses {
		all = append(all, Batch{Segment: 1, Addresses: n, Rows: int64(n), Data: []byte("again"), KeptResult: "unknown", KeptReason: "greylisted", KeptGroup: "retry"})
	}
	return all
}

// TestAgainJob: counters and the quota are right at each step, and what has no
// other result when the job ends keeps the one that it had.
func TestAgainJob(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		first := greylistedJob(t, s)
		later := first.Created.Add(1000 * time.Hour)
		j, err := s.AgainJob(ctx, ByCommand("test"), first, again(20, 10), later, nil)
		check(t, err)
		want := func(state JobState, done, unknown, deliverable int64) {
			t.Helper()
			j, err := s.Job(ctx, j.ID)
			check(t, err)
			if j.State != state || j.Done != done || j.Results["unknown"] != unknown || j.Results["deliverable"] != deliverable {
				t.Errorf("%+v, want %s, %d done", j, state, done)
			}
			// In each half a row repeats an address; two rows are empty.
			g := j.Groups
			if g["retry"].Addresses != unknown || g["safe"].Addresses != deliverable || g["none"] != (GroupCount{Rows: 2}) ||
				g["retry"].Rows-unknown+g["safe"].Rows-deliverable != 2 {
				t.Errorf("%s, %d done: %v", state, done, g)
			}
		}
		want(JobQueued, 10, 0, 10)
		if !j.Finished.IsZero() || !j.Expires.Equal(later.Truncate(time.Millisecond)) {
			t.Errorf("%+v", j)
		}
		for _, stale := range []Job{first, j} {
			_, err = s.AgainJob(ctx, ByCommand("test"), stale, again(1), later, nil)
			wantError(t, err, ErrState)
		}

		leased := lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 10})
		if len(leased) != 2 || leased[0].KeptResult != "unknown" || leased[0].KeptReason != "greylisted" {
			t.Fatalf("%+v", leased)
		}
		settle(t, s, "node", settled(leased[1]))
		want(JobRunning, 20, 0, 20)
		part := settled(leased[0]) // 5 have a result, 5 are asked later, 10 wait
		part.Counts[0].Addresses = 5
		part.Groups = map[string]GroupCount{"safe": {Rows: 5, Addresses: 5}}
		part.Left = &Batch{Addresses: 10, Rows: 10, Data: []byte("left")}
		part.Later = again(5)
		settle(t, s, "node", part)
		want(JobRunning, 25, 0, 25)
		_, err = s.CancelJob(ctx, ByCommand("test"), j.ID)
		check(t, err)
		want(JobDone, 40, 15, 25)
		wantRows(t, s, "job_batches", 0)
		wantRows(t, s, "webhooks", 2) // each end of it

		j, err = s.Job(ctx, j.ID)
		check(t, err)
		_, err = s.AgainJob(ctx, ByCommand("test"), first, again(15), later, nil) // as it was read before
		wantError(t, err, ErrState)
		_, err = s.AgainJob(ctx, ByCommand("test"), j, again(15), later, nil)
		check(t, err)
		settle(t, s, "node", settled(lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 10})[0]))
		want(JobDone, 40, 0, 40)
	})
}

// TestAgainJobOfALimitedKey: the addresses count for its quota, and what is not
// asked is given back.
func TestAgainJobOfALimitedKey(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx, now := open(t, o), t.Context(), time.Now()
		join(t, s, "node")
		key, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("limited"), Name: "limited", Scopes: []Scope{ScopeBulk}, MonthlyQuota: 15})
		check(t, err)
		j, err := s.BeginJob(ctx, "node", Job{Key: key.ID, Addresses: 10, Created: now}, key.MonthlyQuota, nil)
		check(t, err)
		check(t, s.AddSegment(ctx, j.ID, 0, 0, nil, []Batch{{Addresses: 10, Data: []byte("a")}}))
		_, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{Addresses: 10, Segments: 1}, nil)
		check(t, err)
		one := settled(lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 1})[0])
		one.Counts = []ResultCount{{Result: "unknown", Reason: "greylisted", Addresses: 10}}
		settle(t, s, "node", one)
		j, err = s.Job(ctx, j.ID)
		check(t, err)
		_, err = s.AgainJob(ctx, ByCommand("test"), j, again(6), now, nil)
		wantError(t, err, rows.ErrQuota)
		if got, err := s.Job(ctx, j.ID); err != nil || got.State != JobDone || got.Done != 10 {
			t.Errorf("%+v, %v", got, err)
		}
		_, err = s.AgainJob(ctx, ByCommand("test"), j, again(2, 3), now, nil)
		check(t, err)
		settle(t, s, "node", settled(lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 1})[0]))
		_, err = s.CancelJob(ctx, ByCommand("test"), j.ID)
		check(t, err)
		if used, err := s.QuotaUsed(ctx, key.ID, now); err != nil || used != 12 {
			t.Errorf("%d units are used: %v", used, err)
		}
	})
}

// TestAgainJobOfAToken: the same request again leads to the same job.
func TestAgainJobOfAToken(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		j := greylistedJob(t, s)
		token := JobRequest{Owner: "acme", Token: HashOf("token"), Body: HashOf("again")}
		until := s.now().Add(time.Minute)
		_, _, err := s.ClaimJobRequest(ctx, "node", token, until)
		check(t, err)
		_, err = s.AgainJob(ctx, ByCommand("test"), j, again(30), j.Expires, &token)
		check(t, err)
		job, body, err := s.ClaimJobRequest(ctx, "node", token, until)
		if err != nil || job != j.ID || body != token.Body {
			t.Errorf("%s, %v, %v", job, body, err)
		}
	})
}

// TestReusedResults: results that a list has from the beginning count as done,
// and take no quota.
func TestReusedResults(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx, now := open(t, o), t.Context(), time.Now()
		join(t, s, "node")
		j, err := s.BeginJob(ctx, "node", Job{Key: "key", Addresses: 10, Created: now, ComparedWith: "job_1", Notify: "a@acme.example"}, 15, nil)
		check(t, err)
		check(t, s.AddSegment(ctx, j.ID, 0, 0, nil, []Batch{{Addresses: 10, Data: []byte("a")}}))
		check(t, s.AddResults(ctx, j.ID, 0, []byte("results")))
		reused := []ResultCount{{Result: "deliverable", Reason: "recipient_accepted", Addresses: 20}, {Result: "undeliverable", Reason: "mailbox_not_found", Addresses: 5}}
		j, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{Rows: 35, Addresses: 35, Segments: 1, Reused: reused}, nil)
		check(t, err)
		if j.Reused != 25 || j.Done != 25 || j.Addresses != 35 || fmt.Sprint(j.Results) != "map[deliverable:20 undeliverable:5]" ||
			j.ComparedWith != "job_1" || j.Notify != "a@acme.example" {
			t.Errorf("%+v", j)
		}
		_, results, err := s.JobSegment(ctx, j.ID, 0)
		if err != nil || len(results) != 1 || string(results[0]) != "results" {
			t.Errorf("%q, %v", results, err)
		}
		_, err = s.CancelJob(ctx, ByCommand("test"), j.ID)
		check(t, err)
		if used, err := s.QuotaUsed(ctx, "key", now); err != nil || used != 0 {
			t.Errorf("%d units are used: %v", used, err)
		}
	})
}

// TestJobMail: the end of a job that has an address is told there, once for
// each end, and only so often a day.
func TestJobMail(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		for i := range mailsADay + 2 {
			j, err := s.BeginJob(ctx, "node", Job{Key: "key", Notify: "ops@acme.example"}, 0, nil)
			check(t, err)
			_, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{}, nil)
			check(t, err)
			wantRows(t, s, "webhooks", min(i+1, mailsADay))
		}
		claimed, err := s.ClaimWebhooks(ctx, 1, 10, 10, time.Minute)
		check(t, err)
		if len(claimed) != 1 || claimed[0].URL != "mailto:ops@acme.example" || claimed[0].Event != "job.completed" {
			t.Errorf("%+v", claimed)
		}
	})
}
