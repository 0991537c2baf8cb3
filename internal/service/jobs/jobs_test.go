//go:build unix

package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestListIsVerified: the output is the list in its order with columns added,
// each address is asked about once, and the counters say so.
func TestListIsVerified(t *testing.T) {
	h := &hosts{answer: func(_ context.Context, email string, _ int) rcpt.Result {
		r := fine(email)
		if strings.HasPrefix(email, "dead") {
			r.Verdict, r.Reason = rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound
		}
		r.Role = strings.HasPrefix(email, "info")
		return r
	}}
	var mu sync.Mutex
	used := 0
	s := openStore(t, store.Options{DataDir: t.TempDir()})
	n := newNode(t, s, Config{Verifier: h, Record: func(rows.Use) { mu.Lock(); used++; mu.Unlock() }})
	text := "name,email\nAnn,ann@a.example\nDead,dead@a.example\nInfo,info@b.example\nAnn again, Ann <ann@A.example>\nTwo,x@a.example y@a.example\nNone,\n"
	j := n.create(text, Request{Owner: "acme", Key: "key", Name: "spring"})
	if j.State != rows.JobQueued || j.Rows != 6 || j.Unusable != 2 || j.Duplicates != 1 || j.Addresses != 3 {
		t.Errorf("%+v", j)
	}
	j = n.untilDone(j.ID)
	if j.Done != 3 || j.Results["deliverable"] != 2 || j.Results["undeliverable"] != 1 || j.Reasons["mailbox_not_found"] != 1 || j.Started.IsZero() || j.Finished.IsZero() {
		t.Errorf("%+v", j)
	}
	out := n.output(j.ID, Output{})
	if got, want := column(out, 0), []string{"name", "Ann", "Dead", "Info", "Ann again", "Two", "None"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	if got, want := column(out, 2), []string{"rcpt_result", "deliverable", "undeliverable", "deliverable", "deliverable", "unknown", "unknown"}; !slices.Equal(got, want) {
		t.Errorf("results %q, want %q", got, want)
	}
	for want, o := range map[string]Output{
		"name Dead":      {Results: []rcpt.Verdict{rcpt.VerdictUndeliverable}},
		"name Info":      {Flags: []string{"role"}},
		"name Info Dead": {Reasons: []rcpt.Reason{rcpt.ReasonMailboxNotFound}, Flags: []string{"role"}},
	} {
		if got := strings.Join(column(n.output(j.ID, o), 0), " "); got != want && !(len(o.Reasons) > 0 && got == "name") {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
	if lines := n.output(j.ID, Output{Format: list.JSONLines}); strings.Count(lines, "\n") != 6 || !strings.Contains(lines, `"email":"ann@A.example"`) {
		t.Error(lines)
	}
	for _, email := range []string{"ann@a.example", "dead@a.example", "info@b.example"} {
		if times := h.times(email); times != 1 {
			t.Errorf("%s was asked about %d times", email, times)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if used != 3 {
		t.Errorf("%d uses are counted", used)
	}
}

// manyRows returns a list with so many rows in which every third row repeats
// an address of far before.
func manyRows(rows int) string {
	var list strings.Builder
	list.WriteString("id,email\n")
	for i := range rows {
		n := i
		if i%3 == 2 {
			n = i / 3 * 2
			if n%3 == 2 {
				n++
			}
		}
		domain := "giant.example"
		if n%4 > 0 {
			domain = fmt.Sprintf("d%d.example", n%5000)
		}
		fmt.Fprintf(&list, "%d,box%d@%s\n", i, n, domain)
	}
	return list.String()
}

// TestLongList has several segments, batches of large and small domains, and
// repeated addresses in other segments.
func TestLongList(t *testing.T) {
	const count = 50_000
	h := &hosts{answer: func(_ context.Context, email string, _ int) rcpt.Result {
		r := fine(email)
		r.Message = "Fine: " + email // to see that each row has its own
		return r
	}}
	n := alone(t, h)
	j := n.create(manyRows(count), Request{})
	if j.Segments != 3 || j.Duplicates < count/4 || j.Addresses+j.Duplicates != count {
		t.Errorf("%+v", j)
	}
	j = n.untilDone(j.ID)
	if total := j.Results["deliverable"]; total != j.Addresses || j.Done != j.Addresses {
		t.Errorf("%+v", j)
	}
	out := n.output(j.ID, Output{})
	ids, emails, messages := column(out, 0), column(out, 1), column(out, 9)
	if len(ids) != count+1 {
		t.Fatalf("%d rows", len(ids)-1)
	}
	for i := range count {
		if ids[i+1] != fmt.Sprint(i) || messages[i+1] != "Fine: "+emails[i+1] {
			t.Fatalf("row %d: %s %s %s", i, ids[i+1], emails[i+1], messages[i+1])
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for email, times := range h.asked {
		if times != 1 {
			t.Fatalf("%s was asked about %d times", email, times)
		}
	}
}

// TestPauseStops: nothing is asked during a pause, results of before stay, and
// what was interrupted is asked again.
func TestPauseStops(t *testing.T) {
	reached, let := make(chan struct{}, 100), make(chan struct{})
	h := &hosts{answer: func(ctx context.Context, email string, times int) rcpt.Result {
		if strings.HasPrefix(email, "slow") && times == 1 {
			reached <- struct{}{}
			select {
			case <-let:
			case <-ctx.Done():
			}
		}
		return fine(email)
	}}
	n := alone(t, h)
	j := n.create("quick@a.example\nslow@b.example\n", Request{})
	<-reached
	n.until("the quick one has its result", j.ID, func(j rows.Job) bool { return j.Done == 1 })
	paused, err := n.Change(t.Context(), rows.ByCommand("test"), j.ID, nil, Pause)
	check(t, err)
	if paused.State != rows.JobPaused || paused.Done != 1 {
		t.Errorf("%+v", paused)
	}
	if out := n.output(j.ID, Output{}); strings.Count(out, "deliverable") != 1 {
		t.Errorf("a part of the output is %q", out)
	}
	if _, err := n.Change(t.Context(), rows.ByCommand("test"), j.ID, nil, Resume); err != nil {
		t.Error(err)
	}
	n.untilDone(j.ID)
	if h.times("quick@a.example") != 1 || h.times("slow@b.example") != 2 {
		t.Errorf("asked: %v", h.asked)
	}
	if _, err := n.Change(t.Context(), rows.ByCommand("test"), j.ID, nil, Cancel); !errors.Is(err, rows.ErrState) {
		t.Errorf("cancelling what is done: %v", err)
	}
}

func TestCancelAndDelete(t *testing.T) {
	reached := make(chan struct{}, 100)
	h := &hosts{answer: func(ctx context.Context, email string, _ int) rcpt.Result {
		reached <- struct{}{}
		<-ctx.Done()
		return fine(email)
	}}
	n := alone(t, h)
	first := n.create("a@a.example\nb@a.example\n", Request{Owner: "acme"})
	<-reached
	if _, err := n.Change(t.Context(), rows.ByCommand("test"), first.ID, []string{"other"}, Cancel); !errors.Is(err, rows.ErrNotFound) {
		t.Errorf("somebody else cancels it: %v", err)
	}
	if err := n.Delete(t.Context(), rows.ByCommand("test"), first.ID, []string{"other"}); !errors.Is(err, rows.ErrNotFound) {
		t.Errorf("somebody else deletes it: %v", err)
	}
	j, err := n.Change(t.Context(), rows.ByCommand("test"), first.ID, []string{"acme"}, Cancel)
	if check(t, err); j.State != rows.JobCancelled || j.Done != 0 {
		t.Errorf("%+v", j)
	}
	if active := n.working(); active != 0 {
		t.Errorf("%d runs go on", active)
	}
	check(t, n.Delete(t.Context(), rows.ByCommand("test"), first.ID, nil))
	if _, err := n.Job(t.Context(), first.ID, nil); !errors.Is(err, rows.ErrNotFound) {
		t.Errorf("a deleted job: %v", err)
	}
}

// TestStopAndGoOn: a node that is stopped keeps what is done and gives the rest
// back; the next one goes on.
func TestStopAndGoOn(t *testing.T) {
	let := make(chan struct{})
	reached := make(chan struct{}, 10)
	h := &hosts{answer: func(ctx context.Context, email string, times int) rcpt.Result {
		if strings.HasPrefix(email, "slow") {
			reached <- struct{}{}
			select {
			case <-let:
			case <-ctx.Done():
			}
		}
		return fine(email)
	}}
	s := openStore(t, store.Options{DataDir: t.TempDir()})
	n := newNode(t, s, Config{Verifier: h})
	j := n.create("slow@a.example\nb@b.example\nc@c.example\n", Request{})
	<-reached
	testkit.Eventually(t, "the others are asked", func() bool { return h.times("b@b.example")+h.times("c@c.example") == 2 })
	n.stop()
	if got := n.job(j.ID); got.State != rows.JobRunning || got.Done != 2 {
		t.Errorf("%+v", got)
	}
	close(let)
	second := newNode(t, s, Config{Verifier: h})
	second.untilDone(j.ID)
	if h.times("b@b.example") != 1 || h.times("c@c.example") != 1 || h.times("slow@a.example") != 2 {
		t.Errorf("asked: %v", h.asked)
	}
}

// TestTemporaryAnswersAreAskedAgain: at their time, from the same egress, and
// the last answer counts.
func TestTemporaryAnswersAreAskedAgain(t *testing.T) {
	clock := testkit.NewClock(time.Now())
	h := &hosts{answer: func(_ context.Context, email string, times int) rcpt.Result {
		if strings.HasPrefix(email, "grey") && times < 3 || strings.HasPrefix(email, "never") {
			return greylisted(email)
		}
		return fine(email)
	}}
	s := openStore(t, store.Options{DataDir: t.TempDir(), Now: clock.Now})
	n := newNode(t, s, Config{Verifier: h, Now: clock.Now, RetryWindow: 10 * time.Minute})
	j := n.create("grey@a.example\nb@a.example\nnever@a.example\n", Request{})
	n.until("the first answers are committed", j.ID, func(j rows.Job) bool { return j.Done == 1 })
	for range 12 {
		before := h.times("grey@a.example") + h.times("never@a.example")
		due, err := s.NextBatch(t.Context(), j.ID, "")
		check(t, err)
		if due.IsZero() {
			break
		}
		if wait := due.Sub(clock.Now()); wait < 30*time.Second {
			t.Errorf("asked again after %v", wait)
		}
		clock.Advance(due.Sub(clock.Now()) / 2)
		check(t, n.Join(t.Context())) // the clock has gone on, and no beat was heard
		clock.Advance(due.Sub(clock.Now()))
		check(t, n.Join(t.Context()))
		testkit.Eventually(t, "it is asked again", func() bool { return h.times("grey@a.example")+h.times("never@a.example") > before })
		testkit.Eventually(t, "that is committed", func() bool {
			next, err := s.NextBatch(t.Context(), j.ID, "")
			check(t, err)
			return !next.Equal(due) && n.working() == 0
		})
	}
	j = n.untilDone(j.ID)
	if j.Results["deliverable"] != 2 || j.Reasons["greylisted"] != 1 {
		t.Errorf("%+v", j)
	}
	if times := h.times("grey@a.example"); times != 3 {
		t.Errorf("asked %d times", times)
	}
}

// TestRetriesOfARunThatGoesOn: a temporary answer that a run has got is not
// given again when the address is due before the run has ended.
func TestRetriesOfARunThatGoesOn(t *testing.T) {
	clock, let := testkit.NewClock(time.Now()), make(chan struct{})
	h := &hosts{answer: func(_ context.Context, email string, times int) rcpt.Result {
		switch {
		case email == "slow@b.example":
			<-let
		case times == 1:
			return greylisted(email)
		}
		return fine(email)
	}}
	s := openStore(t, store.Options{DataDir: t.TempDir(), Now: clock.Now})
	n := newNode(t, s, Config{Verifier: h, Now: clock.Now, RetryWindow: 10 * time.Minute})
	goOn := sync.OnceFunc(func() { close(let) })
	defer goOn()
	j := n.create("grey@a.example\nslow@b.example\n", Request{})
	var due time.Time
	testkit.Eventually(t, "the first answer is committed", func() bool {
		var err error
		due, err = s.NextBatch(t.Context(), j.ID, "")
		check(t, err)
		return due.After(clock.Now())
	})
	for clock.Now().Before(due) {
		clock.Advance(DefaultLease / 2)
		check(t, n.Join(t.Context()))
	}
	testkit.Eventually(t, "it is asked again", func() bool { return h.times("grey@a.example") == 2 })
	goOn()
	if j = n.untilDone(j.ID); j.Results["deliverable"] != 2 || h.times("slow@b.example") != 1 {
		t.Errorf("%+v; asked: %v", j, h.asked)
	}
}

// working is how many runs there are.
func (n *node) working() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.runs)
}
