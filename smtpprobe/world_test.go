package smtpprobe_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// worlds is how many random worlds a test makes: what RCPT_WORLDS says, or n,
// of which "make test" and "make race" have a fifth.
func worlds(n uint64) uint64 {
	if all, err := strconv.ParseUint(os.Getenv("RCPT_WORLDS"), 10, 64); err == nil {
		return all
	}
	if testing.Short() {
		return n / 5 // make test-all has them all
	}
	return n
}

// truths are the replies to RCPT of mailboxes, by the beginning of their names.
// Each host says so of a mailbox that is asked about alone.
var truths = map[string]string{
	"good":    "250 2.1.5 Ok",
	"bad":     "550 5.1.1 no such user",
	"gone":    "550 no such user here",
	"full":    "452 4.2.2 mailbox full",
	"over":    "552 5.2.2 over quota",
	"grey":    "450 4.7.1 greylisted, come back later",
	"private": "550 5.7.1 you may not write to this group",
	"odd":     "550 rejected",
	"moved":   "551 5.1.6 moved",
}

func truthOf(mailbox string) string {
	kind := strings.TrimRight(mailbox[:strings.IndexByte(mailbox, '@')], "0123456789")
	if text, ok := truths[kind]; ok {
		return text
	}
	return truths["bad"] // controls
}

// whims are what may get into a host, by what it is asked and how far the
// session has come. Each returns empty where it has no effect.
func whims(r *rand.Rand) func(v *visit, command string) string {
	patience, words := 1+r.IntN(30), []string{
		closes, resets, "421 4.7.0 too many errors", "421 4.3.2 going down", "550 5.7.1 too many recipients", "452 4.5.3 too many recipients",
		"550 rejected", "554 5.7.1 blocked", "451 4.7.1 slow down", "450 4.2.0 later", hangs, "221 bye", "what?",
	}
	word := words[r.IntN(len(words))]
	switch r.IntN(8) {
	case 0: // has enough of recipients
		return func(v *visit, c string) string {
			if strings.HasPrefix(c, "RCPT") && v.named >= patience {
				return word
			}
			return ""
		}
	case 1: // of refusals
		return func(v *visit, c string) string {
			if strings.HasPrefix(c, "RCPT") && v.refused >= patience {
				return word
			}
			return ""
		}
	case 2: // of recipients in a transaction
		return func(v *visit, c string) string {
			if strings.HasPrefix(c, "RCPT") && v.here >= patience {
				return word
			}
			return ""
		}
	case 3: // of transactions
		return func(v *visit, c string) string {
			if strings.HasPrefix(c, "MAIL") && v.mailed >= 1+patience/5 {
				return word
			}
			return ""
		}
	case 4: // now and then
		var mu sync.Mutex
		moods := rand.New(rand.NewPCG(r.Uint64(), 1))
		return func(v *visit, c string) string {
			mu.Lock()
			defer mu.Unlock()
			if v.commands > 1 && v.named > 0 && moods.IntN(60) == 0 {
				return word
			}
			return ""
		}
	case 5: // RSET
		return func(v *visit, c string) string {
			if c == "RSET" && v.commands > patience {
				return word
			}
			return ""
		}
	}
	return func(*visit, string) string { return "" }
}

// whimsical is a host with a whim or two.
func whimsical(r *rand.Rand) *peer {
	one, two := whims(r), whims(r)
	whim := func(v *visit, command string) string {
		if text := one(v, command); text != "" {
			return text
		}
		return two(v, command)
	}
	p := &peer{chop: r.IntN(6) == 0, other: whim, rcpt: func(v *visit, m string) string {
		if text := whim(v, "RCPT TO:<"+m+">"); text != "" {
			return text
		}
		return truthOf(m)
	}}
	if r.IntN(3) == 0 {
		p.keywords = "SIZE"
	}
	if r.IntN(3) == 0 {
		p.wait = func(*visit, string) time.Duration { return 10 * time.Millisecond }
	}
	return p
}

// TestRandomWorlds has crowds ask hosts of all kinds of whims. Each ask gets
// one answer; where that says something for good about a mailbox, it is what
// the host says about it alone.
func TestRandomWorlds(t *testing.T) {
	for seed := range worlds(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			hosts := map[string]smtptest.Handler{}
			var requests []smtpprobe.Request
			kinds := slices.Sorted(func(yield func(string) bool) {
				for k := range truths {
					if !yield(k) {
						return
					}
				}
			})
			for i := range 4 {
				addr := fmt.Sprintf("192.0.2.%d", i+1)
				hosts[addr] = whimsical(r)
				for n := range 20 + r.IntN(80) {
					kind := kinds[r.IntN(len(kinds))]
					if r.IntN(2) == 0 {
						kind = "good"
					}
					requests = append(requests, about(fmt.Sprintf("%s%d@d%d.example", kind, n, r.IntN(3)), addr))
				}
			}
			r.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
			config := smtpprobe.Config{MaxSessionsPerHost: 1 + r.IntN(4), MaxSessions: 2 + r.IntN(10)}
			answered := 0
			inBubble(t, config, hosts, func(b *bubble) {
				for i, r := range b.askAll(requests) {
					if checkAgainstTruth(b.T, requests[i], r) {
						answered++
					}
				}
				if one, all := b.gauges.peaks(); one > config.MaxSessionsPerHost || all > config.MaxSessions {
					b.Errorf("%d sessions with a host at a time, %d in all", one, all)
				}
			})
			t.Logf("%d of %d were answered", answered, len(requests))
		})
	}
}

// checkAgainstTruth reports whether an ask was told the truth, and fails where
// it was told anything else for good.
func checkAgainstTruth(t *testing.T, req smtpprobe.Request, r told) bool {
	t.Helper()
	last := r.last()
	switch {
	case r.err != nil:
		t.Errorf("%s: %v", req.Target, r.err)
		return false
	case len(r.found.Sessions) == 0:
		t.Errorf("%s: no answer", req.Target)
		return false
	case last.Target == nil, last.Unproven:
		return false
	}
	truth, err := smtp.ParseReply(truthOf(req.Target))
	if err != nil {
		t.Fatal(err)
	}
	read := func(reply smtp.Reply) replies.Class {
		return replies.DefaultClassifier().Read(replies.Input{Phase: smtp.PhaseRCPT, Reply: reply, Host: last.Host, Mailbox: req.Target}).Class
	}
	said, want := read(*last.Target), read(truth)
	switch said {
	case want:
		return true
	case replies.ClassOK, replies.ClassNoSuchUser, replies.ClassDisabled, replies.ClassMoved:
		t.Errorf("%s: told %q, the truth is %q:\n%s", req.Target, last.Target, truth, transcript(last))
	}
	return false
}

// faulty is a host with whims, or with one reply too many in its life, or now
// and then one too few, or one without its last line.
func faulty(r *rand.Rand) *peer {
	p := &peer{rcpt: func(_ *visit, m string) string { return truthOf(m) }}
	nth := 5 + r.IntN(60)
	var named atomic.Int64 // recipients; a session that has ended may still be on its way out beside the next
	switch r.IntN(5) {
	case 0:
		p = whimsical(r)
	case 1: // a reply too many
		word := []string{"250 ok", "550 5.1.1 no such user", "421 4.3.2 bye", "221 bye"}[r.IntN(4)]
		p.after = func(_ *visit, c string) string {
			if strings.HasPrefix(c, "RCPT") && named.Add(1) == int64(nth) {
				return word
			}
			return ""
		}
	case 2: // replies left out
		p.rcpt = func(_ *visit, m string) string {
			if named.Add(1)%int64(nth) == 0 {
				return skips
			}
			return truthOf(m)
		}
	case 3: // replies without their last line, and a whim
		p = whimsical(r)
		fallthrough
	case 4: // replies without their last line
		whole := p.rcpt
		p.rcpt = func(v *visit, m string) string {
			text := whole(v, m)
			if named.Add(1)%int64(nth) == 0 && text == truthOf(m) {
				return text[:3] + "-" + text[4:]
			}
			return text
		}
	}
	end := []string{"", "", closes, resets, hangs, "421 4.3.2 bye", "250 bye", "500 what?"}[r.IntN(8)]
	before := p.other
	p.other = func(v *visit, c string) string {
		if c == "QUIT" {
			return end
		}
		if before == nil {
			return ""
		}
		return before(v, c)
	}
	return p
}

// TestRandomFaults is about hosts that lose a reply, or say one too many.
func TestRandomFaults(t *testing.T) {
	for seed := range worlds(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 8))
			kinds := append(slices.Sorted(maps.Keys(truths)), "good", "good", "good", "bad", "bad", "bad")
			var requests []smtpprobe.Request
			for n := range 100 + r.IntN(100) {
				requests = append(requests, about(fmt.Sprintf("%s%d@d%d.example", kinds[r.IntN(len(kinds))], n, r.IntN(3))))
			}
			caps := smtpprobe.SessionCaps{Refused: []int{0, 9}[seed%2]}
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1, Session: caps}, one(faulty(r)), func(b *bubble) {
				for i, r := range b.askAll(requests) {
					checkAgainstTruth(b.T, requests[i], r)
				}
				if one, _ := b.gauges.peaks(); one > 1 {
					b.Errorf("%d sessions at a time", one)
				}
				if s := b.pool.Stats(); s.UnderWay != 0 || s.Waiting != 0 {
					b.Errorf("left over: %+v", s)
				}
			})
		})
	}
}

// echoing is a host that answers now and then twice, in its own time.
func echoing(r *rand.Rand) *peer {
	pace, nth := []time.Duration{0, 20 * time.Millisecond, 200 * time.Millisecond}[r.IntN(3)], 3+r.IntN(20)
	var heard atomic.Int64
	p := &peer{
		wait:     func(*visit, string) time.Duration { return pace },
		keywords: []string{"PIPELINING", "SIZE"}[r.IntN(2)],
		rcpt:     func(_ *visit, m string) string { return truthOf(m) },
	}
	p.other = func(*visit, string) string {
		time.Sleep(pace)
		return ""
	}
	p.after = func(_ *visit, c string) string {
		if mailbox, ok := strings.CutPrefix(c, "RCPT TO:<"); ok && heard.Add(1)%int64(nth) == 0 {
			return truthOf(mailbox)
		}
		return ""
	}
	return p
}

// TestRandomEchoes is about hosts that answer about a recipient twice.
func TestRandomEchoes(t *testing.T) {
	for seed := range worlds(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 9))
			kinds := append(slices.Sorted(maps.Keys(truths)), "good", "good", "good", "bad", "bad", "bad")
			var requests []smtpprobe.Request
			for n := range 1 + r.IntN(60) {
				requests = append(requests, about(fmt.Sprintf("%s%d@d%d.example", kinds[r.IntN(len(kinds))], n, r.IntN(3))))
			}
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1 + r.IntN(3)}, one(echoing(r)), func(b *bubble) {
				for i, r := range b.askAll(requests) {
					checkAgainstTruth(b.T, requests[i], r)
				}
			})
		})
	}
}
