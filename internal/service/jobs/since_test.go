//go:build unix

package jobs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestSinceAList: settled results of an earlier list of the owner are taken,
// as long as they are young; what is new or unknown is asked.
func TestSinceAList(t *testing.T) {
	clock := testkit.NewClock(time.Now())
	h := &hosts{}
	h.answer = func(_ context.Context, email string, _ int) rcpt.Result {
		if strings.HasPrefix(email, "grey") {
			return greylisted(email)
		}
		return fine(email)
	}
	n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: h, RetryWindow: -1, Now: clock.Now})
	first := n.untilDone(n.create("a@a.example\ngrey@a.example\nb@b.example\n", Request{Owner: "acme"}).ID)
	clock.Advance(24 * time.Hour)

	list := "id,mail,mail2\n1,b@b.example,grey@a.example\n2,new@a.example,a@A.example\n3,b@b.example,\n"
	o := Request{Owner: "acme", Since: Since{List: first.ID}, Format: Format{Columns: []string{"mail", "mail2"}}}
	plan, err := n.Plan(t.Context(), n.receive(list), o)
	if err != nil || plan.Reused != 2 || plan.Addresses != 2 {
		t.Errorf("%+v, %v", plan, err)
	}
	second := n.untilDone(n.create(list, o).ID)
	if second.Reused != 2 || second.Done != 4 || second.Addresses != 4 || second.ComparedWith != first.ID {
		t.Errorf("%+v", second)
	}
	if h.times("b@b.example") != 1 || h.times("a@A.example") != 0 || h.times("grey@a.example") != 2 || h.times("new@a.example") != 1 {
		t.Errorf("asked %v", h.asked)
	}
	out := n.output(second.ID, Output{})
	if !strings.Contains(out, "rcpt_checked_at (mail)") || strings.Count(out, "deliverable,recipient_accepted") != 4 {
		t.Errorf("%s", out)
	}

	// A result keeps the time at which it was found, through several lists.
	clock.Advance(60 * 24 * time.Hour)
	third := n.untilDone(n.create("b@b.example\nnew@a.example\n", Request{Owner: "acme", Since: Since{List: second.ID}}).ID)
	if third.Reused != 2 {
		t.Errorf("%+v", third)
	}
	fourth := n.untilDone(n.create("b@b.example\nnew@a.example\n", Request{Owner: "acme", Since: Since{List: third.ID, MaxAge: 60*24*time.Hour + time.Hour}}).ID)
	if fourth.Reused != 1 || h.times("b@b.example") != 2 {
		t.Errorf("%+v", fourth)
	}
	for _, since := range []string{"job_nothing", first.ID} {
		_, err = n.Create(t.Context(), n.receive(list), Request{By: rows.ByCommand("test"), Owner: "other", Since: Since{List: since}, Format: o.Format})
		if !errors.Is(err, ErrNoSince) {
			t.Errorf("%v", err)
		}
	}

	// All of it is there: the list is done at once. A repeated address counts
	// once.
	fifth, err := n.Create(t.Context(), n.receive("b@b.example\nb@b.example\n"), Request{By: rows.ByCommand("test"), Owner: "acme", Since: Since{List: fourth.ID}})
	if err != nil || fifth.State != rows.JobDone || fifth.Reused != 1 || fifth.Results["deliverable"] != 1 {
		t.Errorf("%+v, %v", fifth, err)
	}
}

// TestSinceSelf: the results of a service in the list itself are taken if that
// is asked for, and if their time is known.
func TestSinceSelf(t *testing.T) {
	h := &hosts{}
	n := alone(t, h)
	day := time.Now().AddDate(0, 0, -10).Format(time.DateOnly)
	dated := "Email Address,ZB Status,ZB Sub Status,ZB Processed At\n" +
		"a@a.example,valid,," + day + "\nb@b.example,invalid,mailbox_not_found," + day + "\nc@c.example,unknown,," + day + "\nd@d.example,valid,,2019-01-01\n"
	j := n.untilDone(n.create(dated, Request{}).ID)
	if j.Reused != 0 || h.total() != 4 {
		t.Errorf("%+v", j)
	}
	j = n.untilDone(n.create(dated, Request{Since: Since{List: SinceSelf}}).ID)
	if j.Reused != 2 || j.Results["undeliverable"] != 1 || h.times("a@a.example") != 1 || h.times("c@c.example") != 2 || j.ComparedWith != "" {
		t.Errorf("%+v", j)
	}
	if out := n.output(j.ID, Output{}); !strings.Contains(out, `"ZeroBounce said invalid, mailbox_not_found on `+day) {
		t.Errorf("%s", out)
	}
	undated := "email,email_status\na@a.example,valid\nb@b.example,invalid\n"
	for date, want := range map[time.Time]int64{{}: 0, time.Now().AddDate(0, 0, -5): 1, time.Now().AddDate(-1, 0, 0): 0} {
		if j := n.untilDone(n.create(undated, Request{Since: Since{List: SinceSelf, Date: date}}).ID); j.Reused != want {
			t.Errorf("%s: %+v", date, j)
		}
	}
}
