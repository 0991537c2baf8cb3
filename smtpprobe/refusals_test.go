package smtpprobe_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Postfix's patience with errors in a session: from the soft limit on, each
// reply takes a second; at the hard limit it hangs up.
const (
	softErrorLimit = 10
	hardErrorLimit = 20
)

// TestPostfix sees how often lists of good and bad mailboxes meet with the
// limits on errors that Postfix has by default: it delays at most one reply for
// five mailboxes, as a session finds the first limit with few recipients, and
// hangs up on none.
func TestPostfix(t *testing.T) {
	for _, tt := range []struct {
		bad      int // of 100
		sessions int // of 600 mailboxes
	}{{0, 12}, {5, 16}, {25, 34}, {60, 60}, {100, 95}} {
		t.Run(fmt.Sprintf("%d%% bad", tt.bad), func(t *testing.T) {
			var slow, hard atomic.Int64
			host := &peer{
				Say: func(v *visit, _, _ string) string {
					if v.Refused >= softErrorLimit {
						slow.Add(1)
						v.Sleep(time.Second)
					}
					return ""
				},
				RCPTFunc: func(v *visit, _ string) string {
					if v.Refused >= hardErrorLimit {
						hard.Add(1)
						return "421 4.7.0 mx Error: too many errors"
					}
					return ""
				},
			}
			list := mailboxes(600, func(i int) bool { return i*37%100 < tt.bad }, "a.example", "b.example")
			answers, sessions := crowd(t, smtpprobe.Config{}, host, list)
			checkTruth(t, list, answers)
			if int(slow.Load()) > len(list)/5 || hard.Load() > 0 || len(sessions) > tt.sessions {
				t.Errorf("slowed down %d times, hung up %d times, in %d sessions; want at most %d, 0, %d",
					slow.Load(), hard.Load(), len(sessions), len(list)/5, tt.sessions)
			}
		})
	}
}

// TestHonestHostNeedsNoExtraSessions sees that a host is not doubted that says
// plainly whom it refuses, be it one in four or most: a list shares sessions,
// which end with QUIT. Those that begin together, twenty, have nine refusals
// each at first.
func TestHonestHostNeedsNoExtraSessions(t *testing.T) {
	const delay = 50 * time.Millisecond // without any, sessions end before one could try to have more refusals
	for _, tt := range []struct {
		text string
		live int // in a hundred
	}{{"550 5.1.1 no such user", 75}, {"550 5.1.1 no such user", 10}, {"550 no such user here", 10}, {"550 rejected", 10}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			host := &smtptest.Host{GreetingDelay: delay, ReplyDelay: delay, RCPTFunc: func(_ *smtptest.Visit, m string) string {
				return wording{"", "250 ok", tt.text}.about(m)
			}}
			list := mailboxes(300, living(tt.live), "a.example")
			answers, sessions := crowd(t, smtpprobe.Config{}, host, list)
			checkTruth(t, list, answers)
			quits, named := count(sessions, "QUIT"), count(sessions, "RCPT")
			if len(sessions) > 40 || quits != len(sessions) || named > len(list)*7/5 { // with a control and a proof in each transaction
				t.Errorf("%d recipients named in %d sessions, %d QUIT", named, len(sessions), quits)
			}
		})
	}
}

// TestHostThatHangsUpGetsSmallerTransactions asks hosts that end the session at
// twenty refusals about hundreds of mailboxes, in one list or, where a host is
// known for living mailboxes by then, in two. Those of a transaction that was
// cut short are asked about in ever smaller ones, so that few need a session of
// their own.
func TestHostThatHangsUpGetsSmallerTransactions(t *testing.T) {
	type part struct {
		mailboxes, living int
		domain            string
	}
	for _, tt := range []struct {
		name  string
		lists []part
		most  int // sessions
	}{
		{"most live", []part{{600, 80, "a.example"}}, 80},
		{"half live", []part{{600, 50, "a.example"}}, 80},
		{"nobody lives", []part{{600, 0, "a.example"}}, 160},
		{"nobody lives any more", []part{{1000, 100, "a.example"}, {600, 0, "a.example"}}, 160},
		{"nobody lives in the next domain", []part{{1000, 100, "a.example"}, {600, 0, "dead.example"}}, 160},
	} {
		for _, says := range []string{closes, "421 4.7.0 too many errors"} {
			t.Run(tt.name+" "+says, func(t *testing.T) {
				host := &peer{RCPTDelay: time.Millisecond, RCPTFunc: func(v *visit, mailbox string) string {
					if v.Refused+1 < 20 || lives(mailbox) {
						return ""
					}
					return says
				}}
				sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
					for _, p := range tt.lists {
						list := mailboxes(p.mailboxes, living(p.living), p.domain)
						for i, r := range b.askAll(patient(aboutAll(list))) {
							if !checkVerdict(b.T, list[i], r) && p.living > 0 {
								b.Fatalf("%s: %v", list[i], r)
							}
						}
					}
				})
				if len(sessions) > tt.most {
					t.Errorf("%d sessions for %d recipients, want at most %d", len(sessions), len(host.Recipients()), tt.most)
				}
			})
		}
	}
}

// TestHarvestProtection is about hosts that refuse everybody, in ordinary
// words, after so many refusals or recipients: no mailbox that exists is called
// dead, and in the end all of them are found.
func TestHarvestProtection(t *testing.T) {
	for _, kind := range hostile.Kinds() {
		if !strings.HasPrefix(kind, "turns-") {
			continue
		}
		for _, crowd := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s crowd %t", kind, crowd), func(t *testing.T) {
				inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 1000}, one(hostile.Host(kind)), func(b *bubble) {
					n, rounds, ask := 200, 10, func(requests []smtpprobe.Request) []told { return b.askAll(patient(requests)) }
					if !crowd {
						n, rounds, ask = 60, 40, b.askInTurn
					}
					list, living := harvested(n, 60), 0
					for _, m := range list {
						if lives(m) {
							living++
						}
					}
					if alive, _ := harvest(b, list, rounds, ask); alive < living {
						b.Errorf("%d of %d living mailboxes were found", alive, living)
					}
				})
			})
		}
	}
}

// harvested makes n addresses of a domain, of which so many in a hundred exist
// as far as hostile hosts know.
func harvested(n, percent int) []string {
	list := make([]string, n)
	for i := range list {
		kind := "real"
		if living(percent)(i) {
			kind = "missing"
		}
		list[i] = fmt.Sprintf("%s%d@a.example", kind, i)
	}
	return list
}

// harvest asks about a list in rounds, as lists are asked about, until all is
// settled or there is no more patience, and returns how many of the living and
// the dead were settled.
func harvest(b *bubble, list []string, rounds int, ask func(requests []smtpprobe.Request) []told) (alive, dead int) {
	for round := 0; round < rounds && len(list) > 0; round++ {
		if round > 0 {
			time.Sleep(min(time.Duration(round)*2*time.Minute, 15*time.Minute))
		}
		var open []string
		for i, r := range ask(aboutAll(list)) {
			switch checkVerdict(b.T, list[i], r); verdictOf(list[i], r) {
			case "alive":
				alive++
			case "dead":
				dead++
			default:
				open = append(open, list[i])
			}
		}
		list = open
	}
	return alive, dead
}

// TestTwoWordings is about honest hosts that have postmaster, and other words
// for some of the mailboxes that do not exist. Where nobody lives, these may
// stay without a proof, and do not get a session each.
func TestTwoWordings(t *testing.T) {
	for _, percent := range []int{20, 0} {
		host := &peer{RCPTFunc: func(_ *visit, m string) string {
			switch n := strings.Count(m, "3"); {
			case strings.HasPrefix(m, "postmaster@"):
				return "250 2.1.5 Ok"
			case !lives(m) && n > 0:
				return "550 5.2.1 The account is disabled"
			}
			return ""
		}}
		list, unknown := mailboxes(500, living(percent), "a.example"), 0
		answers, sessions := crowd(t, smtpprobe.Config{}, host, list)
		for i, r := range answers {
			checkVerdict(t, list[i], r)
			if verdictOf(list[i], r) == "unknown" {
				unknown++
			}
		}
		if percent > 0 && unknown > 0 || len(sessions) > 150 {
			t.Errorf("%d %% live: %d are unknown, %d sessions", percent, unknown, len(sessions))
		}
	}
}

// TestHonestRefusalsAreProven is about honest hosts, with and without
// postmaster, on lists with few or no living mailboxes: none is left without a
// proof if there is one to be had.
func TestHonestRefusalsAreProven(t *testing.T) {
	for _, postmaster := range []bool{true, false} {
		for _, living := range []int{60, 20, 0} {
			for _, crowd := range []bool{true, false} {
				t.Run(fmt.Sprintf("postmaster %t, %d %% living, crowd %t", postmaster, living, crowd), func(t *testing.T) {
					host := &smtptest.Host{RCPTFunc: func(_ *smtptest.Visit, rcpt string) string {
						if postmaster && strings.HasPrefix(rcpt, "postmaster@") {
							return string(smtptest.Accepts)
						}
						return naming.about(rcpt)
					}}
					inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 1000}, one(host), func(b *bubble) {
						ask, n := b.askAll, 500
						if !crowd {
							ask, n = b.askInTurn, 100
						}
						alive, dead := harvest(b, harvested(n, living), 1, ask)
						if unproven := n - alive - dead; unproven > 0 && (postmaster || living > 0) {
							b.Errorf("%d refusals were left without a proof", unproven)
						}
					})
				})
			}
		}
	}
}

// TestOpenRefusalsOfADyingSession sees that refusals that wait for a proof are
// asked about again where their session ends before it comes. The host takes
// one target at a time, and hangs up at MAIL when it has refused that.
func TestOpenRefusalsOfADyingSession(t *testing.T) {
	var deaths atomic.Int64
	host := &peer{
		Say: func(v *visit, command, _ string) string {
			n := len(v.Recipients)
			if v.Here == 2 && !lives(v.Recipients[n-2]) && strings.HasPrefix(command, "MAIL") {
				deaths.Add(1)
				return closes
			}
			return ""
		},
		RCPTFunc: func(v *visit, _ string) string {
			if v.Here >= 3 {
				return "452 4.5.3 Too many recipients"
			}
			return ""
		},
	}
	list := mailboxes(300, func(i int) bool { return i%2 == 1 }, "a.example")
	answers, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, list)
	if checkTruth(t, list, answers); deaths.Load() == 0 {
		t.Error("no session ended before a proof")
	}
}

// TestPostmasterProvesFew sees that one postmaster, accepted in a transaction
// of its own, does not prove many refusals of the one before: Exim can count
// refusals in each transaction anew ($rcpt_fail_count), and the host has
// refused everybody from the fourth on.
func TestPostmasterProvesFew(t *testing.T) {
	host := &peer{RCPTFunc: func(v *visit, m string) string {
		switch {
		case v.Here-v.Accepted >= 3:
			return "550 5.1.1 no such user"
		case strings.HasPrefix(m, "postmaster@"):
			return "250 ok"
		}
		return ""
	}}
	list := mailboxes(30, func(i int) bool { return i < 4 }, "a.example")
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		checkTruth(t, list, b.askTogether(b.Context(), aboutAll(list)))
	})
}

// TestCallersLeaveDuringAProof has some callers give up during a transaction or
// the proof that follows it. The host accepts the proof or refuses it. Each
// caller gets one answer, and then no longer waits.
func TestCallersLeaveDuringAProof(t *testing.T) {
	for _, proof := range []string{"250 ok", "550 no"} {
		for second := range 40 {
			t.Run(fmt.Sprint(proof, second), func(t *testing.T) {
				host := &peer{RCPTDelay: time.Second, RCPTFunc: func(_ *visit, m string) string {
					if strings.HasPrefix(m, "postmaster@") {
						return proof
					}
					return ""
				}}
				inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
					ctx, cancel := context.WithCancel(b.Context())
					time.AfterFunc(time.Duration(second)*time.Second+950*time.Millisecond, cancel) // just before a reply
					list, requests := new(smtpprobe.Caller), aboutAll(mailboxes(30, all, "a.example"))
					for i := range requests {
						requests[i].Caller = list
					}
					var others sync.WaitGroup
					for i, part := range [][]smtpprobe.Request{requests[:4], requests[8:]} { // before and behind those that leave
						others.Go(func() {
							time.Sleep(time.Duration(2*i) * time.Millisecond)
							b.askTogether(b.Context(), part)
						})
					}
					time.Sleep(time.Millisecond)
					b.askTogether(ctx, requests[4:8])
					others.Wait()
					if n := list.Waiting(); n != 0 {
						b.Errorf("%d are said to wait", n)
					}
				})
			})
		}
	}
}

// TestProofThatIsNotRemembered is about dead mailboxes at a domain whose
// postmaster only SMTPUTF8 can name: it is no proof for later transactions, and
// the mailboxes are asked about in ever smaller ones.
func TestProofThatIsNotRemembered(t *testing.T) {
	host := &peer{SMTPUTF8: true, RCPTFunc: func(_ *visit, m string) string {
		if strings.HasPrefix(m, "postmaster@") {
			return "250 ok"
		}
		return ""
	}}
	requests := aboutAll(mailboxes(20, all, "bücher.example"))
	for i := range requests {
		requests[i].SMTPUTF8 = true
	}
	sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) { b.checkAnswered(b.askTogether(b.Context(), requests), 550) })
	if len(sessions) > 2*len(requests) {
		t.Errorf("%d sessions", len(sessions))
	}
}
