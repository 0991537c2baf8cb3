//go:build unix

package store

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// TestJobsArePurged: those that have expired, and those whose list was arriving
// on a node that is lost.
func TestJobsArePurged(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		kept, expiring := someJob(t, s, "acme"), Job{Expires: clock.Now().Add(time.Second)}
		expiring, err := s.BeginJob(ctx, "node", expiring, 0, nil)
		check(t, err)
		_, err = s.StartJob(ctx, ByCommand("test"), expiring.ID, JobTotals{}, nil)
		check(t, err)
		loading, err := s.BeginJob(ctx, "node", Job{}, 0, nil)
		check(t, err)
		check(t, s.Purge(ctx))
		wantRows(t, s, "jobs", 3)
		clock.Advance(2 * time.Minute)
		check(t, s.Purge(ctx))
		if _, err := s.Job(ctx, kept.ID); err != nil {
			t.Error(err)
		}
		_, err = s.StartJob(ctx, ByCommand("test"), loading.ID, JobTotals{}, nil)
		wantError(t, err, ErrNotFound)
		wantRows(t, s, "jobs", 1)
	})
}

// TestJobQuota: what a cancelled or deleted job has not asked about is given
// back, once.
func TestJobQuota(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx, now := open(t, o), t.Context(), time.Now()
		join(t, s, "node")
		j, err := s.BeginJob(ctx, "node", Job{Key: "key", Addresses: 50, Created: now}, 100, nil)
		check(t, err)
		_, err = s.BeginJob(ctx, "node", Job{Key: "key", Addresses: 51, Created: now}, 100, nil)
		wantError(t, err, rows.ErrQuota)
		check(t, s.AddSegment(ctx, j.ID, 0, 0, nil, []Batch{{Addresses: 10, Data: []byte("a")}, {Addresses: 40, Data: []byte("b")}}))
		_, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{Addresses: 50}, nil)
		check(t, err)
		settle(t, s, "node", settled(lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 1})[0]))
		_, err = s.CancelJob(ctx, ByCommand("test"), j.ID)
		check(t, err)
		check(t, s.DeleteJob(ctx, ByCommand("test"), j.ID))
		if used, err := s.QuotaUsed(ctx, "key", now); err != nil || used != 10 {
			t.Errorf("%d units are used: %v", used, err)
		}
	})
}

// TestQuotaOfLostList: the quota of a list that was arriving when its node was
// killed, or that could not be read to its end, comes back.
func TestQuotaOfLostList(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		began := clock.Now()
		j := Job{Key: "key", Addresses: 50}
		_, err := s.BeginJob(ctx, "node", j, 100, nil)
		check(t, err)
		dropped, err := s.BeginJob(ctx, "node", j, 100, nil)
		check(t, err)
		wantUsed := func(want int64) {
			t.Helper()
			if used, err := s.QuotaUsed(ctx, "key", began); err != nil || used != want {
				t.Errorf("%d units are used, want %d: %v", used, want, err)
			}
		}
		wantUsed(100)
		check(t, s.DropJob(ctx, dropped.ID))
		wantUsed(50)
		clock.Advance(2 * time.Minute) // the node is lost
		check(t, s.Purge(ctx))
		wantUsed(0)
	})
}

func TestJobRequests(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		r := JobRequest{Owner: "acme", Token: HashOf("token"), Body: HashOf("body")}
		until := clock.Now().Add(time.Hour)
		claim := func(want string, wantErr error) {
			t.Helper()
			job, body, err := s.ClaimJobRequest(ctx, "node", r, until)
			if wantErr != nil {
				wantError(t, err, wantErr)
				return
			}
			if check(t, err); job != want || job != "" && body != r.Body {
				t.Errorf("job %q, want %q", job, want)
			}
		}
		claim("", nil)
		claim("", ErrInProgress)
		check(t, s.ForgetJobRequest(ctx, "node", r, until))
		claim("", nil)
		clock.Advance(2 * time.Minute) // the node is lost
		join(t, s, "node2")
		claim("", nil)
		join(t, s, "node")
		claim("", ErrInProgress)
		clock.Advance(59 * time.Minute) // the request is
		join(t, s, "node")
		claim("", nil)
		j, err := s.BeginJob(ctx, "node", Job{}, 0, nil)
		check(t, err)
		_, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{}, &r)
		check(t, err)
		check(t, s.ForgetJobRequest(ctx, "node", r, until)) // too late
		claim(j.ID, nil)
		clock.Advance(25 * time.Hour)
		claim("", nil)
	})
}
