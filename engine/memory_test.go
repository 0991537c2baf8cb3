package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func TestRemember(t *testing.T) {
	for _, tt := range []struct {
		name    string
		host    *smtptest.Host
		pause   time.Duration
		again   func(v *engine.Verifier)
		cached  bool
		verdict rcpt.Verdict
	}{
		{"deliverable", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"u": smtptest.Accepts}}, 11 * time.Hour, nil, true, rcpt.VerdictDeliverable},
		{"for half a day", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"u": smtptest.Accepts}}, 13 * time.Hour, nil, false, rcpt.VerdictDeliverable},
		{"undeliverable", &smtptest.Host{}, 5 * time.Hour, nil, true, rcpt.VerdictUndeliverable},
		{"for six hours", &smtptest.Host{}, 7 * time.Hour, nil, false, rcpt.VerdictUndeliverable},
		{"unknown, until it is worth asking again", &smtptest.Host{Greylist: time.Hour, GreylistReply: "451 4.7.1 Greylisted, come back in 60 seconds"}, 59 * time.Second, nil, true, rcpt.VerdictUnknown},
		{"unknown, from then on", &smtptest.Host{Greylist: time.Hour, GreylistReply: "451 4.7.1 Greylisted, come back in 60 seconds"}, 61 * time.Second, nil, false, rcpt.VerdictUnknown},
		{"other lists", &smtptest.Host{}, 0, func(v *engine.Verifier) {
			l, err := lists.New()
			if err != nil {
				t.Fatal(err)
			}
			v.SetLists(l)
		}, false, rcpt.VerdictUndeliverable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				verifier, network, _ := inMemory(t, engine.Config{MaxRemembered: 100}, tt.host)
				first, _ := verifier.Verify(t.Context(), "u@example.test")
				synctest.Wait()
				time.Sleep(tt.pause)
				if tt.again != nil {
					tt.again(verifier)
				}
				dials := len(network.Dials())
				second, err := verifier.Verify(t.Context(), "u@example.test")
				if err != nil || second.Verdict != tt.verdict || first.Verdict != tt.verdict {
					t.Errorf("%s, then %s (%v), want %s", first.Verdict, second.Verdict, err, tt.verdict)
				}
				if first.Details.Cached || second.Details.Cached != tt.cached || tt.cached && len(network.Dials()) != dials {
					t.Errorf("cached: %t, then %t after %d dials, want %t", first.Details.Cached, second.Details.Cached, len(network.Dials())-dials, tt.cached)
				}
				if tt.cached && !second.CheckedAt.Equal(first.CheckedAt) {
					t.Errorf("checked at %v, then %v", first.CheckedAt, second.CheckedAt)
				}
			})
		})
	}
}

func TestRememberedResultIsTheCallersOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier, _, _ := inMemory(t, engine.Config{MaxRemembered: 100}, &smtptest.Host{})
		for range 3 {
			result, _ := verifier.Verify(t.Context(), "u@example.test")
			synctest.Wait()
			if result.Reason != rcpt.ReasonMailboxNotFound {
				t.Errorf("reason %s", result.Reason)
			}
			result.Reason = "spoiled"
		}
	})
}

// A result that rests on lists which were replaced meanwhile is not remembered.
func TestRememberedResultRestsOnTheListsInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier, _, _ := inMemory(t, engine.Config{MaxRemembered: 100}, &smtptest.Host{ReplyDelay: time.Minute / 10})
		l, err := lists.New()
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { verifier.SetLists(l) })
		for range 2 {
			if result, _ := verifier.Verify(t.Context(), "u@example.test"); result.Details.Cached {
				t.Error("a remembered result")
			}
			synctest.Wait()
		}
	})
}

func TestFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier, _, _ := inMemory(t, engine.Config{MaxRemembered: 100}, &smtptest.Host{})
		for range 2 {
			if result, _ := verifier.VerifyWith(t.Context(), "u@example.test", engine.VerifyOptions{Fresh: true}); result.Details.Cached {
				t.Error("a remembered result")
			}
			synctest.Wait()
		}
	})
}

// A result that is remembered.
func BenchmarkVerifyRemembered(b *testing.B) {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax, MaxRemembered: 1000})
	if err != nil {
		b.Fatal(err)
	}
	defer verifier.Close()
	var addresses []string
	for i := range 100 {
		addresses = append(addresses, fmt.Sprintf("user%d@example.com", i))
		for {
			if result, _ := verifier.Verify(b.Context(), addresses[i]); result.Details.Cached {
				break
			}
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if result, _ := verifier.Verify(b.Context(), addresses[i%len(addresses)]); !result.Details.Cached {
			b.Fatal("not remembered")
		}
	}
}

// TestMemoryIsBounded: the room is for octets and not for a number of results,
// whatever callers and mail hosts make long.
func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const room, long = 1000, 50_000 // results of a usual length, and octets of an address
		verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax, MaxRemembered: room})
		if err != nil {
			t.Fatal(err)
		}
		defer verifier.Close()
		addressOf := func(i int) string { return fmt.Sprintf("%d%s@example.test", i, strings.Repeat("x", long)) }
		for i := range room {
			_, _ = verifier.Verify(t.Context(), addressOf(i))
			synctest.Wait()
		}
		remembered := 0
		for i := range room {
			if result, _ := verifier.Verify(t.Context(), addressOf(i)); result.Details.Cached {
				remembered++
			}
		}
		if remembered > room*1500/long {
			t.Errorf("%d results of %d octets are remembered in the room for %d of 1500", remembered, long, room)
		}
	})
}
