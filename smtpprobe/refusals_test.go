package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

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
