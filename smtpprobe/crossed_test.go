package smtpprobe_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe"
)

// arrangement makes what a host says to a group of commands.
type arrangement func(v *visit, group, answers []string) []string

// checkArranged asks a host with an arrangement about many mailboxes, at once
// and one after the other. No mailbox may have the opposite of the truth.
func checkArranged(t *testing.T, w wording, arrange func() arrangement) {
	t.Helper()
	for _, inTurn := range []bool{false, true} {
		for _, crowd := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s in turn %t crowd %t", w.name, inTurn, crowd), func(t *testing.T) {
				host := w.host(inTurn)
				host.Arrange = arrange()
				inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 1000}, one(host), func(b *bubble) {
					list, ask := mailboxes(150, living(60), "a.example", "b.example"), b.askAll
					if !crowd {
						list, ask = list[:40], b.askInTurn
					}
					for i, r := range ask(aboutAll(list)) {
						checkVerdict(b.T, list[i], r)
					}
				})
			})
		}
	}
}

// regroups changes the replies about the recipients of a group.
func regroups(change func(replies []string) []string) func() arrangement {
	return func() arrangement {
		return func(_ *visit, group, answers []string) []string {
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

// isRCPT reports whether a command names a recipient.
func isRCPT(command string) bool { return strings.HasPrefix(command, "RCPT") }

// TestNamedRepliesInAnotherOrder is about hosts that reply to the recipients of
// a group in another order, leave one reply out and repeat another, or say what
// they should have said in the transaction before, and say whom they mean.
func TestNamedRepliesInAnotherOrder(t *testing.T) {
	refused := func(a, b string) int { return strings.Compare(a[:1], b[:1]) }
	for name, arrange := range map[string]func() arrangement{
		"accepted first": regroups(func(r []string) []string {
			slices.SortStableFunc(r, refused)
			return r
		}),
		"refused first": regroups(func(r []string) []string {
			slices.SortStableFunc(r, func(a, b string) int { return refused(b, a) })
			return r
		}),
		"rotated": regroups(func(r []string) []string { return append(r[1:], r[0]) }),
		"neighbours swapped": regroups(func(r []string) []string {
			for i := 0; i+1 < len(r); i += 2 {
				r[i], r[i+1] = r[i+1], r[i]
			}
			return r
		}),
		"the first for all": regroups(func(r []string) []string { return slices.Repeat(r[:1], len(r)) }),
		"the last for all":  regroups(func(r []string) []string { return slices.Repeat(r[len(r)-1:], len(r)) }),
		"the second twice, the third never": regroups(func(r []string) []string {
			if len(r) > 3 {
				r[2] = r[1]
			}
			return r
		}),
		"all late":       func() arrangement { return late(true) },
		"the first late": func() arrangement { return late(false) },
	} {
		t.Run(name, func(t *testing.T) { checkArranged(t, naming, arrange) })
	}
}

// late replies to the recipients of a transaction, or to the first of them,
// with what should have been said to those of the one before it.
func late(all bool) arrangement {
	type replies struct{ before, now []string }
	sessions := map[*visit]*replies{}
	var mu sync.Mutex
	return func(v *visit, group, answers []string) []string {
		mu.Lock()
		defer mu.Unlock()
		r := sessions[v]
		if r == nil {
			r = &replies{}
			sessions[v] = r
		}
		answers = slices.Clone(answers)
		for i, command := range group {
			switch {
			case strings.HasPrefix(command, "MAIL"):
				r.before, r.now = r.now, nil
			case isRCPT(command):
				n := len(r.now)
				r.now = append(r.now, answers[i])
				if n < len(r.before) && (all || n == 0) {
					answers[i] = r.before[n]
				}
			}
		}
		return answers
	}
}

// TestMachinesDiffer is about a host behind whose address one machine in three
// takes every mailbox: no mailbox is called alive because another machine
// refused the control.
func TestMachinesDiffer(t *testing.T) {
	for _, w := range []wording{plain, enhanced, naming} {
		checkArranged(t, w, func() arrangement {
			return func(v *visit, group, answers []string) []string {
				for i, command := range group {
					if isRCPT(command) && v.Number%3 == 0 {
						answers[i] = w.about("real@a.example")
					}
				}
				return answers
			}
		})
	}
}

// TestReversedAnswers is about a host that answers the recipients of a group in
// reverse order and names none: the first of each group is refused as the
// control was. That the control was accepted counts for no later target.
func TestReversedAnswers(t *testing.T) {
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 2}, one(hostile.Host("pipelining-reversed")), func(b *bubble) {
		list := []string{"missing@a.example"}
		for i := range 60 {
			list = append(list, fmt.Sprintf("real%d@b.example", i))
		}
		for i, r := range append(b.askInTurn(aboutAll(list[:1])), b.askAll(aboutAll(list[1:]))...) {
			if r.code() != 0 && r.code() != want(list[i]) {
				b.Errorf("%s: %v", list[i], r)
			}
		}
		if c := b.ask(b.Context(), about("real@b.example")).last().Control; c != nil && c.Code == 250 {
			b.Errorf("a control was %v", c)
		}
	})
}

// TestNamedByAnotherName is about hosts that refuse or accept a mailbox by
// another name: they mean the mailbox if the name stays the same, or is its own
// without quotes.
func TestNamedByAnotherName(t *testing.T) {
	const alice, jane = "alice@a.example", `"jane \" doe"@a.example`
	for _, tt := range []struct {
		mailbox, says string // %d is the number of the session
		want          string
		sessions      int
	}{
		{alice, "550 5.1.1 <box7@backend.example>: user unknown", "dead", 2},
		{alice, "551 5.1.6 User not local; please try <new@b.example>", "dead", 2},
		{alice, "550 5.1.1 <bob%d@other.example>: user unknown", "unknown", 2},
		{alice, "250 2.1.5 <bob%d@other.example> ok", "unknown", 2},
		{jane, `550 5.1.1 <jane " doe@a.example>: no such user`, "dead", 1},
	} {
		host := &peer{RCPTFunc: func(v *visit, m string) string {
			if m != tt.mailbox {
				return ""
			}
			return strings.ReplaceAll(tt.says, "%d", fmt.Sprint(v.Number))
		}}
		sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			r := b.ask(b.Context(), about(tt.mailbox))
			if got := verdictOf(tt.mailbox, r); got != tt.want {
				b.Errorf("%s is %s, want %s:\n%s", tt.says, got, tt.want, transcript(r.last()))
			}
		})
		if len(sessions) > tt.sessions {
			t.Errorf("%s: %d sessions", tt.says, len(sessions))
		}
	}
}

// choosy is a host that takes every mailbox but those that begin with "bad",
// which is the way of a host that answers out of order, too.
func choosy(_ *visit, m string) string {
	if strings.HasPrefix(m, "bad") {
		return "550 5.1.1 no such user"
	}
	return "250 2.1.5 Ok"
}

// TestRefusedOnASessionInUse is about a host that refuses all mailboxes that
// come later on a session in the words for an unknown one, and takes random
// ones: only what it says on a fresh session shows that it means it.
func TestRefusedOnASessionInUse(t *testing.T) {
	host := &peer{RCPTFunc: func(v *visit, _ string) string {
		if v.Mailed > 1 {
			return "550 5.1.1 no such user"
		}
		return "250 2.1.5 Ok"
	}}
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		b.checkAnswered(b.askInTurn(aboutAll(mailboxes(4, none, "a.example"))), 250)
	})
}
