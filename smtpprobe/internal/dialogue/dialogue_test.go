package dialogue_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// opening is what the host of a test says first.
const opening = "S: 220 mx\nC: EHLO *\nS: 250-mx\nS: 250 PIPELINING\n"

// group waits for a transaction about two targets and a canary.
const group = "C: MAIL*\nC: RCPT TO:<alice@*\nC: RCPT TO:<bob@*\nC: RCPT TO:<canary@*\nC: RSET\n"

// converse opens a session with a host that plays a script, and carries
// transactions out in it.
func converse(t *testing.T, script string, transactions ...*dialogue.Transaction) (s *dialogue.Session, err error) {
	t.Helper()
	s = inSession(t, script, func(s *dialogue.Session) {
		for _, transaction := range transactions {
			transaction.Session = s
			if err = transaction.Run(context.Background()); err != nil {
				break
			}
		}
	})
	return s, err
}

// inSession opens a session with a host that plays a script, and does something
// in it.
func inSession(t *testing.T, script string, do func(s *dialogue.Session)) (s *dialogue.Session) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		defer network.Close()
		network.Add("192.0.2.1", smtptest.Script(script))
		config := wire.Config{HELO: "probe.example", Connect: time.Second, Command: 20 * time.Second}
		peer := wire.Peer{Dialer: network, Host: "mx.example", Addr: netip.MustParseAddrPort("192.0.2.1:25"), Last: true}
		s = &dialogue.Session{
			Conn: wire.New(config, peer, time.Time{}), MailFrom: "me@probe.example", ManyRefused: 9,
			Classify: func(phase smtp.Phase, reply smtp.Reply, mailbox string) replies.Classification {
				return replies.DefaultClassifier().Read(replies.Input{Phase: phase, Reply: reply, Mailbox: mailbox})
			},
		}
		if err := s.Open(context.Background()); err != nil {
			t.Fatal(err)
		}
		do(s)
		s.Close(time.Second)
	})
	return s
}

// TestNameOne sees that the reply about one mailbox counts only if its
// transaction was in step to its end.
func TestNameOne(t *testing.T) {
	for end, counts := range map[string]bool{
		"S: 250 reset": true, "hang": false, "close": false, "S: 550 no": false, `raw: 250 reset\r\n250 what\r\n`: false,
	} {
		script := opening + "C: MAIL*\nC: RCPT TO:<proof@*\nC: RSET\nS: 250 ok\nS: 250 ok\n" + end
		inSession(t, script, func(s *dialogue.Session) {
			said, err := s.NameOne(context.Background(), "proof@a.example", false)
			if (said.Reply != nil) != counts || (err == nil) != counts {
				t.Errorf("%s: %v, %v; want a reply: %v", end, said.Reply, err, counts)
			}
		})
	}
}

// TestSlow sees that a host is slow whose reply to RSET is late behind more
// refusals than any host takes, and not one that takes long over a mailbox.
func TestSlow(t *testing.T) {
	const refused = "S: 550 no\nS: 550 no\nS: 550 no\n"
	for replies, want := range map[string]bool{
		refused + "sleep 1s\nS: 250 reset":                        true,
		refused + "S: 250 reset":                                  false,
		"S: 550 no\nS: 550 no\nsleep 1s\nS: 550 no\nS: 250 reset": false,
		"S: 250 ok\nS: 550 no\nS: 550 no\nsleep 1s\nS: 250 reset": false,
	} {
		inSession(t, opening+group+"S: 250 ok\n"+replies+"\n", func(s *dialogue.Session) {
			s.ManyRefused = 2
			talk := usual()
			talk.Session = s
			if _ = talk.Run(context.Background()); s.Slow != want {
				t.Errorf("%q: slow %t, want %t", replies, s.Slow, want)
			}
		})
	}
}

// usual is a transaction about two targets and a canary.
func usual() *dialogue.Transaction {
	t := &dialogue.Transaction{}
	t.Add(dialogue.Recipient{Mailbox: "alice@a.example", Domain: "a.example"})
	t.Add(dialogue.Recipient{Mailbox: "bob@a.example", Domain: "a.example"})
	t.Add(dialogue.Recipient{Mailbox: "canary@a.example", Domain: "a.example", Role: belief.Canary})
	return t
}

// codes are the replies to the recipients.
func codes(t *dialogue.Transaction) string {
	var all []string
	for _, r := range t.Named {
		code := "-"
		if r.Reply != nil {
			code = fmt.Sprint(r.Reply.Code)
		}
		all = append(all, code)
	}
	return strings.Join(all, " ")
}

// TestInStep sees which replies to a group are in step with its commands, and
// where the session ended. Replies that are not are dropped.
func TestInStep(t *testing.T) {
	for _, tt := range []struct {
		name, replies string // to MAIL, two targets, the canary and RSET
		trouble       belief.Trouble
		stopped       int
		codes         string
	}{
		{"in step", "250 ok|250 ok|550 5.1.1 no|550 5.1.1 no|250 reset", belief.None, -1, "250 550 550"},
		{"MAIL refused", "550 5.7.1 no|503 no|503 no|503 no|250 reset", belief.MAILRefused, -1, "- - -"},
		{"EHLO answered twice", "250-mx\nS: 250 PIPELINING|250 ok|250 ok|550 no|550 no", belief.OutOfStep, -1, "- - -"},
		{"a target answered twice", "250 ok|250 ok|250 ok|550 no|550 no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"the reply to MAIL twice", "250 ok|250 ok|250 ok|550 no|550 no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"the canary accepted", "250 ok|250 ok|550 no|250 ok|250 reset", belief.OutOfStep, -1, "- - -"},
		{"one reply too few", "250 ok|550 no|550 no|250 reset", belief.FellSilent, -1, "550 550 250"},
		{"something left over", "250 ok|250 ok|550 no|550 no\nraw: 250 reset\\r\\n250 what\\r\\n", belief.OutOfStep, -1, "- - -"},
		{"another is named", "250 ok|250 ok|550 5.1.1 <alice@a.example> no|550 no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"a target is named to the canary", "250 ok|250 ok|550 no|550 5.1.1 <alice@a.example> no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"the sender is named", "250 ok|250 ok|550 5.7.1 <me@probe.example> no|550 no|250 reset", belief.None, -1, "250 550 550"},
		{"RSET refused", "250 ok|250 ok|550 no|550 no|450 no", belief.OutOfStep, -1, "- - -"},
		{"RSET like a target", "250 ok|250 2.1.5 ok|550 no|550 no|250 2.1.5 ok", belief.OutOfStep, -1, "- - -"},
		{"RSET not known", "250 ok|250 ok|550 no|550 no|502 what", belief.None, -1, "250 550 550"},
		{"421 at the second", "250 ok|250 ok|421 4.7.0 too many", belief.HungUp, 1, "250 421 -"},
		{"no reply at all", "250 ok|hello", belief.OutOfStep, 0, "- - -"},
		{"silence at the first", "250 ok", belief.FailedTrial, 0, "- - -"},
		{"no groups, at MAIL", "500 5.5.1 Invalid command: Pipelining not supported", belief.FailedTrial, -1, "- - -"},
		{"no groups, by its words", "554 SMTP synchronization error", belief.FailedTrial, -1, "- - -"},
		{"no groups, by its code", "521 5.5.1 Protocol error", belief.FailedTrial, -1, "- - -"},
		{"an argument that it does not like", "504 5.5.2 <probe>: Helo command rejected: need fully-qualified hostname", belief.MAILRefused, -1, "- - -"},
		{"no groups, at the first", "250 ok|503 bad sequence of commands", belief.FailedTrial, 0, "- - -"},
		{"no groups, at the second", "250 ok|250 ok|503 bad sequence of commands|503 no|250 reset", belief.None, -1, "250 503 503"},
		{"one recipient too many", "250 ok|452 4.5.3 too many recipients|452 4.5.3 no|550 no|250 reset", belief.None, -1, "452 452 550"},
		{"silence at the canary", "250 ok|250 ok|550 no", belief.FellSilent, 2, "250 550 -"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := opening + group + "S: " + strings.ReplaceAll(tt.replies, "|", "\nS: ") + "\n"
			if tt.trouble == belief.FellSilent || tt.trouble == belief.FailedTrial {
				script += "hang"
			}
			talk := usual()
			_, err := converse(t, script, talk)
			if talk.Trouble != tt.trouble || talk.Stopped != tt.stopped || codes(talk) != tt.codes {
				t.Errorf("trouble %d at %d, replies %s (%v), want %d at %d, %s",
					talk.Trouble, talk.Stopped, codes(talk), err, tt.trouble, tt.stopped, tt.codes)
			}
		})
	}
}

// TestProofOfOne sees that a target alone gets the proof behind it only where
// it was refused as a mailbox that is not there.
func TestProofOfOne(t *testing.T) {
	const one = opening + "C: MAIL*\nS: 250 ok\nC: RCPT TO:<alice@*\n"
	for reply, proof := range map[string]string{
		"250 ok": "", "450 4.2.0 later": "", "550 5.1.1 no such user": "C: RCPT TO:<proof@*\nS: 250 ok\n",
	} {
		talk := &dialogue.Transaction{Alone: true}
		talk.Add(dialogue.Recipient{Mailbox: "alice@a.example", Domain: "a.example"})
		talk.Add(dialogue.Recipient{Mailbox: "proof@a.example", Domain: "a.example", Role: belief.Proof})
		script := one + "S: " + reply + "\n" + proof + "C: RSET\nS: 250 reset\n"
		if _, err := converse(t, script, talk); err != nil || (talk.Named[1].Reply != nil) != (proof != "") {
			t.Errorf("%s: %v, replies %s", reply, err, codes(talk))
		}
	}
}

// TestPostmasterIsSomebodyToTurnTo sees that a refusal may name the postmaster.
func TestPostmasterIsSomebodyToTurnTo(t *testing.T) {
	u := usual()
	script := opening + group + "S: 250 ok\nS: 250 ok\nS: 550 5.1.1 no, ask <postmaster@a.example>\nS: 550 no\nS: 250 reset\n"
	if _, _ = converse(t, script, u); u.Trouble != belief.None {
		t.Errorf("trouble %d, want none", u.Trouble)
	}
}
