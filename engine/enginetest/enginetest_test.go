package enginetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func alice() *smtptest.Host {
	return &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}}
}

func TestWorld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := enginetest.New(t)
		world.Domain("example.org", alice())
		world.Domain("all.example", &smtptest.Host{CatchAll: true})
		world.Domain("down.example", nil)
		verifier := world.Verifier(engine.Config{})
		for address, want := range map[string]rcpt.Reason{
			"alice@example.org": rcpt.ReasonRecipientAccepted, "alcie@example.org": rcpt.ReasonMailboxNotFound,
			"anyone@all.example": rcpt.ReasonCatchAll, "a@down.example": rcpt.ReasonConnectionFailed, "a@nowhere.example": rcpt.ReasonDomainNotFound,
		} {
			if r, err := verifier.Verify(t.Context(), address); err != nil || r.Reason != want {
				t.Errorf("%s: %s, %v; want %s", address, r.Reason, err, want)
			}
		}
	})
}

// TestResultsAreTheSame checks that evidence and results can be kept as golden
// files, times included.
func TestResultsAreTheSame(t *testing.T) {
	var first string
	for i := range 20 {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var told []engine.Evidence
			world := enginetest.New(t)
			world.Domain("example.org", alice())
			world.Domain("all.example", &smtptest.Host{CatchAll: true, Greylist: time.Hour})
			verifier := world.Verifier(engine.Config{Hooks: engine.Hooks{Gathered: func(_ context.Context, e engine.Evidence) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, e)
			}}})
			var results []rcpt.Result
			for _, address := range []string{"alice@example.org", "bob@example.org", "carol@all.example"} {
				r, err := verifier.Verify(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, r)
			}
			text, err := json.Marshal([]any{results, told})
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = string(text)
			}
			if diff := cmp.Diff(first, string(text)); diff != "" {
				t.Fatalf("run %d (-first +this):\n%s", i, diff)
			}
		})
	}
}

// TestManyDomains checks that there is room for as many domains as promised,
// each with a mail host of its own.
func TestManyDomains(t *testing.T) {
	world := enginetest.New(t)
	met := map[string]bool{}
	for i := range 762 {
		ip := world.Domain(fmt.Sprintf("d%d.example", i), nil)
		if last := ip.As4()[3]; last == 0 || last == 255 || met[ip.String()] {
			t.Fatalf("domain %d is at %s", i, ip)
		}
		met[ip.String()] = true
	}
}
