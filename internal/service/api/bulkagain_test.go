package api_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestJobAgain: what is unknown is asked again into the same job, once for a
// token, and against the quota of its key.
func TestJobAgain(t *testing.T) {
	var answers atomic.Bool
	l := newLists(t, func(ctx context.Context, email string) (rcpt.Result, error) {
		r, err := accepts(ctx, email)
		if strings.HasPrefix(email, "grey") && !answers.Load() {
			r.Verdict, r.Reason, r.Message = rcpt.VerdictUnknown, rcpt.ReasonGreylisted, "Later."
			r.Details = &rcpt.Details{}
		}
		return r, err
	}, jobs.Config{RetryWindow: -1})
	key := l.key(store.Key{MonthlyQuota: 4})
	j := l.want(l.send("POST", "/api/v1/bulk", key, "grey1@a.example\nb@a.example\ngrey2@a.example\n", "Content-Type", csvType), 202)
	l.done(key, j.ID)
	again := "/api/v1/bulk/" + j.ID + "/again"
	l.wantCode(l.send("POST", again, key, ""), 402, "quota_used_up")
	l.wantCode(l.send("GET", again, key, ""), 405, "method_not_allowed")

	key = l.key(store.Key{MonthlyQuota: 8})
	j = l.want(l.send("POST", "/api/v1/bulk", key, "grey1@a.example\nb@a.example\ngrey2@a.example\n", "Content-Type", csvType), 202)
	l.done(key, j.ID)
	again = "/api/v1/bulk/" + j.ID + "/again"
	answers.Store(true)
	first := l.want(l.send("POST", again, key, "", "Idempotency-Key", "one"), 202)
	second := l.want(l.send("POST", again, key, "", "Idempotency-Key", "one"), 202)
	if first.ID != j.ID || second.ID != j.ID || first.Done != 1 || first.Addresses != 3 {
		t.Errorf("%+v, %+v", first, second)
	}
	l.wantCode(l.send("POST", "/api/v1/bulk", key, "c@a.example\n", "Content-Type", csvType, "Idempotency-Key", "one"), 422, "idempotency_key_reused")
	l.done(key, j.ID)
	got := l.send("GET", "/api/v1/bulk/"+j.ID+"/results?result=unknown", key, "").Body.String()
	if strings.Contains(got, "grey") {
		t.Errorf("still unknown:\n%s", got)
	}
	same := l.want(l.send("POST", again, key, ""), 202)
	if same.State != "done" || same.Done != 3 {
		t.Errorf("%+v", same)
	}
}
