package verdictcache

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

func resultTranscript(given string) []smtp.Line {
	return []smtp.Line{{From: "C", Text: "RCPT TO:<" + given + ">"}}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestTwoCachesOnOneStore: what one has found out, the other knows, but for
// what the store is not told.
func TestTwoCachesOnOneStore(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, func(r *rcpt.Result) {
		r.Role, r.Free, r.Disposable = true, true, true
		r.Details.Provider, r.Details.MX, r.Details.Duration = "acme_mail", []rcpt.MX{{Host: "mx.acme.example", Preference: 10}}, 7*time.Millisecond
		r.Details.Transcript = resultTranscript(r.Email)
	})}
	one, other := newCache(t, Config{Engine: f, Store: s}), newCache(t, Config{Engine: f, Store: s})
	want := verify(t, one, "alice@acme.example")
	got := verify(t, other, "alice@Acme.example")
	want.Email, want.Details.Cached, want.Details.Transcript = "alice@Acme.example", true, nil
	want.Details.Canonical = "alice@acme.example" // the engine, of which this is a fake, says so
	if diff := cmp.Diff(want, got); diff != "" || f.times() != 1 {
		t.Errorf("asked %d times: %s", f.times(), diff)
	}
	if again := verify(t, other, "alice@Acme.example"); cmp.Diff(want, again) != "" {
		t.Errorf("from memory: %s", cmp.Diff(want, again))
	}
	if s := other.Stats(); s.FromStore != 1 || s.FromMemory != 1 || s.Missed != 0 {
		t.Errorf("%+v", s)
	}
}

// TestSpellingsOfAMailboxAreAskedApart: what is remembered is the address that
// was asked about, and not the mailbox that it reaches by its provider's rules.
func TestSpellingsOfAMailboxAreAskedApart(t *testing.T) {
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
	c := newCache(t, Config{Engine: f, Store: openStore(t, t.TempDir(), nil)})
	for i, spelling := range []string{"janedoe@gmail.com", "jane.doe@gmail.com", "janedoe+x@gmail.com", "janedoe@googlemail.com"} {
		if r := verify(t, c, spelling); r.Email != spelling || f.times() != i+1 {
			t.Errorf("%s: asked %d times, about %s", spelling, f.times(), r.Email)
		}
	}
}

// TestWhatIsAboutUsStaysHere: another node may have another address.
func TestWhatIsAboutUsStaysHere(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	for _, tt := range []struct {
		reason rcpt.Reason
		shared bool
	}{
		{rcpt.ReasonRecipientAccepted, true}, {rcpt.ReasonCatchAll, true}, {rcpt.ReasonMailboxNotFound, true}, {rcpt.ReasonDomainNotFound, true}, {rcpt.ReasonGreylisted, true},
		{rcpt.ReasonBlocked, false}, {rcpt.ReasonRateLimited, false}, {rcpt.ReasonConnectionFailed, false}, {rcpt.ReasonDNSTemporary, false}, {rcpt.ReasonLevelReached, false},
	} {
		f := &fake{says: always(tt.reason, nil)}
		one, other := newCache(t, Config{Engine: f, Store: s}), newCache(t, Config{Engine: f, Store: s})
		address := string(tt.reason) + "@acme.example"
		verify(t, one, address)
		if _, ok := one.Recall(t.Context(), address); !ok {
			t.Errorf("%s: not remembered here", tt.reason)
		}
		if _, ok := other.Recall(t.Context(), address); ok != tt.shared {
			t.Errorf("%s: remembered there %t", tt.reason, ok)
		}
	}
}

// TestRestart: what was found out, and what is to be asked again, outlives the
// process.
func TestRestart(t *testing.T) {
	dir, now := t.TempDir(), &clock{}
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
	before := openStore(t, dir, now.Now)
	c := newCache(t, Config{Engine: f, Store: before, Fingerprint: func() string { return "lists 1" }, Egress: "e", Now: now.Now})
	first := verify(t, c, "alice@acme.example")
	f.willSay(always(rcpt.ReasonGreylisted, nil))
	verify(t, c, "bob@acme.example")
	check(t, before.Close())

	after := openStore(t, dir, now.Now)
	c = newCache(t, Config{Engine: f, Store: after, Fingerprint: func() string { return "lists 1" }, Egress: "e", Now: now.Now})
	if r := verify(t, c, "alice@acme.example"); !r.Details.Cached || !r.CheckedAt.Equal(first.CheckedAt) {
		t.Errorf("%+v", r.Details)
	}
	if r := verify(t, c, "bob@acme.example"); !r.Details.Cached || r.RetryAfter() > 5*time.Minute || r.RetryAfter() < 200*time.Second {
		t.Errorf("%+v", r.Details)
	}
	now.advance(306 * time.Second)
	f.willSay(always(rcpt.ReasonMailboxNotFound, func(r *rcpt.Result) { checked(r, now.Now()) }))
	running(t, c)
	testkit.Eventually(t, "the greylisted address is settled", func() bool { return c.Stats().RechecksSettled == 1 })
	testkit.Eventually(t, "none waits", func() bool { waiting, err := c.Waiting(t.Context()); return err == nil && waiting == 0 })
	if r := verify(t, c, "bob@acme.example"); r.Verdict != rcpt.VerdictUndeliverable || !r.Details.Cached || f.times() != 3 {
		t.Errorf("%+v, asked %d times", r, f.times())
	}
	other := newCache(t, Config{Engine: f, Store: after, Fingerprint: func() string { return "lists 2" }, Now: now.Now})
	if r, ok := other.Recall(t.Context(), "alice@acme.example"); ok {
		t.Errorf("beside other lists: %+v", r)
	}
}

// TestForgetEverywhere: other nodes forget what they have in memory, too.
func TestForgetEverywhere(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
	one, other := newCache(t, Config{Engine: f, Store: s}), newCache(t, Config{Engine: f, Store: s})
	running(t, other)
	verify(t, one, "alice@acme.example")
	verify(t, other, "alice@acme.example")
	testkit.Eventually(t, "the other watches, and forgets", func() bool {
		check(t, one.Forget(t.Context()))
		_, there := other.Recall(t.Context(), "alice@acme.example")
		return !there
	})
	if _, here := one.Recall(t.Context(), "alice@acme.example"); here {
		t.Error("remembered where it was to be forgotten")
	}
	testkit.Eventually(t, "it remembers what comes after the last of them", func() bool {
		verify(t, other, "alice@acme.example")
		_, there := other.Recall(t.Context(), "alice@acme.example")
		return there
	})
}

// TestTwoNodesRecheckOnce: the node that claims an address asks, the other
// does not.
func TestTwoNodesRecheckOnce(t *testing.T) {
	now := &clock{}
	s := openStore(t, t.TempDir(), now.Now)
	f := &fake{says: always(rcpt.ReasonGreylisted, nil)}
	config := Config{Engine: f, Store: s, Egress: "e", Now: now.Now}
	one, other := newCache(t, config), newCache(t, config)
	for _, address := range []string{"alice@acme.example", "bob@acme.example", "carol@acme.example"} {
		verify(t, one, address)
	}
	check(t, s.Flush(t.Context()))
	elsewhere := newCache(t, Config{Engine: &fake{says: always(rcpt.ReasonBlocked, nil)}, Store: s, Egress: "another", Now: now.Now})
	now.advance(306 * time.Second)
	f.willSay(always(rcpt.ReasonRecipientAccepted, func(r *rcpt.Result) { checked(r, now.Now()) }))
	running(t, elsewhere)
	running(t, one)
	running(t, other)
	testkit.Eventually(t, "all are settled", func() bool { return one.Stats().RechecksSettled+other.Stats().RechecksSettled == 3 })
	testkit.Eventually(t, "none waits", func() bool { waiting, err := s.Rechecks(t.Context()); return err == nil && waiting == 0 })
	if f.times() != 6 || elsewhere.Stats().RechecksAsked != 0 {
		t.Errorf("asked %d times, %d from elsewhere", f.times(), elsewhere.Stats().RechecksAsked)
	}
	for _, c := range []*Cache{one, other, elsewhere} {
		if r, ok := c.Recall(t.Context(), "bob@acme.example"); !ok || r.Verdict != rcpt.VerdictDeliverable {
			t.Errorf("%t %+v", ok, r)
		}
	}
}

// TestGivenUpInTheStore: a re-check that is put off again is not scheduled anew
// by its own question.
func TestGivenUpInTheStore(t *testing.T) {
	now := &clock{}
	s := openStore(t, t.TempDir(), now.Now)
	f := &fake{says: always(rcpt.ReasonGreylisted, func(r *rcpt.Result) { checked(r, now.Now()) })}
	c := newCache(t, Config{Engine: f, Store: s, Now: now.Now})
	verify(t, c, "alice@acme.example")
	for range 10 {
		check(t, s.Flush(t.Context()))
		now.advance(2 * time.Hour / 3)
		due, err := c.due(t.Context(), 1)
		check(t, err)
		for _, r := range due {
			c.recheck(t.Context(), r)
		}
	}
	check(t, s.Flush(t.Context()))
	wantWaiting(t, c, 0)
	if f.times() != 1+recheckTries || c.Stats().RechecksGivenUp != 1 {
		t.Errorf("asked %d times, %+v", f.times(), c.Stats())
	}
}

// TestStoreFails: requests are answered, and do not all wait for it.
func TestStoreFails(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	f := &fake{says: always(rcpt.ReasonGreylisted, nil)}
	c := newCache(t, Config{Engine: f, Store: s})
	check(t, s.Close())
	for range 3 {
		if r := verify(t, c, "alice@acme.example"); r.Reason != rcpt.ReasonGreylisted {
			t.Errorf("%+v", r)
		}
	}
	verify(t, c, "bob@acme.example")
	if f.times() != 2 || c.Stats().Unreadable != 1 {
		t.Errorf("asked %d times, %+v", f.times(), c.Stats())
	}
	if c.Forget(t.Context()) == nil {
		t.Error("all is forgotten, it says")
	}
	if _, ok := c.Recall(t.Context(), "alice@acme.example"); ok {
		t.Error("remembered")
	}
	if _, err := c.Waiting(t.Context()); err == nil {
		t.Error("it knows how many wait")
	}
	c.recheck(t.Context(), store.Recheck{Address: "alice@acme.example", Attempts: 1, GiveUp: time.Now().Add(time.Hour)})
	if f.times() != 3 {
		t.Error("a re-check that was not done")
	}
}

// TestRecordOfALaterVersion is not believed.
func TestRecordOfALaterVersion(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	c := newCache(t, Config{Engine: &fake{}, Store: s})
	for _, text := range []string{"", "[]", `{"details":3}`, "\x00"} {
		s.PutVerdict("alice@acme.example", store.Verdict{Result: []byte(text), Checked: time.Now(), Expires: time.Now().Add(time.Hour)})
		if r, ok := c.Recall(t.Context(), "alice@acme.example"); ok {
			t.Errorf("%q: %+v", text, r)
		}
	}
}
