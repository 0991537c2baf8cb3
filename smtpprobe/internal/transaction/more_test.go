package transaction_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/transaction"
)

// about is a transaction about some targets of a.example and its control.
func about(targets ...string) *transaction.Transaction {
	t := &transaction.Transaction{}
	for _, local := range targets {
		t.Add(belief.Target, local+"@a.example", "a.example")
	}
	t.Add(belief.Control, "random@a.example", "a.example")
	return t
}

// said is a script in which the host says this about each recipient of a
// transaction, "local reply|local reply".
func said(recipients string) string {
	var commands, replies strings.Builder
	for _, r := range strings.Split(recipients, "|") {
		local, reply, _ := strings.Cut(r, " ")
		fmt.Fprintf(&commands, "C: RCPT TO:<%s@*\n", local)
		fmt.Fprintf(&replies, "S: %s\n", reply)
	}
	return "C: MAIL*\n" + commands.String() + "C: RSET\nS: 250 ok\n" + replies.String() + "S: 250 reset\n"
}

// TestControlIsSettled sees what is asked about a control that was refused and
// not called unknown, whatever the words, and the outcome.
func TestControlIsSettled(t *testing.T) {
	for name, tt := range map[string]struct {
		targets []string
		script  string
		codes   string // of the targets and the control
		behind  int    // the reply to the target that was named behind it; 0: none was
		named   int
	}{
		"called unknown": {
			[]string{"alice"}, said("alice 250 ok|random 550 5.1.1 unknown"), "250 550", 0, 2,
		},
		"greylisted": {
			[]string{"alice"}, said("alice 250 ok|random 451 4.7.1 greylisted"), "250 451", 0, 2,
		},
		"the target is refused, too": {
			[]string{"alice"}, said("alice 550 rejected|random 550 rejected"), "550 550", 0, 2,
		},
		"one too many, by its code": {
			[]string{"alice"}, said("alice 250 ok|random 452 4.5.3 too many recipients") + said("random 550 5.1.1 unknown"), "250 550", 0, 3,
		},
		"one too many, by its words": {
			[]string{"alice"}, said("alice 250 ok|random 550 5.7.1 Too many recipients for bounce") + said("random 250 ok"), "250 250", 0, 3,
		},
		"one too many, in any words": {
			[]string{"alice"}, said("alice 250 ok|random 554 5.7.1 sorry") + said("random 250 ok"), "250 250", 0, 3,
		},
		"one too many for now": {
			[]string{"alice"}, said("alice 250 ok|random 451 one at a time") + said("random 550 5.1.1 unknown"), "250 550", 0, 3,
		},
		"put off once more": {
			[]string{"alice"}, said("alice 250 ok|random 451 not now") + said("random 451 not now"), "250 451", 0, 3,
		},
		"too many again": {
			[]string{"alice"}, said("alice 250 ok|random 550 too many recipients") + said("random 550 too many recipients"), "250 550", 0, 3,
		},
		"refused by itself": {
			[]string{"alice"}, said("alice 250 ok|random 550 rejected") + said("random 550 rejected") + said("alice 250 ok"), "250 550", 250, 4,
		},
		"everybody is refused from the second on": {
			[]string{"alice"}, said("alice 250 ok|random 550 rejected") + said("random 550 rejected") + said("alice 550 rejected"), "250 550", 550, 4,
		},
		"beside several targets": {
			[]string{"ghost", "alice", "bob"},
			said("ghost 550 rejected|alice 250 ok|bob 250 ok|random 550 rejected") + said("random 550 rejected") + said("alice 250 ok"),
			"550 250 250 550", 250, 6,
		},
		"put off beside several targets": {
			[]string{"alice", "bob"}, said("alice 250 ok|bob 250 ok|random 451 not now"), "250 250 451", 0, 3,
		},
		"the host hangs up instead": {
			[]string{"alice"}, said("alice 250 ok|random 550 rejected") + "C: MAIL*\nclose", "250 550", 0, 2,
		},
		"the host hangs up behind the control": {
			[]string{"alice", "bob"},
			said("alice 250 ok|bob 250 ok|random 550 rejected") + said("random 550 rejected") + "C: MAIL*\nclose", "250 250 550", 0, 4,
		},
		"a reply too many": {
			[]string{"alice"},
			said("alice 250 ok|random 550 rejected") + "C: MAIL*\nC: RCPT*\nC: RSET\nS: 250 ok\nS: 550 rejected\nS: 550 rejected\nS: 250 reset\n", "- -", 0, 3,
		},
		"postmaster, who is accepted from everybody": {
			[]string{"postmaster"}, said("postmaster 250 ok|random 550 rejected"), "250 550", 0, 2,
		},
		"one too many beside several targets": {
			[]string{"alice", "bob"},
			said("alice 250 ok|bob 550 rejected|random 550 rejected") + said("random 250 ok"), "250 550 250", 0, 4,
		},
		"everybody is refused behind several targets": {
			[]string{"alice", "bob"},
			said("alice 250 ok|bob 550 rejected|random 550 rejected") + said("random 550 rejected") + said("alice 550 rejected"),
			"250 550 550", 550, 5,
		},
	} {
		t.Run(name, func(t *testing.T) {
			talk := about(tt.targets...)
			s, err := converse(t, opening+tt.script, talk)
			control, behind := talk.Outcome.Named[len(talk.Outcome.Named)-1], 0
			if control.Behind != nil {
				behind = control.Behind.Code
			}
			if got := codes(talk); got != tt.codes || behind != tt.behind || s.Recipients != tt.named {
				t.Errorf("replies %s, %d behind, %d named (%v); want %s, %d, %d", got, behind, s.Recipients, err, tt.codes, tt.behind, tt.named)
			}
			trouble := belief.None
			switch {
			case tt.codes == "- -":
				trouble = belief.OutOfStep
			case strings.HasSuffix(name, " several targets") && tt.behind != 250 && talk.Outcome.Repeated > 0:
				trouble = belief.TooMany
			}
			if talk.Outcome.Trouble != trouble {
				t.Errorf("trouble %d (%v), want %d", talk.Outcome.Trouble, err, trouble)
			}
			if want := len(talk.Outcome.Named) + talk.Outcome.Repeated; err == nil && s.Recipients != want {
				t.Errorf("%d recipients, but %d were named at first and %d once more", s.Recipients, len(talk.Outcome.Named), talk.Outcome.Repeated)
			}
		})
	}
}

// TestTryAgainInSeconds sees that a lone target, or its control, is asked about
// again in the same session where the host wants that within seconds, and there
// is time.
func TestTryAgainInSeconds(t *testing.T) {
	const soon, later = "450 4.7.1 busy, try again in 3 seconds", "450 4.7.1 busy, try again in 60 seconds"
	pending := said("alice " + soon + "|random " + soon)
	for name, tt := range map[string]struct {
		targets []string
		script  string
		time    time.Duration // that there is; 0: no end
		codes   string
		took    time.Duration
	}{
		"both": {
			[]string{"alice"}, pending + said("alice 250 ok") + said("random 550 5.1.1 unknown"), 30 * time.Second, "250 550", 3 * time.Second,
		},
		"the control": {
			[]string{"alice"}, said("alice 250 ok|random "+soon) + said("random "+soon) + said("random 550 5.1.1 unknown"), 0, "250 550", 6 * time.Second,
		},
		"in vain": {
			[]string{"alice"}, said("alice "+soon+"|random 550 5.1.1 unknown") + strings.Repeat(said("alice "+soon), 3), 0, "450 550", 9 * time.Second,
		},
		"no time":  {[]string{"alice"}, pending, 5 * time.Second, "450 450", 0},
		"too long": {[]string{"alice"}, said("alice " + later + "|random " + later), 0, "450 450", 0},
		"in company": {
			[]string{"alice", "bob"}, said("alice " + soon + "|bob " + soon + "|random " + soon), 0, "450 450 450", 0,
		},
		"the host hangs up instead": {[]string{"alice"}, pending + "close", 0, "450 450", 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			talk := about(tt.targets...)
			var took time.Duration
			inSession(t, opening+tt.script, func(s *transaction.Session) {
				began := time.Now()
				if tt.time > 0 {
					talk.End = began.Add(tt.time)
				}
				_ = s.Run(context.Background(), talk)
				took = time.Since(began)
			})
			if got := codes(talk); got != tt.codes || took.Round(time.Second) != tt.took || talk.Outcome.Trouble != belief.None {
				t.Errorf("replies %s after %v, trouble %d; want %s after %v", got, took, talk.Outcome.Trouble, tt.codes, tt.took)
			}
		})
	}
}

// TestProofThatWasOneTooMany sees that a proof which was refused is named again
// in a transaction of its own, whatever the words, and what that means for
// targets beside each other.
func TestProofThatWasOneTooMany(t *testing.T) {
	for name, tt := range map[string]struct {
		targets []string
		script  string
		codes   string // of the targets and the proof
		trouble belief.Trouble
	}{
		"it is accepted": {
			[]string{"ghost"}, said("ghost 550 5.1.1 unknown|proof 550 5.7.1 denied") + said("proof 250 ok"), "550 250", belief.None,
		},
		"it is refused again": {
			[]string{"ghost"}, said("ghost 550 5.1.1 unknown|proof 550 5.7.1 denied") + said("proof 550 5.7.1 denied"), "550 550", belief.None,
		},
		"beside several targets": {
			[]string{"ghost", "alice"},
			said("ghost 550 5.1.1 unknown|alice 550 denied|proof 550 denied") + said("proof 250 ok"), "550 550 250", belief.TooMany,
		},
		"the host has turned": {
			[]string{"ghost", "alice"},
			said("ghost 550 5.1.1 unknown|alice 550 denied|proof 550 denied") + said("proof 550 denied"), "550 550 550", belief.None,
		},
	} {
		t.Run(name, func(t *testing.T) {
			talk := &transaction.Transaction{}
			for _, local := range tt.targets {
				talk.Add(belief.Target, local+"@a.example", "a.example")
			}
			talk.Add(belief.Proof, "proof@a.example", "a.example")
			if _, err := converse(t, opening+tt.script, talk); err != nil || codes(talk) != tt.codes || talk.Outcome.Trouble != tt.trouble {
				t.Errorf("replies %s, trouble %d (%v); want %s, %d", codes(talk), talk.Outcome.Trouble, err, tt.codes, tt.trouble)
			}
		})
	}
}
