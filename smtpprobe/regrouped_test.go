package smtpprobe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// regroups changes the replies about the recipients of a group.
func regroups(change func(replies []string) []string) func() arrangement {
	return func() arrangement {
		return func(group, answers []string) []string {
			first := slices.IndexFunc(group, isRCPT)
			if first < 0 {
				return answers
			}
			end := first
			for end < len(group) && isRCPT(group[end]) {
				end++
			}
			return slices.Concat(answers[:first], change(slices.Clone(answers[first:end])), answers[end:])
		}
	}
}

// TestNamedRepliesInAnotherOrder is about hosts that reply to the recipients of
// a group in another order, or leave one reply out and repeat another, and say
// whom they mean.
func TestNamedRepliesInAnotherOrder(t *testing.T) {
	refused := func(a, b string) int { return strings.Compare(a[:1], b[:1]) }
	for name, change := range map[string]func([]string) []string{
		"accepted first": func(r []string) []string {
			slices.SortStableFunc(r, refused)
			return r
		},
		"refused first": func(r []string) []string {
			slices.SortStableFunc(r, func(a, b string) int { return refused(b, a) })
			return r
		},
		"rotated": func(r []string) []string { return append(r[1:], r[0]) },
		"reversed": func(r []string) []string {
			slices.Reverse(r)
			return r
		},
		"neighbours swapped": func(r []string) []string {
			for i := 0; i+1 < len(r); i += 2 {
				r[i], r[i+1] = r[i+1], r[i]
			}
			return r
		},
		"the first for all": func(r []string) []string { return slices.Repeat(r[:1], len(r)) },
		"the last for all":  func(r []string) []string { return slices.Repeat(r[len(r)-1:], len(r)) },
		"the second twice, the third never": func(r []string) []string {
			if len(r) > 3 {
				r[2] = r[1]
			}
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkScrambled(t, "naming", func() *scrambled { return &scrambled{perSession: regroups(change)} })
		})
	}
}

// TestSaidTwiceInEverySession is about hosts that reply to one command of each
// session twice, with the same time before each reply.
func TestSaidTwiceInEverySession(t *testing.T) {
	for _, verb := range []string{"EHLO", "MAIL", "RCPT"} {
		for _, pace := range []time.Duration{0, 12 * time.Millisecond, 150 * time.Millisecond, 700 * time.Millisecond} {
			for _, w := range wordings {
				t.Run(fmt.Sprint(verb, " ", pace, " ", w.name), func(t *testing.T) {
					checkScrambled(t, w.name, func() *scrambled {
						return &scrambled{pace: pace, perSession: func() arrangement { return twice(verb) }}
					})
				})
			}
		}
	}
}

// twice repeats the reply to the first such command; that to EHLO in other
// words.
func twice(verb string) arrangement {
	done := false
	return func(group, answers []string) []string {
		i := slices.IndexFunc(group, func(c string) bool { return strings.HasPrefix(c, verb) })
		if done || i < 0 {
			return answers
		}
		done = true
		more := answers[i]
		if verb == "EHLO" {
			more = "250 OK"
		}
		return slices.Insert(slices.Clone(answers), i+1, more)
	}
}

// TestOutOfStepInEverySession is about hosts that refuse RSET, or all but the
// first recipient of a transaction as an unknown command. The pool stops asking
// them soon, or each session settles four mailboxes.
func TestOutOfStepInEverySession(t *testing.T) {
	for name, host := range map[string]*peer{
		"RSET is refused": {other: at("RSET", "550 no")},
		"no PIPELINING": {rcpt: func(v *visit, _ string) string {
			if v.here > 0 {
				return "500 what?"
			}
			return ""
		}},
	} {
		t.Run(name, func(t *testing.T) {
			list := mailboxes(500, func(i int) bool { return i%4 == 0 }, "a.example")
			settled := 0
			sessions := inBubble(t, smtpprobe.Config{MaxWaitingPerHost: len(list)}, one(host), func(b *bubble) {
				for _, a := range b.askAll(aboutAll(list)) {
					if last := a.last(); last.Target != nil && last.Target.Code != 500 {
						settled++
					}
				}
			})
			if len(sessions) > len(list)/10+settled/4 {
				t.Errorf("%d sessions, %d mailboxes settled", len(sessions), settled)
			}
		})
	}
}
