package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// unknownMailbox is the reply to RCPT for mailboxes that a host does not have.
const unknownMailbox = "550 5.1.1 <%s>: no such mailbox here"

// verdictOf is what follows from findings: "alive", "dead" or "unknown".
func verdictOf(mailbox string, r told) string {
	last := r.last()
	if r.err != nil || last.Target == nil {
		return "unknown"
	}
	q := replies.Input{Phase: smtp.PhaseRCPT, Reply: *last.Target, Host: last.Host, Mailbox: mailbox}
	switch replies.DefaultClassifier().Read(q).Class {
	case replies.ClassOK:
		return "alive"
	case replies.ClassNoSuchUser, replies.ClassDisabled, replies.ClassMoved:
		if !last.Unproven {
			return "dead"
		}
	}
	return "unknown"
}

// harvested makes n addresses of a domain, of which so many in a hundred exist.
func harvested(n, living int) []string {
	list := make([]string, n)
	for i := range list {
		kind := "missing"
		if i*7919%100 < living {
			kind = "real"
		}
		list[i] = fmt.Sprintf("%s%d@a.example", kind, i)
	}
	return list
}

// harvest asks about a list in rounds, as lists are asked about, until all is
// settled or there is no more patience, and returns how many of the living and
// the dead were settled. A living mailbox that is called dead fails the test.
func harvest(b *bubble, list []string, rounds int, ask func(requests []smtpprobe.Request) []told) (alive, dead int) {
	left := list
	for round := range rounds {
		if len(left) == 0 {
			break
		}
		if round > 0 {
			time.Sleep(min(time.Duration(round)*2*time.Minute, 15*time.Minute))
		}
		var open []string
		for i, r := range ask(aboutAll(left)) {
			real := strings.HasPrefix(left[i], "real")
			switch verdict := verdictOf(left[i], r); {
			case verdict == "dead" && real, verdict == "alive" && !real:
				b.Errorf("%s is %s:\n%s", left[i], verdict, transcript(r.last()))
				return alive, dead
			case verdict == "alive":
				alive++
			case verdict == "dead":
				dead++
			default:
				open = append(open, left[i])
			}
		}
		left = open
	}
	return alive, dead
}

// asksAsBulk asks about all at once, and can wait.
func asksAsBulk(b *bubble) func([]smtpprobe.Request) []told {
	return func(requests []smtpprobe.Request) []told {
		for i := range requests {
			requests[i].Queued = func(bool) {}
		}
		return b.askAll(requests)
	}
}

// asksOneByOne asks about one mailbox after the other.
func asksOneByOne(b *bubble) func([]smtpprobe.Request) []told {
	return func(requests []smtpprobe.Request) []told {
		all := make([]told, len(requests))
		for i, req := range requests {
			all[i] = b.ask(b.Context(), req)
		}
		return all
	}
}

// TestHarvestProtection is about hosts that refuse everybody, in ordinary
// words, after so many refusals or recipients: no mailbox that exists is called
// dead, and in the end nearly all of them are found.
func TestHarvestProtection(t *testing.T) {
	for _, kind := range smtptest.HostileKinds() {
		if !strings.HasPrefix(kind, "turns-") {
			continue
		}
		for _, crowd := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s crowd %t", kind, crowd), func(t *testing.T) {
				host := smtptest.HostileHost(kind)
				sessions := inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 1000}, one(host), func(b *bubble) {
					list, rounds, ask := harvested(200, 60), 10, asksAsBulk(b)
					if !crowd {
						rounds = 40
						list, ask = harvested(60, 60), asksOneByOne(b)
					}
					alive, dead := harvest(b, list, rounds, ask)
					living := 0
					for _, m := range list {
						if strings.HasPrefix(m, "real") {
							living++
						}
					}
					b.Logf("%d of %d living, %d of %d dead", alive, living, dead, len(list)-living)
					if alive*100 < living*95 {
						b.Errorf("%d of %d living mailboxes were found", alive, living)
					}
				})
				t.Logf("%d sessions, %d RCPT", len(sessions), count(sessions, "RCPT"))
			})
		}
	}
}

// TestHonestRefusalsAreProven is about honest hosts, with and without
// postmaster, on lists with few or no living mailboxes: what their refusals
// cost, and how many are left without a proof.
func TestHonestRefusalsAreProven(t *testing.T) {
	for _, postmaster := range []bool{true, false} {
		for _, living := range []int{60, 20, 0} {
			for _, crowd := range []bool{true, false} {
				t.Run(fmt.Sprintf("postmaster %t, %d %% living, crowd %t", postmaster, living, crowd), func(t *testing.T) {
					host := &smtptest.Host{RCPTFunc: func(rcpt string, _ int) string {
						if strings.HasPrefix(rcpt, "real") || postmaster && strings.HasPrefix(rcpt, "postmaster@") {
							return string(smtptest.Accepts)
						}
						return unknownMailbox
					}}
					unproven, proofs := 0, 0
					sessions := inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 1000}, one(host), func(b *bubble) {
						ask, n := b.askAll, 500
						if !crowd {
							ask, n = asksOneByOne(b), 100
						}
						alive, dead := harvest(b, harvested(n, living), 1, ask)
						unproven = n - alive - dead
					})
					seen := map[string]bool{}
					for _, s := range sessions {
						for _, c := range withVerb(s, "RCPT") {
							if strings.HasPrefix(c, "RCPT TO:<postmaster") || strings.HasPrefix(c, "RCPT TO:<real") && seen[c] {
								proofs++
							}
							seen[c] = true
						}
					}
					t.Logf("%d unproven, %d proofs, %d RCPT, %d sessions", unproven, proofs, count(sessions, "RCPT"), len(sessions))
					if unproven > 0 && (postmaster || living > 0) {
						t.Errorf("%d refusals were left without a proof", unproven)
					}
				})
			}
		}
	}
}
