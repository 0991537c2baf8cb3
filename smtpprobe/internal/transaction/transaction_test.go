package transaction_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/transaction"
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
func converse(t *testing.T, script string, transactions ...*transaction.Transaction) (s *transaction.Session, err error) {
	t.Helper()
	s = inSession(t, script, func(s *transaction.Session) {
		for _, transaction := range transactions {
			if err = s.Run(context.Background(), transaction); err != nil {
				break
			}
		}
	})
	return s, err
}

// inSession opens a session with a host that plays a script, and does something
// in it.
func inSession(t *testing.T, script string, do func(s *transaction.Session)) (s *transaction.Session) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		defer network.Close()
		network.Add("192.0.2.1", smtptest.Script(script))
		config := wire.Config{HELO: "probe.example", Connect: time.Second, Command: 20 * time.Second}
		peer := wire.Peer{Dialer: network, Host: "mx.example", Addr: netip.MustParseAddrPort("192.0.2.1:25"), Last: true}
		s = &transaction.Session{
			Conn: wire.New(config, peer, time.Time{}), MailFrom: "me@probe.example", ManyRefused: 9,
			Classify: func(phase smtp.Phase, reply smtp.Reply, mailbox string) replies.Classification {
				return replies.DefaultClassifier().Read(replies.Input{Phase: phase, Reply: reply, Mailbox: mailbox})
			},
		}
		if err := s.Conn.Open(context.Background()); err != nil {
			t.Fatal(err)
		}
		do(s)
		s.Conn.Close(time.Second)
	})
	return s
}

// TestProofByItself sees that the reply about a proof that is named by itself
// counts only if its transaction was in step to its end.
func TestProofByItself(t *testing.T) {
	for end, counts := range map[string]bool{
		"S: 250 reset": true, "hang": false, "close": false, "S: 550 no": false, `raw: 250 reset\r\n250 what\r\n`: false,
	} {
		script := opening + "C: MAIL*\nC: RCPT TO:<proof@*\nC: RSET\nS: 250 ok\nS: 250 ok\n" + end
		proof := &transaction.Transaction{}
		proof.Add(belief.Proof, "proof@a.example", "a.example")
		_, err := converse(t, script, proof)
		if said := codes(proof); (said == "250") != counts || (err == nil) != counts || proof.Ended == counts {
			t.Errorf("%s: %s, %v; want a reply: %v", end, said, err, counts)
		}
	}
}

// TestUnreset sees that a host that knows no RSET is asked nothing more.
func TestUnreset(t *testing.T) {
	first, second := usual(), usual()
	script := opening + group + "S: 250 ok\nS: 250 ok\nS: 550 no\nS: 550 no\nS: 502 what\n"
	_, err := converse(t, script, first, second)
	if codes(first) != "250 550 550" || !first.Ended || codes(second) != "- - -" || err == nil {
		t.Errorf("%s, ended %t, and then %s (%v)", codes(first), first.Ended, codes(second), err)
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
		inSession(t, opening+group+"S: 250 ok\n"+replies+"\n", func(s *transaction.Session) {
			s.ManyRefused = 2
			talk := usual()
			if _ = s.Run(context.Background(), talk); talk.Slow != want {
				t.Errorf("%q: slow %t, want %t", replies, talk.Slow, want)
			}
		})
	}
}

// usual is a transaction about two targets and a canary.
func usual() *transaction.Transaction {
	t := &transaction.Transaction{}
	t.Add(belief.Target, "alice@a.example", "a.example")
	t.Add(belief.Target, "bob@a.example", "a.example")
	t.Add(belief.Canary, "canary@a.example", "a.example")
	return t
}

// codes are the replies to the recipients.
func codes(t *transaction.Transaction) string {
	var all []string
	for _, r := range t.Outcome.Named {
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
		{"EHLO answered twice", "250-mx\nS: 250 PIPELINING|250 ok|250 ok|550 no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"a target answered twice", "250 ok|250 ok|250 ok|550 no|550 no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"the reply to MAIL twice", "250 ok|250 ok|250 ok|550 no|550 no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"the canary accepted", "250 ok|250 ok|550 no|250 ok|250 reset", belief.OutOfStep, -1, "- - -"},
		{"one reply too few", "250 ok|550 no|550 no|250 reset", belief.FellSilent, -1, "550 550 250"},
		{"something left over", "250 ok|250 ok|550 no|550 no\nraw: 250 reset\\r\\n250 what\\r\\n", belief.OutOfStep, -1, "- - -"},
		{"another is named", "250 ok|250 ok|550 5.1.1 <alice@a.example> no|550 no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"a target is named to the canary", "250 ok|250 ok|550 no|550 5.1.1 <alice@a.example> no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"the sender is named", "250 ok|250 ok|550 5.7.1 <me@probe.example> no|550 no|250 reset", belief.None, -1, "250 550 550"},
		{"a target like MAIL", "250 2.1.0 ok|250 2.1.0 ok|250 2.1.5 ok|550 no|250 reset", belief.OutOfStep, -1, "- - -"},
		{"every target like MAIL", "250 2.1.0 ok|250 2.1.0 ok|250 2.1.0 ok|550 no|250 reset", belief.None, -1, "250 250 550"},
		{"RSET refused", "250 ok|250 ok|550 no|550 no|450 no", belief.OutOfStep, -1, "- - -"},
		{"RSET like a target", "250 ok|250 2.1.5 ok|550 no|550 no|250 2.1.5 ok", belief.OutOfStep, -1, "- - -"},
		{"RSET in words of its own", "250 ok|250 2.1.5 ok|550 no|550 no|250 2.1.5 reset", belief.None, -1, "250 550 550"},
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
			if talk.Outcome.Trouble != tt.trouble || talk.Outcome.Stopped != tt.stopped || codes(talk) != tt.codes {
				t.Errorf("trouble %d at %d, replies %s (%v), want %d at %d, %s",
					talk.Outcome.Trouble, talk.Outcome.Stopped, codes(talk), err, tt.trouble, tt.stopped, tt.codes)
			}
			ended := err != nil || tt.name == "RSET not known"
			if failed := talk.Trial != ""; failed != (tt.trouble == belief.FailedTrial) || talk.Ended != ended {
				t.Errorf("failed %q, ended %t (%v)", talk.Trial, talk.Ended, err)
			}
			if grouped := !strings.HasPrefix(tt.codes, "-"); talk.Grouped != grouped || talk.Began.IsZero() != (talk.Outcome.MAIL.Refused() || tt.name == "EHLO answered twice") {
				t.Errorf("grouped %t, began %v", talk.Grouped, talk.Began)
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
		talk := &transaction.Transaction{Outcome: belief.Outcome{Alone: true}}
		talk.Add(belief.Target, "alice@a.example", "a.example")
		talk.Add(belief.Proof, "proof@a.example", "a.example")
		script := one + "S: " + reply + "\n" + proof + "C: RSET\nS: 250 reset\n"
		if _, err := converse(t, script, talk); err != nil || (talk.Outcome.Named[1].Reply != nil) != (proof != "") {
			t.Errorf("%s: %v, replies %s", reply, err, codes(talk))
		}
	}
}

// TestWithoutSMTPUTF8 sees that a host that lacks it is not asked, and can be
// asked the next question.
func TestWithoutSMTPUTF8(t *testing.T) {
	needs, usual := usual(), usual()
	needs.UTF8 = true
	script := opening + group + "S: 250 ok\nS: 250 ok\nS: 550 no\nS: 550 no\nS: 250 reset\n"
	s, err := converse(t, script, needs, usual)
	if needs.Outcome.Trouble != belief.NotAsked || needs.Ended || codes(usual) != "250 550 550" || !usual.Outcome.Fresh || err != nil {
		t.Errorf("trouble %d, ended %t, then %s (%v)", needs.Outcome.Trouble, needs.Ended, codes(usual), err)
	}
	if s.Transactions != 1 || s.Recipients != 3 || s.Refused != 2 {
		t.Errorf("%d transactions, %d recipients, %d refused", s.Transactions, s.Recipients, s.Refused)
	}
}

// TestPostmasterIsSomebodyToTurnTo sees that a refusal may name the postmaster.
func TestPostmasterIsSomebodyToTurnTo(t *testing.T) {
	u := usual()
	script := opening + group + "S: 250 ok\nS: 250 ok\nS: 550 5.1.1 no, ask <postmaster@a.example>\nS: 550 no\nS: 250 reset\n"
	if _, _ = converse(t, script, u); u.Outcome.Trouble != belief.None {
		t.Errorf("trouble %d, want none", u.Outcome.Trouble)
	}
}
