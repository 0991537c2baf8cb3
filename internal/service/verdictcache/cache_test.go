package verdictcache

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

func TestNew(t *testing.T) {
	for name, config := range map[string]Config{"no engine": {}, "entries": {Engine: &fake{}, Entries: -1}, "timeout": {Engine: &fake{}, Timeout: -1}} {
		if _, err := New(config); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// TestRemember tries each kind of result just before it ends and at its end.
func TestRemember(t *testing.T) {
	for _, tt := range []struct {
		reason rcpt.Reason
		hint   time.Duration
		lasts  time.Duration
	}{
		{rcpt.ReasonRecipientAccepted, 0, 12 * time.Hour},
		{rcpt.ReasonCatchAll, 0, 12 * time.Hour},
		{rcpt.ReasonMailboxNotFound, 0, 6 * time.Hour},
		{rcpt.ReasonDomainNotFound, 0, time.Hour},
		{rcpt.ReasonBlocked, 0, 10 * time.Minute},
		{rcpt.ReasonGreylisted, 90 * time.Second, 90 * time.Second},
		{rcpt.ReasonGreylisted, 24 * time.Hour, time.Hour},
		{rcpt.ReasonTemporaryFailure, 15 * time.Minute, 10 * time.Minute},
		{rcpt.ReasonDNSTemporary, time.Minute, time.Minute},
	} {
		t.Run(string(tt.reason), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{says: always(tt.reason, func(r *rcpt.Result) { hint(r, tt.hint) })}
				c := newCache(t, Config{Engine: f})
				first := verify(t, c, "alice@acme.example")
				time.Sleep(tt.lasts - time.Second)
				second := verify(t, c, "alice@acme.example")
				if first.Details.Cached || !second.Details.Cached || f.times() != 1 {
					t.Errorf("cached %t, then %t; asked %d times", first.Details.Cached, second.Details.Cached, f.times())
				}
				if !second.CheckedAt.Equal(first.CheckedAt) || second.Verdict != first.Verdict {
					t.Errorf("%+v, then %+v", first, second)
				}
				if want := max(0, tt.hint-(tt.lasts-time.Second)); second.RetryAfter() != want {
					t.Errorf("retry after %v, want %v", second.RetryAfter(), want)
				}
				time.Sleep(time.Second)
				if third := verify(t, c, "alice@acme.example"); third.Details.Cached || f.times() != 2 {
					t.Error("it lasts longer")
				}
			})
		})
	}
}

// TestKeep: results are forgotten earlier where so it is set, in memory as in
// the store.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
		c := newCache(t, Config{Engine: f, Keep: 20 * time.Minute})
		for _, want := range []int{1, 1, 1, 2} { // after 0, 9, 18 and 27 minutes
			if verify(t, c, "alice@acme.example"); f.times() != want {
				t.Errorf("asked %d times, want %d", f.times(), want)
			}
			time.Sleep(9 * time.Minute)
		}
	})
}

func TestNotRemembered(t *testing.T) {
	for name, tt := range map[string]struct {
		address string
		says    func(context.Context, string) (rcpt.Result, error)
	}{
		"impossible syntax": {"alice@@acme.example", always(rcpt.ReasonInvalidSyntax, nil)},
		"not carried out": {"alice@acme.example", func(_ context.Context, given string) (rcpt.Result, error) {
			return resultOf(given, rcpt.ReasonInternalError), errors.New("no descriptors")
		}},
		"success false alone": {"alice@acme.example", always(rcpt.ReasonInternalError, nil)},
	} {
		f := &fake{says: tt.says}
		c := newCache(t, Config{Engine: f})
		for range 2 {
			if r, _ := c.Verify(t.Context(), tt.address); r.Email != tt.address || r.Details.Cached {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if _, ok := c.Recall(t.Context(), tt.address); ok || f.times() != 2 {
			t.Errorf("%s: recalled %t, asked %d times", name, ok, f.times())
		}
	}
}

// TestSpellings: one mailbox, many spellings; each caller sees its own.
func TestSpellings(t *testing.T) {
	f := &fake{says: func(_ context.Context, given string) (rcpt.Result, error) {
		r := resultOf(given, rcpt.ReasonRecipientAccepted)
		r.Suggestion = r.Local + "@meant.example"
		return r, nil
	}}
	c := newCache(t, Config{Engine: f})
	for _, tt := range []struct{ given, user string }{
		{"Info@Bücher.example", "Info"},
		{"Info@xn--bcher-kva.example", "Info"},
		{"Info@BÜCHER.example", "Info"},
		{`"Info"@bücher.example`, `"Info"`},
	} {
		r := verify(t, c, tt.given)
		if r.Email != tt.given || r.Local != tt.user || r.Domain != "xn--bcher-kva.example" || r.Suggestion != tt.user+"@meant.example" {
			t.Errorf("%s: %+v %+v", tt.given, r, r.Details)
		}
	}
	if f.times() != 1 {
		t.Errorf("asked %d times", f.times())
	}
	if verify(t, c, "info@bücher.example"); f.times() != 2 {
		t.Error("a local-part in other letters is another mailbox")
	}
}

// TestIrregularSpellings checks that an irregular address does not share the
// result of the regular one that its mail host is asked about: what is
// irregular about it is a part of the result.
func TestIrregularSpellings(t *testing.T) {
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
	c := newCache(t, Config{Engine: f})
	long := strings.Repeat("a", 70) + "@acme.example"
	for n, given := range []string{
		"alice@acme.example", "alice@acme.example.", `"a..b"@docomo.ne.jp`, "a..b@docomo.ne.jp", long, "alice@a_b.example",
	} {
		for range 2 {
			if r := verify(t, c, given); r.Email != given || f.times() != n+1 {
				t.Errorf("%s: %s, asked %d times", given, r.Email, f.times())
			}
		}
	}
	if r := verify(t, c, "alice@A_B.example"); r.Email != "alice@A_B.example" || f.times() != 6 {
		t.Errorf("%s, asked %d times: letters of a domain have no case", r.Email, f.times())
	}
}

// TestAnswerIsTheCallersOwn: what a caller changes, others do not see.
func TestAnswerIsTheCallersOwn(t *testing.T) {
	c := newCache(t, Config{Engine: &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}})
	for range 3 {
		r := verify(t, c, "alice@acme.example")
		if r.Reason != rcpt.ReasonRecipientAccepted {
			t.Errorf("reason %s", r.Reason)
		}
		r.Reason = "spoiled"
	}
}

func TestFreshRemembers(t *testing.T) {
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
	c := newCache(t, Config{Engine: f})
	for range 2 {
		if r, _ := c.VerifyWith(t.Context(), "alice@acme.example", fresh); r.Details.Cached {
			t.Error("a remembered result")
		}
	}
	f.willSay(always(rcpt.ReasonMailboxNotFound, nil))
	_, _ = c.VerifyWith(t.Context(), "alice@acme.example", fresh)
	if r, ok := c.Recall(t.Context(), "alice@acme.example"); !ok || r.Verdict != rcpt.VerdictUndeliverable || !r.Details.Cached || f.times() != 3 {
		t.Errorf("%t %+v", ok, r)
	}
	if s := c.Stats(); s.FromMemory != 1 || s.Missed != 0 || s.Entries != 1 {
		t.Errorf("%+v", s)
	}
}

// TestUnknownTakesNoVerdictsPlace: a fresh verification without an answer
// does not replace one that is remembered.
func TestUnknownTakesNoVerdictsPlace(t *testing.T) {
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
	c := newCache(t, Config{Engine: f})
	verify(t, c, "alice@acme.example")
	f.willSay(always(rcpt.ReasonGreylisted, nil))
	if r, _ := c.VerifyWith(t.Context(), "alice@acme.example", fresh); r.Verdict != rcpt.VerdictUnknown {
		t.Errorf("%+v", r)
	}
	if r := verify(t, c, "alice@acme.example"); r.Verdict != rcpt.VerdictDeliverable {
		t.Errorf("%+v", r)
	}
	if waiting, _ := c.Waiting(t.Context()); waiting != 0 {
		t.Error("a re-check that nobody needs")
	}
}

// TestClockIsSetBack checks that a result from the future is not reused, from
// memory or from the store: its hint to retry would be hours, and a verdict
// would last until the clock has caught up.
func TestClockIsSetBack(t *testing.T) {
	for _, stored := range []bool{false, true} {
		for _, reason := range []rcpt.Reason{rcpt.ReasonRecipientAccepted, rcpt.ReasonGreylisted} {
			now, below := &clock{}, &fake{}
			below.says = always(reason, func(r *rcpt.Result) { checked(r, now.Now().Round(0).UTC()) })
			config := Config{Engine: below, Now: now.Now}
			if stored {
				config.Store = openStore(t, t.TempDir(), now.Now)
			}
			c := newCache(t, config)
			verify(t, c, "user@acme.example")
			if stored {
				if err := config.Store.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				c.memory.clear()
			}
			now.advance(-30 * time.Minute)
			if r := verify(t, c, "user@acme.example"); r.Details.Cached || r.RetryAfter() > 5*time.Minute {
				t.Errorf("%s, stored %v: cached %v, retry after %v", reason, stored, r.Details.Cached, r.RetryAfter())
			}
			if r := verify(t, c, "user@acme.example"); !r.Details.Cached {
				t.Errorf("%s, stored %v: the new result is not remembered", reason, stored)
			}
		}
	}
}

// TestHurry checks that a caller with little time does not make others believe
// that there is no answer.
func TestHurry(t *testing.T) {
	silence := func(r *rcpt.Result) { r.Details.SMTP = &rcpt.SMTPAnswer{Phase: smtp.PhaseGreeting} }
	for _, tt := range []struct {
		name   string
		reason rcpt.Reason
		change func(*rcpt.Result)
		time   time.Duration
		cached bool
	}{
		{"silence", rcpt.ReasonConnectionTimeout, silence, 5 * time.Second, false},
		{"silence all along", rcpt.ReasonConnectionTimeout, silence, 30 * time.Second, true},
		{"no DNS", rcpt.ReasonDNSTemporary, func(r *rcpt.Result) { r.Details.SMTP = nil }, 5 * time.Second, false},
		{"the random recipient was not answered", rcpt.ReasonControlInconclusive, nil, 5 * time.Second, false},
		{"a refusal", rcpt.ReasonGreylisted, nil, 5 * time.Second, true},
		{"a verdict", rcpt.ReasonRecipientAccepted, nil, 5 * time.Second, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newCache(t, Config{Engine: &fake{says: always(tt.reason, tt.change)}})
			_, _ = c.VerifyWith(t.Context(), "alice@acme.example", engine.VerifyOptions{Timeout: tt.time})
			if _, ok := c.Recall(t.Context(), "alice@acme.example"); ok != tt.cached {
				t.Errorf("%s: remembered %t", tt.name, ok)
			}
		})
	}
}

func TestForget(t *testing.T) {
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
	c := newCache(t, Config{Engine: f})
	verify(t, c, "alice@acme.example")
	if err := c.Forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, c, "alice@acme.example"); r.Details.Cached {
		t.Error("remembered")
	}
}

// TestForgetWhileAsking: what began before is not remembered after, neither
// here nor in the store, and nobody joins it.
func TestForgetWhileAsking(t *testing.T) {
	f := &fake{}
	c := newCache(t, Config{Engine: f, Store: openStore(t, t.TempDir(), nil)})
	f.willSay(func(ctx context.Context, given string) (rcpt.Result, error) {
		return resultOf(given, rcpt.ReasonRecipientAccepted), c.Forget(ctx)
	})
	verify(t, c, "alice@acme.example")
	if _, ok := c.Recall(t.Context(), "alice@acme.example"); ok {
		t.Error("remembered")
	}
}

func TestNobodyJoinsWhatIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: takes(10 * time.Second)}
		c := newCache(t, Config{Engine: f})
		time.AfterFunc(time.Second, func() { check(t, c.Forget(t.Context())) })
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 2 * time.Second)
				if _, err := c.Verify(t.Context(), "alice@acme.example"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if f.times() != 2 {
			t.Errorf("asked %d times", f.times())
		}
	})
}

func TestFingerprintChangesWhileAsking(t *testing.T) {
	fingerprint := "old"
	f := &fake{says: func(_ context.Context, given string) (rcpt.Result, error) {
		fingerprint = "new"
		return resultOf(given, rcpt.ReasonRecipientAccepted), nil
	}}
	c := newCache(t, Config{Engine: f, Fingerprint: func() string { return fingerprint }})
	verify(t, c, "alice@acme.example")
	if _, ok := c.Recall(t.Context(), "alice@acme.example"); ok {
		t.Error("remembered")
	}
}

func TestKeepNothing(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	f := &fake{says: always(rcpt.ReasonGreylisted, nil)}
	c := newCache(t, Config{Engine: f, Store: s, KeepNothing: true})
	for range 2 {
		verify(t, c, "alice@acme.example")
	}
	f.willSay(always(rcpt.ReasonRecipientAccepted, nil))
	verify(t, c, "alice@acme.example")
	c.Run(t.Context()) // returns: there is nothing to do
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verdict(t.Context(), "alice@acme.example"); err == nil {
		t.Error("a stored verdict")
	}
	waiting, err := s.Rechecks(t.Context())
	if own, _ := c.Waiting(t.Context()); err != nil || waiting != 0 || own != 0 || f.times() != 3 {
		t.Errorf("%d wait (%v), asked %d times", waiting, err, f.times())
	}
	if _, ok := c.Recall(t.Context(), "alice@acme.example"); ok || c.Forget(t.Context()) != nil {
		t.Error("remembered")
	}
}

// TestMemoryIsBounded: the room is for octets, whatever mail hosts make long.
func TestMemoryIsBounded(t *testing.T) {
	long := make([]smtp.Line, 1000)
	c := newCache(t, Config{Entries: 100, Engine: &fake{says: always(rcpt.ReasonRecipientAccepted, func(r *rcpt.Result) { r.Details.Transcript = long })}})
	remembered := 0
	for i := range 100 {
		verify(t, c, string(rune('a'+i/10))+string(rune('a'+i%10))+"@acme.example")
	}
	for i := range 100 {
		if _, ok := c.Recall(t.Context(), string(rune('a'+i/10))+string(rune('a'+i%10))+"@acme.example"); ok {
			remembered++
		}
	}
	if remembered == 0 || remembered > 4 {
		t.Errorf("%d results of 40 kB are remembered in 150 kB", remembered)
	}
}

// TestHashesMayCollide: of two mailboxes with one hash, none gets the other's
// result.
func TestHashesMayCollide(t *testing.T) {
	c := newCache(t, Config{Engine: &fake{says: always(rcpt.ReasonMailboxNotFound, nil)}})
	alice, _ := read("alice@acme.example")
	bob, _ := read("bob@acme.example")
	kept := newRemembered(alice, resultOf("alice@acme.example", rcpt.ReasonMailboxNotFound), 0)
	c.memory.put(bob, kept)
	if r, ok := c.Recall(t.Context(), "bob@acme.example"); ok {
		t.Errorf("%s", cmp.Diff(nil, r))
	}
}

func BenchmarkRecall(b *testing.B) {
	c := newCache(b, Config{Engine: &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}})
	for _, given := range []string{"info@acme.example", "John.Smith@Acme.Example", "Info@Bücher.example", "info@xn--bcher-kva.example"} {
		verify(b, c, given)
		b.Run(given, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r, ok := c.Recall(b.Context(), given); !ok || r.Email != given {
					b.Fatal("not remembered")
				}
			}
		})
	}
}

// TestWhatCameTooLate: a result that got into memory while all was being
// forgotten is not recalled.
func TestWhatCameTooLate(t *testing.T) {
	c := newCache(t, Config{Engine: &fake{}})
	m, _ := read("alice@acme.example")
	check(t, c.Forget(t.Context()))
	c.memory.put(m, newRemembered(m, resultOf(m.given, rcpt.ReasonRecipientAccepted), 0))
	if _, ok := c.Recall(t.Context(), m.given); ok {
		t.Error("remembered")
	}
}

// TestForgetUnderLoad: what is remembered after the last Forget was asked after
// it.
func TestForgetUnderLoad(t *testing.T) {
	var edition atomic.Int64
	f := &fake{says: func(_ context.Context, given string) (rcpt.Result, error) {
		r := resultOf(given, rcpt.ReasonRecipientAccepted)
		r.Message = strconv.FormatInt(edition.Load(), 10)
		return r, nil
	}}
	c := newCache(t, Config{Engine: f})
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 2000 {
				given := strconv.Itoa(n%50) + "@acme.example"
				before := edition.Load()
				r, err := c.Verify(t.Context(), given)
				if asked, _ := strconv.ParseInt(r.Message, 10, 64); err != nil || asked < before-1 {
					t.Errorf("an answer of edition %d after edition %d: %v", asked, before, err)
				}
				if i == 0 && n%100 == 0 {
					edition.Add(1)
					check(t, c.Forget(t.Context()))
				}
			}
		})
	}
	all.Wait()
}

// TestRequestIsNotKept: an address that is a piece of a long request does not
// hold all of it in memory.
func TestRequestIsNotKept(t *testing.T) {
	for _, given := range []string{"alice@acme.example", "alice@bücher.example"} {
		c := newCache(t, Config{Engine: &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}})
		request := strings.Repeat("k", 1000) + given
		piece := request[1000:]
		verify(t, c, piece)
		m, _ := c.read(given)
		kept, ok := c.memory.get(m)
		if !ok {
			t.Fatal("not remembered")
		}
		pieces := map[string]string{"email": kept.result.Email, "user": kept.result.Local, "local": kept.local}
		if spelling, ok := c.memory.spellings.Get(given); ok {
			pieces["spelling"], pieces["spelling's local"] = spelling.given, spelling.local
		}
		for name, text := range pieces {
			if start, at := whereIs(request), whereIs(text); at >= start && at < start+uintptr(len(request)) {
				t.Errorf("%s: the %s is a piece of the request", given, name)
			}
		}
	}
}

// whereIs is where in memory a text is.
func whereIs(text string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(text))) }
