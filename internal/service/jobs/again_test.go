//go:build unix

package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/testkit"
)

// moody hosts greylist some addresses until they are told to answer.
func moody(answers *atomic.Bool) *hosts {
	return &hosts{answer: func(_ context.Context, email string, _ int) rcpt.Result {
		if strings.HasPrefix(email, "grey") && !answers.Load() {
			return greylisted(email)
		}
		return fine(email)
	}}
}

const moodyList = "id,email\n1,grey1@a.example\n2,fine@a.example\n3,grey1@a.example\n4,\n5,grey2@b.example\n"

// TestAgain: what is unknown is asked again, and nothing else; the results come
// into the same list, and count once.
func TestAgain(t *testing.T) {
	var answers atomic.Bool
	h := moody(&answers)
	n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: h, RetryWindow: -1})
	j := n.untilDone(n.create(moodyList, Request{Owner: "acme", Key: "key"}).ID)
	if j.Results["unknown"] != 2 || j.Results["deliverable"] != 1 {
		t.Fatalf("%v", j.Results)
	}
	for _, owners := range [][]string{{"other"}, {}} {
		if _, err := n.Again(t.Context(), rows.ByCommand("test"), j.ID, owners, nil); !errors.Is(err, rows.ErrNotFound) {
			t.Errorf("of %v: %v", owners, err)
		}
	}

	// Nothing has changed: they are asked, and stay what they are.
	queued, err := n.Again(t.Context(), rows.ByCommand("test"), j.ID, []string{"acme"}, nil)
	check(t, err)
	if queued.State != rows.JobQueued || queued.Done != 1 || queued.Addresses != 3 || len(queued.Results) != 1 {
		t.Errorf("%+v", queued)
	}
	j = n.untilDone(j.ID)
	if j.Results["unknown"] != 2 || j.Results["deliverable"] != 1 || j.Done != 3 {
		t.Errorf("%+v", j)
	}

	answers.Store(true)
	_, err = n.Again(t.Context(), rows.ByCommand("test"), j.ID, nil, nil)
	check(t, err)
	j = n.untilDone(j.ID)
	if j.Results["deliverable"] != 3 || len(j.Results) != 1 || j.Done != 3 {
		t.Errorf("%+v", j)
	}
	got := column(n.output(j.ID, Output{}), 2)
	if fmt.Sprint(got) != "[rcpt_result deliverable deliverable deliverable unknown deliverable]" {
		t.Errorf("%v", got)
	}
	if h.times("fine@a.example") != 1 || h.times("grey1@a.example") != 3 {
		t.Errorf("asked %v", h.asked)
	}

	// Nothing is left to ask.
	same, err := n.Again(t.Context(), rows.ByCommand("test"), j.ID, nil, nil)
	if err != nil || same.State != rows.JobDone || !same.Finished.Equal(j.Finished) {
		t.Errorf("%+v, %v", same, err)
	}
}

// TestAgainWhileItRuns: results stay until others replace them, one that runs
// cannot be begun again, and cancelling it gives everything back.
func TestAgainWhileItRuns(t *testing.T) {
	release := make(chan struct{})
	h := &hosts{}
	h.answer = func(ctx context.Context, email string, times int) rcpt.Result {
		if times > 1 {
			select {
			case <-release:
			case <-ctx.Done():
			}
		}
		return greylisted(email)
	}
	n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: h, RetryWindow: -1})
	j := n.untilDone(n.create(moodyList, Request{Owner: "acme", Key: "key"}).ID)
	before := n.output(j.ID, Output{})
	_, err := n.Again(t.Context(), rows.ByCommand("test"), j.ID, nil, nil)
	check(t, err)
	n.until("it runs", j.ID, func(j rows.Job) bool { return j.State == rows.JobRunning })
	if _, err := n.Again(t.Context(), rows.ByCommand("test"), j.ID, nil, nil); !errors.Is(err, rows.ErrState) {
		t.Errorf("a second time: %v", err)
	}
	if got := n.output(j.ID, Output{}); got != before {
		t.Errorf("while it runs:\n%s", got)
	}
	ended, err := n.Change(t.Context(), rows.ByCommand("test"), j.ID, nil, Cancel)
	check(t, err)
	close(release)
	if ended.State != rows.JobDone || ended.Done != 3 || ended.Results["unknown"] != 3 {
		t.Errorf("%+v", ended)
	}
	if got := n.output(j.ID, Output{}); got != before {
		t.Errorf("after it was cancelled:\n%s", got)
	}
}

// TestAgainInEarlierWords: a list that an earlier version has verified has its
// reasons, which go with its results. No address counts twice.
func TestAgainInEarlierWords(t *testing.T) {
	h := &hosts{answer: func(_ context.Context, email string, times int) rcpt.Result {
		r := greylisted(email)
		if r.Reason = "smtp_skipped"; times > 1 {
			r.Reason = rcpt.ReasonLevelReached
		}
		return r
	}}
	n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: h, RetryWindow: -1})
	j := n.untilDone(n.create(moodyList, Request{Owner: "acme", Key: "key"}).ID)
	if got := column(n.output(j.ID, Output{}), 3)[1]; got != "level_reached" {
		t.Errorf("shown as %q", got)
	}
	_, err := n.Again(t.Context(), rows.ByCommand("test"), j.ID, nil, nil)
	check(t, err)
	j = n.untilDone(j.ID)
	if j.Results["unknown"] != 3 || j.Reasons["level_reached"] != 3 || len(j.Reasons) != 1 || j.Done != 3 {
		t.Errorf("%+v", j)
	}
}

// TestAgainOnALostNode: a node is killed while it verifies a list again, with
// some of its batches. Another one asks about these, and nothing is lost.
func TestAgainOnALostNode(t *testing.T) {
	var answers atomic.Bool
	h := &hosts{answer: func(_ context.Context, email string, _ int) rcpt.Result {
		if !answers.Load() {
			return greylisted(email)
		}
		return fine(email)
	}}
	s := openStore(t, store.Options{DataDir: t.TempDir()})
	first := newNode(t, s, Config{Verifier: h, RetryWindow: -1})
	j := first.create(manyAddresses(3000, func(i int) string { return fmt.Sprintf("grey%d.example", i%3) }), Request{})
	j = first.untilDone(j.ID)
	before := j.Results
	first.stop()
	idle, err := New(Config{Store: s, Verifier: h, TempDir: t.TempDir()})
	check(t, err)
	_, err = idle.Again(t.Context(), rows.ByCommand("test"), j.ID, nil, nil)
	check(t, err)
	lostNode(t, s, testkit.NewClock(time.Now()), j.ID)
	if got := column(first.output(j.ID, Output{}), 1); len(got) != 3001 {
		t.Errorf("%d rows while nobody works on it", len(got))
	}
	answers.Store(true)
	j = newNode(t, s, Config{Verifier: h, RetryWindow: -1}).untilDone(j.ID)
	if j.Results["deliverable"] != 3000 || j.Results["unknown"] != 0 || j.Done != 3000 {
		t.Errorf("before %v, after %+v", before, j)
	}
}
