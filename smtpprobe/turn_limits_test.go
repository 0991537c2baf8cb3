package smtpprobe_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestSingleCheckWaitsForItsTurn sees that a probe whose provider has no room
// waits as long as it has time, and is then told when to come back; and that
// one of a list goes on waiting.
func TestSingleCheckWaitsForItsTurn(t *testing.T) {
	hosts, requests := operated(&peer{RCPTDelay: time.Minute}, 3, 1, "hoster.test")
	c := smtpprobe.Config{
		Pace:     pace.Settings{Unknown: pace.Limits{Sessions: 1}},
		Timeouts: smtpprobe.Timeouts{Command: 10 * time.Minute},
	}
	inBubble(t, c, hosts, func(b *bubble) {
		var wg sync.WaitGroup
		wg.Go(func() { b.checkAnswered([]told{b.ask(b.Context(), requests[0])}, 0) })
		synctest.Wait()
		wg.Go(func() {
			patient := requests[2]
			patient.Caller = new(smtpprobe.Caller)
			patient.Budget = 10 * time.Minute
			r := b.ask(b.Context(), patient)
			b.checkAnswered([]told{r}, 0)
			if r.took < 2*time.Minute {
				b.Errorf("the patient one had its answer after %v", r.took)
			}
		})
		limited := func(r told, after time.Duration) {
			b.Helper()
			f := r.last().Failure
			if r.err != nil || f == nil || f.Kind != smtp.KindLimited || f.RetryAfter <= 0 || r.took != after {
				b.Errorf("after %v: %v", r.took, r)
			}
		}
		hurried := requests[1]
		hurried.Budget = 20 * time.Second
		limited(b.ask(b.Context(), hurried), 20*time.Second)
		hurried.Budget = 5 * time.Second
		limited(b.ask(b.Context(), hurried), 5*time.Second)
		wg.Wait()
	})
}

// TestBudgetOfADayIsKnownAtOnce checks that a request does not wait for the
// next day's budget if its time ends before.
func TestBudgetOfADayIsKnownAtOnce(t *testing.T) {
	limits := pace.Settings{Unknown: pace.Limits{RecipientsPerDay: 10}}
	inBubble(t, smtpprobe.Config{Pace: limits}, one(&peer{}), func(b *bubble) {
		for i := range 20 {
			r := b.ask(b.Context(), about(fmt.Sprintf("good%d@a.example", i)))
			if r.last().Target != nil {
				continue
			}
			f := r.last().Failure
			if i < 3 || f == nil || f.Kind != smtp.KindLimited || f.RetryAfter < 20*time.Hour || r.took != 0 {
				b.Fatalf("%d: after %v: %v", i, r.took, r)
			}
			if s := b.pool.Pacing()[0]; s.Slowed != pace.BudgetSpent || s.LastDay < 8 || s.LastDay > 10 {
				b.Errorf("pacing %+v", s)
			}
			return
		}
		b.Error("twenty were asked about")
	})
}

// TestManyThatWaitAreHeldBack sees that those of a list are told to come back
// once more wait for a provider than the list leaves to others, and that single
// checks are not.
func TestManyThatWaitAreHeldBack(t *testing.T) {
	hosts, requests := operated(&peer{RCPTDelay: time.Second}, 300, 10, "hoster.test")
	inBubble(t, smtpprobe.Config{}, hosts, func(b *bubble) {
		list := &smtpprobe.Caller{Most: 2000}
		for i := range requests {
			if i%10 > 0 {
				requests[i].Caller = list
			}
		}
		held := 0
		for i, r := range b.askTogether(b.Context(), requests) {
			var err *smtpprobe.HeldBackError
			if errors.As(r.err, &err) && requests[i].Caller != nil {
				if held++; err.Provider != "hoster.test" || err.RetryAfter != 0 || !errors.Is(r.err, smtpprobe.ErrBusy) {
					b.Fatalf("%+v", err)
				}
			} else {
				b.checkAnswered([]told{r}, 0)
			}
		}
		if held < 1500 || held > 2100 {
			b.Errorf("%d of %d are held back", held, len(requests))
		}
	})
}

// refuses is a host that answers MAIL so.
func refuses(text string) *peer {
	return &peer{Say: func(_ *visit, command, _ string) string {
		if strings.HasPrefix(command, "MAIL") {
			return text
		}
		return ""
	}}
}

// TestPaceOutlastsAPool sees that a later pool knows of pauses.
func TestPaceOutlastsAPool(t *testing.T) {
	host := refuses("550 5.7.1 Client host blocked using a block list")
	var memory []pace.Memory
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		for i := range 5 {
			b.ask(b.Context(), about(fmt.Sprintf("good@d%d.example", i)))
		}
		if memory = b.pool.PaceMemory(); len(memory) != 1 || time.Until(memory[0].PausedUntil) < 4*time.Minute {
			b.Fatalf("memory %+v", memory)
		}
		later := newProber(t, smtpprobe.Config{PaceMemory: memory}, b.network)
		if got := later.PaceMemory(); len(got) != 1 || got[0] != memory[0] {
			b.Errorf("a later pool keeps %+v, want %+v", got, memory)
		}
		found, err := later.Probe(b.Context(), about("good@another.example"))
		if err != nil || len(found.Sessions) != 1 || found.Sessions[0].Failure.Kind != smtp.KindPaused {
			b.Errorf("a later pool found %s (%v)", summaries(found), err)
		}
		_ = later.Close()
	})
}

// TestHarvestingIsToldAndSlowed sees that a provider at which most mailboxes do
// not exist is asked more slowly.
func TestHarvestingIsToldAndSlowed(t *testing.T) {
	hosts, requests := operated(&peer{RCPTDelay: 10 * time.Millisecond}, 40, 20, "hoster.test")
	for i := range requests {
		if i%4 > 0 {
			requests[i].Target = strings.Replace(requests[i].Target, "good", "bad", 1)
		}
	}
	var log bytes.Buffer
	inBubble(t, smtpprobe.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, hosts, func(b *bubble) {
		b.checkAnswered(b.askAll(requests), 0)
		s := b.pool.Pacing()[0]
		if s.Slowed != pace.Harvesting || s.Allowed != 3 || s.Refused < 0.7 || s.Refused > 0.8 {
			b.Errorf("pacing %+v", s)
		}
	})
	if n := strings.Count(log.String(), "harvesters"); n != 1 {
		t.Errorf("logged %d times", n)
	}
}

// TestProvidersReactAsTheyAre sees what refusals and complaints in different
// domains lead to at providers of the table, as the last probe has it.
func TestProvidersReactAsTheyAre(t *testing.T) {
	for _, tt := range []struct {
		host, says string
		domains    int
		kind       smtp.Kind
		wait       time.Duration
	}{
		{"hotmail-com.olc.protection.outlook.com", "550 5.7.1 Unfortunately, messages from [192.0.2.10] weren't sent. Please contact " +
			"your Internet service provider since part of their network is on our block list (S3150).", 5, smtp.KindPaused, 2 * time.Hour},
		{"hotmail-com.olc.protection.outlook.com", "451 4.7.650 The mail server [192.0.2.10] has been temporarily rate limited due " +
			"to IP reputation. For e-mail delivery information, see https://postmaster.live.com (S775)", 3, smtp.KindLimited, 30 * time.Minute},
		{"mta5.am0.yahoodns.net", "421 4.7.0 [TSS04] Messages from 192.0.2.10 temporarily deferred due to unexpected volume or user " +
			"complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes", 5, smtp.KindPaused, 2 * time.Hour},
		{"mx00.gmx.net", "421 Reject due to policy violations", 5, smtp.KindPaused, time.Hour},
		{"mx00.t-online.de", "554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to " +
			"clarify.) (BL)", 5, smtp.KindPaused, 24 * time.Hour},
		{"mx.hoster.test", "421 Reject due to policy violations", 5, smtp.KindPaused, 5 * time.Minute},
	} {
		inBubble(t, smtpprobe.Config{}, one(refuses(tt.says)), func(b *bubble) {
			for i := range tt.domains + 1 {
				req := about(fmt.Sprintf("good@d%d.example", i))
				req.Hosts[0].Name = tt.host
				f := b.ask(b.Context(), req).last().Failure
				switch paused := f != nil && f.Kind == tt.kind; {
				case paused != (i == tt.domains):
					b.Errorf("%s, %q: domain %d: %v", tt.host, tt.says, i, f)
				case paused && f.RetryAfter != tt.wait:
					b.Errorf("%s, %q: a pause of %v, want %v", tt.host, tt.says, f.RetryAfter, tt.wait)
				}
				if i < tt.domains-1 {
					time.Sleep(time.Minute)
				}
			}
		})
	}
}
