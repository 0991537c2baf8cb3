//go:build unix

package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/testkit"
)

func someWebhook(key string) Webhook {
	return Webhook{Key: key, Job: "job_1", Event: "job.completed", URL: "https://receiver.example/hook", Body: json.RawMessage(`{"type":"job.completed"}`)}
}

// outbox is a store with a clock, and shorthands for what a sender does.
type outbox struct {
	*Store
	t   *testing.T
	now *testkit.Clock
}

func onOutboxes(t *testing.T, test func(t *testing.T, o *outbox)) {
	onEngines(t, func(t *testing.T, options Options) {
		now := newClock()
		options.Now = now.Now
		test(t, &outbox{open(t, options), t, now})
	})
}

func (o *outbox) add(w Webhook) Webhook {
	o.t.Helper()
	added, err := o.AddWebhook(o.t.Context(), ByCommand("test"), w)
	check(o.t, err)
	return added
}

// claim claims all that is due and checks which they are.
func (o *outbox) claim(want ...string) []ClaimedWebhook {
	o.t.Helper()
	claimed, err := o.ClaimWebhooks(o.t.Context(), 10, 10, 10, time.Minute)
	check(o.t, err)
	var got []string
	for _, w := range claimed {
		got = append(got, w.ID)
	}
	if !slices.Equal(got, want) {
		o.t.Fatalf("claimed %q, want %q", got, want)
	}
	return claimed
}

func (o *outbox) settle(w ClaimedWebhook, status int, state WebhookState, in time.Duration) {
	o.t.Helper()
	check(o.t, o.SettleWebhook(o.t.Context(), w, WebhookTry{At: o.now.Now(), Status: status}, state, o.now.Now().Add(in)))
}

func (o *outbox) wantState(id string, state WebhookState, tries int) {
	o.t.Helper()
	w, log, err := o.Webhook(o.t.Context(), "", id)
	check(o.t, err)
	if w.State != state || w.Tries != tries || len(log) != min(tries, maxWebhookTries) || (state == WebhookPending) == w.Next.IsZero() {
		o.t.Errorf("%+v with %d tries in the log, want %s after %d", w, len(log), state, tries)
	}
}

func TestWebhookIsSentUntilItIsConfirmed(t *testing.T) {
	onOutboxes(t, func(t *testing.T, o *outbox) {
		w := o.add(someWebhook("fixed"))
		if !strings.HasPrefix(w.ID, "msg_") || strings.Contains(w.ID, ".") || w.State != WebhookPending {
			t.Errorf("%+v", w)
		}
		first := o.claim(w.ID)[0]
		if diff := cmp.Diff(w, first.Webhook); diff != "" || first.Step != 0 {
			t.Error("claimed (-added +claimed):", diff)
		}
		o.claim() // it belongs to the first
		o.now.Advance(time.Minute)
		second := o.claim(w.ID)[0] // its lease has run out
		wantError(t, o.SettleWebhook(t.Context(), first, WebhookTry{}, WebhookDelivered, time.Time{}), ErrLeaseLost)
		o.settle(second, 500, WebhookPending, 5*time.Second)
		o.claim()
		o.now.Advance(5 * time.Second)
		third := o.claim(w.ID)[0]
		if third.Step != 1 {
			t.Errorf("step %d", third.Step)
		}
		o.wantState(w.ID, WebhookPending, 1)
		o.settle(third, 204, WebhookDelivered, 0)
		o.wantState(w.ID, WebhookDelivered, 2)
		o.now.Advance(time.Hour)
		o.claim()

		again, err := o.ResendWebhook(t.Context(), ByCommand("test"), "fixed", w.ID)
		check(t, err)
		if again.ID != w.ID || again.State != WebhookPending {
			t.Errorf("%+v", again)
		}
		if fourth := o.claim(w.ID)[0]; fourth.Step != 0 || fourth.Tries != 2 {
			t.Errorf("%+v", fourth)
		}
	})
}

// TestLogOfTriesIsBounded: people may resend a webhook any number of times.
func TestLogOfTriesIsBounded(t *testing.T) {
	o := &outbox{open(t, sqliteEngine.empty(t)), t, newClock()}
	w := o.add(someWebhook("a"))
	const tries = maxWebhookTries + 3
	for range tries {
		_, err := o.ResendWebhook(t.Context(), ByCommand("test"), "", w.ID)
		check(t, err)
		o.settle(o.claim(w.ID)[0], 200, WebhookDelivered, 0)
	}
	o.wantState(w.ID, WebhookDelivered, tries)
}

func TestReceiverThatIsGone(t *testing.T) {
	onOutboxes(t, func(t *testing.T, o *outbox) {
		first, beside, other := o.add(someWebhook("a")), o.add(someWebhook("a")), o.add(someWebhook("b"))
		claimed, err := o.ClaimWebhooks(t.Context(), 10, 10, 10, time.Minute)
		check(t, err)
		byID := map[string]ClaimedWebhook{}
		for _, c := range claimed {
			byID[c.ID] = c
		}
		o.settle(byID[first.ID], 410, WebhookDisabled, 0)
		o.wantState(first.ID, WebhookDisabled, 1)
		o.wantState(beside.ID, WebhookDisabled, 0)
		o.wantState(other.ID, WebhookPending, 0) // of another key
		wantError(t, o.SettleWebhook(t.Context(), byID[beside.ID], WebhookTry{}, WebhookPending, o.now.Now()), ErrLeaseLost)
		o.settle(byID[other.ID], 200, WebhookDelivered, 0)
		if later := o.add(someWebhook("a")); later.State != WebhookDisabled {
			t.Errorf("%+v", later)
		}
		trial := someWebhook("a")
		trial.Job = ""
		trial = o.add(trial)
		o.settle(o.claim(trial.ID)[0], 200, WebhookDelivered, 0)
		if later := o.add(someWebhook("a")); later.State != WebhookPending {
			t.Errorf("after a test that was confirmed: %+v", later)
		}
	})
}

func TestWebhookSecrets(t *testing.T) {
	onOutboxes(t, func(t *testing.T, o *outbox) {
		ctx := t.Context()
		key := someKey(t, o.Store, "a")
		signs := func(key string, want ...string) {
			t.Helper()
			w := o.add(someWebhook(key))
			claimed := o.claim(w.ID)[0]
			if len(want) > 0 && !slices.Equal(claimed.Secrets, want) || len(claimed.Secrets) == 0 {
				t.Errorf("signed with %q, want %q", claimed.Secrets, want)
			}
			o.settle(claimed, 200, WebhookDelivered, 0)
		}
		if secret, err := o.WebhookSecret(ctx, key.ID); err != nil || secret != (WebhookSecret{}) {
			t.Errorf("%+v %v", secret, err)
		}
		signs(key.ID) // with one that nobody has seen
		var secrets []string
		for range 3 {
			secret, err := o.RotateWebhookSecret(ctx, ByCommand("test"), key.ID, o.now.Now().Add(time.Hour))
			check(t, err)
			secrets = append([]string{secret}, secrets...)
		}
		signs(key.ID, secrets[:2]...)
		successor, err := o.RotateKey(ctx, ByCommand("test"), key.ID, HashOf("b"), o.now.Now().Add(time.Hour))
		check(t, err)
		signs(successor.ID, secrets[:2]...)
		secret, err := o.WebhookSecret(ctx, successor.ID)
		check(t, err)
		if !secret.Created.Equal(o.now.Now()) || !secret.PreviousUntil.Equal(o.now.Now().Add(time.Hour)) {
			t.Errorf("%+v", secret)
		}
		o.now.Advance(time.Hour)
		check(t, o.Purge(ctx))
		wantRows(t, o.Store, "webhook_secrets", 1)
		signs(key.ID, secrets[0])
	})
}

func TestWebhooksOfAKey(t *testing.T) {
	onOutboxes(t, func(t *testing.T, o *outbox) {
		ctx := t.Context()
		old := someKey(t, o.Store, "a")
		var ids []string
		for i := range 5 {
			w := someWebhook(old.ID)
			w.Job = fmt.Sprint("job_", i)
			ids = append(ids, o.add(w).ID)
			o.now.Advance(time.Millisecond)
		}
		slices.Reverse(ids)
		fresh, err := o.RotateKey(ctx, ByCommand("test"), old.ID, HashOf("b"), o.now.Now().Add(time.Hour))
		check(t, err)
		stranger := o.add(someWebhook("stranger"))
		list := func(q WebhookQuery, want ...string) {
			t.Helper()
			all, err := o.Webhooks(ctx, q)
			check(t, err)
			var got []string
			for _, w := range all {
				got = append(got, w.ID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: %q, want %q", q, got, want)
			}
		}
		list(WebhookQuery{Key: fresh.ID, Limit: 2}, ids[0], ids[1])
		list(WebhookQuery{Key: fresh.ID, Limit: 2, Before: ids[1]}, ids[2], ids[3])
		list(WebhookQuery{Key: old.ID, Job: "job_0", Limit: 9}, ids[4])
		list(WebhookQuery{Key: old.ID, State: WebhookFailed, Limit: 9})
		list(WebhookQuery{Limit: 2}, stranger.ID, ids[0])
		_, _, err = o.Webhook(ctx, fresh.ID, stranger.ID)
		wantError(t, err, ErrNotFound)
		_, err = o.ResendWebhook(ctx, ByCommand("test"), fresh.ID, stranger.ID)
		wantError(t, err, ErrNotFound)
		_, _, err = o.Webhook(ctx, fresh.ID, ids[0])
		check(t, err)
		for _, wrong := range []Webhook{
			{}, {Key: "a", Event: "e", URL: "u"}, {Key: "a", Event: "e", URL: strings.Repeat("u", 2001), Body: json.RawMessage(`1`)},
			{Key: "a", Event: "e", URL: "u", Body: json.RawMessage(`"` + strings.Repeat("x", maxWebhookBody) + `"`)},
		} {
			_, err := o.AddWebhook(ctx, ByCommand("test"), wrong)
			wantError(t, err, ErrInvalid)
		}
		for _, w := range o.claim(slices.Concat(reversed(ids), []string{stranger.ID})...)[1:] {
			o.settle(w, 200, WebhookDelivered, 0)
		}
		o.now.Advance(o.retention.Webhooks)
		check(t, o.Purge(ctx))
		list(WebhookQuery{Limit: 9}, ids[4]) // it is still to be sent
		wantRows(t, o.Store, "webhook_tries", 0)
	})
}

func reversed(texts []string) []string {
	texts = slices.Clone(texts)
	slices.Reverse(texts)
	return texts
}

// TestWebhookIsClaimedOnce has many claim at once, on two nodes where the
// engine allows; and one key's many webhooks leave room for another's.
func TestWebhookIsClaimedOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		nodes := []*Store{open(t, o)}
		if o.DatabaseURL != "" {
			nodes = append(nodes, open(t, o))
		}
		const many, perKey = 100, 3
		for range many {
			_, err := nodes[0].AddWebhook(t.Context(), ByCommand("test"), someWebhook("many"))
			check(t, err)
		}
		_, err := nodes[0].AddWebhook(t.Context(), ByCommand("test"), someWebhook("few"))
		check(t, err)
		for range 2 {
			claimed, err := nodes[0].ClaimWebhooks(t.Context(), 10, perKey, many, time.Hour)
			check(t, err)
			keys := map[string]int{}
			for _, w := range claimed {
				keys[w.Key]++
			}
			if want := (map[string]int{"many": perKey, "few": 1}); len(claimed) > 0 && !cmp.Equal(keys, want) {
				t.Errorf("claimed of %v, want %v, and nothing afterwards", keys, want)
			}
		}
		var mu sync.Mutex
		seen := map[string]int{}
		noErrors(t, together(6, func(i int) error {
			for idle := 0; idle < 3; {
				claimed, err := nodes[i%len(nodes)].ClaimWebhooks(t.Context(), 7, many, 2*many, time.Hour)
				if err != nil {
					return err
				}
				mu.Lock()
				for _, w := range claimed {
					seen[w.ID]++
				}
				mu.Unlock()
				if len(claimed) == 0 {
					idle++
				}
			}
			return nil
		}))
		for id, times := range seen {
			if times != 1 {
				t.Errorf("%s was claimed %d times", id, times)
			}
		}
		if len(seen) != many-perKey {
			t.Errorf("%d of %d were claimed", len(seen), many-perKey)
		}
	})
}

// TestHangingReceivers: receivers that hang hold up their own webhooks only:
// whoever's keys they are of, another receiver's is claimed at once, also one
// of the same key.
func TestHangingReceivers(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		add := func(key, url string) {
			t.Helper()
			w := someWebhook(key)
			w.URL, w.Job = url, "job"
			_, err := s.AddWebhook(ctx, ByCommand("test"), w)
			check(t, err)
		}
		for i := range 40 {
			add(fmt.Sprint("key", i%4), fmt.Sprintf("https://HANGS%d.example:8443/%d", i%2, i))
		}
		claimed := func(limit, perHost int) map[string]int {
			t.Helper()
			all, err := s.ClaimWebhooks(ctx, limit, 8, perHost, time.Hour)
			check(t, err)
			hosts := map[string]int{}
			for _, w := range all {
				hosts[hostOf(w.URL)]++
			}
			return hosts
		}
		if got, want := claimed(48, 4), map[string]int{"hangs0.example": 4, "hangs1.example": 4}; !cmp.Equal(got, want) {
			t.Errorf("claimed of %v, want %v", got, want)
		}
		add("key0", "https://fine.example/a")
		add("another", "https://fine.example/b")
		add("another", "https://fine.example/c")
		if got, want := claimed(16, 1), map[string]int{"fine.example": 1}; !cmp.Equal(got, want) {
			t.Errorf("of the slots that are kept: %v, want %v", got, want)
		}
		if got, want := claimed(48, 4), map[string]int{"fine.example": 2}; !cmp.Equal(got, want) {
			t.Errorf("then: %v, want %v", got, want)
		}
	})
}

// TestTestsAreLimited: so many of a key are on their way at a time.
func TestTestsAreLimited(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		test := someWebhook("key")
		test.Job = ""
		for range maxTests {
			_, err := s.AddWebhook(t.Context(), ByCommand("test"), test)
			check(t, err)
		}
		_, err := s.AddWebhook(t.Context(), ByCommand("test"), test)
		wantError(t, err, ErrTooMany)
		test.Key = "another"
		_, err = s.AddWebhook(t.Context(), ByCommand("test"), test)
		check(t, err)
	})
}
