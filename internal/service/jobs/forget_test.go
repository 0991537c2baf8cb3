//go:build unix

package jobs

import (
	"context"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/mention"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/testkit"
)

// forget erases addresses from the lists of a node.
func (n *node) forget(addresses ...string) Forgotten {
	n.t.Helper()
	who, err := mention.Of(addresses)
	check(n.t, err)
	done, err := Forget(n.t.Context(), n.store, who)
	check(n.t, err)
	return done
}

// TestForgetWhileAsked: the question about an address ends, it is not asked
// again, and the rest of the list goes on.
func TestForgetWhileAsked(t *testing.T) {
	given := make(chan struct{}, 9)
	h := &hosts{answer: func(ctx context.Context, email string, _ int) rcpt.Result {
		if strings.HasPrefix(email, "zoe@") {
			<-ctx.Done()
			given <- struct{}{}
		}
		return fine(email)
	}}
	n := alone(t, h)
	j := n.create("email\nben@c.example\nzoe@a.example\nzoe@b.example\nZOE@a.example\n", Request{})
	n.until("one is done", j.ID, func(j rows.Job) bool { return j.Done == 1 })
	testkit.Eventually(t, "she is asked about", func() bool { return h.times("zoe@a.example") == 1 })
	done := n.forget("zoe@a.example", "zoe@b.example")
	if done.Rows != 3 || done.NotAsked < 2 || !done.Spellings["ZOE@a.example"] {
		t.Errorf("%+v", done)
	}
	<-given
	if j = n.untilDone(j.ID); j.Addresses != 1 || j.Rows != 4 || j.Results["deliverable"] != 1 {
		t.Errorf("%+v", j)
	}
	if h.times("zoe@a.example") > 1 || h.times("zoe@b.example") > 1 {
		t.Error("she was asked about again")
	}
	if out := n.output(j.ID, Output{}); strings.Contains(strings.ToLower(out), "zoe") || strings.Count(out, "\n") != 5 {
		t.Error(out)
	}
}

// TestForgetAfterACrash: a list that was held when the command was killed goes
// on after the next one. A list that somebody has paused stays so.
func TestForgetAfterACrash(t *testing.T) {
	s := openStore(t, store.Options{DataDir: t.TempDir()})
	m, err := New(Config{Store: s, Verifier: &hosts{}, TempDir: t.TempDir()})
	check(t, err)
	check(t, m.Join(t.Context()))
	n := &node{Manager: m, t: t, store: s}
	held, paused := n.create("email\nben@a.example\n", Request{}), n.create("email\nzoe@a.example\njo@a.example\n", Request{})
	check(t, s.HoldJob(t.Context(), held.ID))
	if j := n.job(held.ID); j.State != rows.JobPaused || j.Problem == "" {
		t.Errorf("held: %+v", j)
	}
	_, err = s.PauseJob(t.Context(), store.ByCommand("test"), paused.ID)
	check(t, err)
	n.forget("zoe@a.example")
	if j := n.job(held.ID); j.State != rows.JobQueued || j.Problem != "" {
		t.Errorf("held: %+v", j)
	}
	if j := n.job(paused.ID); j.State != rows.JobPaused || j.Addresses != 1 {
		t.Errorf("paused: %+v", j)
	}
}

// TestForgetDrafts: a draft is deleted if it mentions an address, wherever, or
// cannot be searched.
func TestForgetDrafts(t *testing.T) {
	n := alone(t, &hosts{})
	long := strings.Repeat("a@a.example\n", segmentOctets/12)
	for text, dropped := range map[string]int64{
		"email\njoanzoe@a.example\n":                    0,
		"name,note\nx,ask Zoe@A.example\n":              1,
		"PK\x03\x04 is the beginning of a spreadsheet":  1,
		long[:len(long)-6] + "\nzoe@a.example\n":        1, // across segments
		long[:len(long)-6] + "\nzoe@b.example\n" + long: 0,
	} {
		s, err := n.keep(t.Context(), strings.NewReader(text))
		check(t, err)
		id, err := n.KeepDraft(t.Context(), "owner", "draft", s)
		s.Close()
		check(t, err)
		if done := n.forget("zoe@a.example"); done.Drafts != dropped {
			t.Errorf("%.40q: %d are deleted", text, done.Drafts)
		}
		_ = n.DropDraft(t.Context(), id, "owner")
	}
}

// TestForgetQuota: what will not be asked about is given back, once.
func TestForgetQuota(t *testing.T) {
	s := openStore(t, store.Options{DataDir: t.TempDir()})
	m, err := New(Config{Store: s, Verifier: &hosts{}, TempDir: t.TempDir()})
	check(t, err)
	check(t, m.Join(t.Context()))
	n := &node{Manager: m, t: t, store: s}
	j := n.create("email\nzoe@a.example\nzoe@a.example\n", Request{Key: "key", Quota: 10})
	for range 2 {
		n.forget("zoe@a.example")
		used, err := s.QuotaUsed(t.Context(), "key", j.Created)
		check(t, err)
		if now := n.job(j.ID); used != 0 || now.State != rows.JobDone || now.Addresses != 0 {
			t.Errorf("%d used, %+v", used, now)
		}
	}
}
