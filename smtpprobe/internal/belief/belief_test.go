package belief

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// names of fates, as the tables have them.
var names = map[Fate]string{
	Final: "final", AwaitsProof: "awaits", Unproven: "unproven", Again: "again", AgainAlone: "alone",
	Dropped: "dropped",
}

// newCase makes a case of what the host said to MAIL, targets and others: a
// word each, as "ok" or "no" or "blocked", with "proof:", "control:" or
// "canary:" before it for those that are no target; "-" is no reply. What was
// said to the target behind a control follows it: "control:nameless/ok". All
// are of one domain.
func newCase(said string) *Case {
	c := &Case{Transaction: &dialogue.Transaction{Fresh: true, Stopped: -1}, Host: Host{Unheard: true}}
	roles := map[string]dialogue.Role{
		"proof": dialogue.Proof, "exempt": dialogue.Proof, "control": dialogue.Control, "canary": dialogue.Canary,
	}
	for i, word := range strings.Fields(said) {
		kind, text, beside := strings.Cut(word, ":")
		if !beside {
			kind, text = "", word
		}
		text, behind, _ := strings.Cut(text, "/")
		said := dialogue.Exchange{}
		if text != "-" {
			said.Reply = replyOf(text)
			in := replies.Input{Phase: smtp.PhaseRCPT, Reply: *said.Reply, Mailbox: "a@a.example"}
			said.Class = replies.DefaultClassifier().Read(in).Class
		}
		if i == 0 {
			c.MAIL = said
			continue
		}
		mailbox := fmt.Sprintf("m%d@a.example", i)
		if kind == "exempt" {
			mailbox = "postmaster@a.example"
		}
		r := dialogue.Recipient{
			Mailbox: mailbox, Domain: "a.example", Role: roles[kind], Before: i - 1, Exchange: said,
		}
		if behind != "" {
			r.Behind = replyOf(behind)
		}
		c.Add(r)
	}
	c.Controls = make([]*smtp.Reply, c.Targets)
	return c
}

// replyTo has the replies by their words.
var replyTo = map[string]string{
	"ok": "250 2.1.5 ok", "no": "550 5.1.1 no such user", "full": "452 4.2.2 mailbox full",
	"blocked": "550 5.7.1 blocked", "grey": "450 4.7.1 greylisted, try again later", "many": "452 4.5.3 too many recipients",
	"421": "421 4.7.0 closing", "storage": "452 requested action not taken", "nameless": "550 rejected",
	"absent": "550 5.1.1 recipient is absent", "unverified": "252 2.1.5 cannot verify", "off": "550 5.2.1 mailbox disabled",
	"moved": "551 5.1.6 user has moved to b@b.example",
}

func replyOf(word string) *smtp.Reply {
	reply, err := smtp.ParseReply(replyTo[word])
	if err != nil {
		panic(err)
	}
	return &reply
}

func fatesOf(c *Case) string {
	var all []string
	c.Trouble = c.Finds()
	for _, f := range c.Fates() {
		all = append(all, names[f])
	}
	return strings.Join(all, " ")
}

// TestFates is the table of the rules.
func TestFates(t *testing.T) {
	known := func(c *Case) { c.ProofKnown, c.Accepts, c.Unheard = true, true, false }
	heard := func(c *Case) { c.Unheard = false }
	alone := func(c *Case) { c.Alone = true }
	later := func(c *Case) { c.Fresh = false }
	trouble := func(what dialogue.Trouble, at int) func(*Case) {
		return func(c *Case) { c.Trouble, c.Stopped = what, at }
	}
	earlier := func(code int) func(*Case) {
		return func(c *Case) { c.Controls[0] = &smtp.Reply{Code: code} }
	}
	shown := func(what ...string) func(*Case) {
		return func(c *Case) {
			for _, w := range what {
				c.Shown = c.Shown.With(w)
			}
		}
	}
	first := func(word string) func(*Case) {
		return func(c *Case) { c.First = WordingOf(&newCase("ok " + word).Named[0]) }
	}
	for _, tt := range []struct {
		said  string // to MAIL, targets and others
		given []func(*Case)
		want  string
	}{
		// In step: what is said of the mailbox counts in company, and
		// greylisting; other replies count first or alone.
		{"ok ok control:no", nil, "final"},
		{"ok ok ok full control:no", []func(*Case){later}, "final final final"},
		{"ok ok blocked blocked control:no", nil, "final alone again"},
		{"ok ok blocked control:no", []func(*Case){shown("550 5.7.1 blocked")}, "final final"},
		{"ok blocked control:blocked", nil, "final"},
		{"ok ok grey control:no", nil, "final final"},
		{"ok ok unverified control:no", nil, "final final"},
		{"ok ok off moved ok control:no", []func(*Case){heard}, "final final final final"},
		{"ok blocked ok control:no", nil, "final final"},
		{"ok ok many control:no", nil, "again again"},
		{"ok ok storage control:no", nil, "again again"},
		{"ok ok control:many", nil, "final"},
		{"ok ok ok control:blocked", nil, "alone again"},
		{"ok ok control:blocked", nil, "final"},
		{"ok ok canary:blocked", []func(*Case){later, earlier(550)}, "final"},

		// A control that was refused without being called unknown is believed
		// if a target was accepted behind it. If that was refused, the session
		// may have turned before, unless there was nothing before.
		{"ok ok ok control:nameless", nil, "alone again"},
		{"ok ok ok control:nameless", []func(*Case){shown("550  ambiguous")}, "alone again"},
		{"ok ok ok control:nameless/ok", nil, "final final"},
		{"ok ok ok control:nameless/nameless", nil, "alone again"},
		{"ok ok control:nameless/nameless", []func(*Case){later}, "alone"},
		{"ok ok control:nameless/nameless", nil, "final"},
		{"ok ok control:nameless", []func(*Case){alone}, "final"},
		{"ok ok blocked control:blocked/ok", nil, "final alone"},
		{"ok ok canary:nameless", []func(*Case){later, earlier(550)}, "final"},

		// A refusal beside an accepted control is confirmed alone.
		{"ok no ok control:ok", nil, "alone final"},
		{"ok no ok control:ok", []func(*Case){shown(Confirmed)}, "final final"},
		{"ok no control:ok", []func(*Case){alone}, "final"},
		{"ok no proof:ok", []func(*Case){later, earlier(250)}, "alone"},

		// A refusal counts when an acceptance follows it, or among the first.
		{"ok no control:no", nil, "final"},
		{"ok no no ok control:no", []func(*Case){heard}, "final final final"},
		{"ok ok no control:no", []func(*Case){heard}, "final awaits"},
		{"ok no no control:no", nil, "final awaits"},
		{"ok full no control:no", nil, "final awaits"},
		{"ok no no ok no control:no", []func(*Case){heard}, "final final final again"},
		{"ok ok no full control:no", []func(*Case){heard}, "final again final"},
		{"ok no no control:no", []func(*Case){heard}, "awaits awaits"},
		{"ok no no control:no", []func(*Case){known, later}, "again again"},
		{"ok no no no ok no proof:no control:no", []func(*Case){heard}, "final final final final awaits"},
		{"ok no control:no", []func(*Case){heard, later}, "awaits"},
		{"ok no control:no", []func(*Case){func(c *Case) { c.Others = true }}, "awaits"},
		{"ok no control:no", []func(*Case){known}, "awaits"},
		{"ok ok no proof:ok canary:no", []func(*Case){known, later}, "final final"},
		{"ok ok no proof:no canary:no", []func(*Case){known, later}, "final again"},
		{"ok ok no proof:no control:no", []func(*Case){heard}, "final awaits"},
		{"ok no no no no ok no control:no", []func(*Case){heard}, "final final final final final again"},
		{"ok no no no no no no control:no", []func(*Case){heard}, "awaits awaits awaits awaits awaits awaits"},
		{"ok no proof:no canary:no", []func(*Case){known, alone}, "unproven"},
		{"ok no canary:no", []func(*Case){heard, alone}, "awaits"},
		{"ok no proof:ok canary:no", []func(*Case){heard, alone}, "final"},

		// Hosts exempt postmaster: it proves refusals in the first words only.
		{"ok no no exempt:ok canary:no", []func(*Case){known, later, first("no")}, "final final"},
		{"ok no absent absent exempt:ok canary:no", []func(*Case){known, later, first("no")}, "final alone again"},
		{"ok no absent ok exempt:ok canary:no", []func(*Case){known, later, first("no")}, "final final final"},
		{"ok no absent proof:ok canary:no", []func(*Case){known, later, first("no")}, "final final"},
		{"ok no absent exempt:ok canary:no", []func(*Case){known, later, first("no"), shown("550 5.1.1 recipient is absent")}, "final awaits"},
		{"ok no no exempt:ok canary:no", []func(*Case){known, later}, "awaits alone"},
		{"ok absent exempt:ok canary:no", []func(*Case){known, alone, first("no")}, "unproven"},
		{"ok no exempt:ok canary:no", []func(*Case){known, alone, first("no")}, "final"},

		// Not in step, or cut short: asked again, but for whom it is about.
		{"ok - - control:-", []func(*Case){trouble(dialogue.OutOfStep, -1)}, "again again"},
		{"ok - control:-", []func(*Case){trouble(dialogue.OutOfStep, -1)}, "again"},
		{"ok - control:-", []func(*Case){trouble(dialogue.OutOfStep, 0)}, "final"},
		{"ok - control:-", []func(*Case){trouble(dialogue.OutOfStep, 1)}, "final"},
		{"- - - control:-", []func(*Case){trouble(dialogue.OutOfStep, -1)}, "again again"},
		{"ok - control:-", []func(*Case){trouble(dialogue.OutOfStep, -1), alone}, "final"},
		{"ok ok - - control:-", []func(*Case){trouble(dialogue.FellSilent, 1)}, "again final again"},
		{"ok - - control:-", []func(*Case){trouble(dialogue.FellSilent, 0), later}, "again again"},
		{"ok - - control:-", []func(*Case){trouble(dialogue.FellSilent, 0)}, "final again"},
		{"ok ok control:-", []func(*Case){trouble(dialogue.FellSilent, 1)}, "again"},
		{"ok 421 control:-", []func(*Case){trouble(dialogue.HungUp, 0)}, "final"},
		{"ok 421 - control:-", []func(*Case){trouble(dialogue.HungUp, 0)}, "again again"},
		{"- - - control:-", []func(*Case){trouble(dialogue.HungUp, -1)}, "final final"},
		{"- - - control:-", []func(*Case){trouble(dialogue.HungUp, -1), later}, "again again"},
		{"blocked - - control:-", []func(*Case){trouble(dialogue.MAILRefused, -1)}, "final final"},
		{"blocked - - control:-", []func(*Case){trouble(dialogue.MAILRefused, -1), later}, "again again"},
		{"ok no proof:- control:-", []func(*Case){trouble(dialogue.HungUp, 1), alone, known}, "unproven"},
		{"ok no ok control:-", []func(*Case){trouble(dialogue.CutOff, 2)}, "dropped dropped"},

		// SMTPUTF8 is missing where two sessions lack it.
		{"- - control:-", []func(*Case){trouble(dialogue.NotAsked, -1)}, "alone"},
		{"- - - control:-", []func(*Case){trouble(dialogue.NotAsked, -1)}, "alone again"},
		{"- - control:-", []func(*Case){trouble(dialogue.NotAsked, -1), shown(LacksSMTPUTF8)}, "final"},
		{"- - control:-", []func(*Case){trouble(dialogue.NotAsked, -1), alone}, "final"},
	} {
		c := newCase(tt.said)
		for _, given := range tt.given {
			given(c)
		}
		before := fmt.Sprint(c.Trouble, c.Stopped, c.Fresh, c.Alone, c.Unheard, c.Shown)
		if got := fatesOf(c); got != tt.want {
			t.Errorf("%s (%s): %s, want %s", tt.said, before, got, tt.want)
		}
	}
}

// TestNoTimeFor sees what stays of a reply that would be asked about again,
// where there is no time.
func TestNoTimeFor(t *testing.T) {
	for _, tt := range []struct {
		said    string
		trouble dialogue.Trouble
		fate    Fate
	}{
		{"ok no control:no", dialogue.None, Unproven},
		{"ok no control:ok", dialogue.None, Dropped},
		{"ok ok control:blocked", dialogue.None, Dropped},
		{"ok blocked control:no", dialogue.None, Final},
		{"ok no control:-", dialogue.HungUp, Dropped},
	} {
		c := newCase(tt.said)
		c.Trouble = tt.trouble
		if got := c.NoTimeFor(0); got != tt.fate || c.Named[0].Reply == nil {
			t.Errorf("%s: %s, reply %v; want %s", tt.said, names[got], c.Named[0].Reply, names[tt.fate])
		}
	}
}

// TestFatesChangeNothing: what is decided is what is returned.
func TestFatesChangeNothing(t *testing.T) {
	for said, trouble := range map[string]dialogue.Trouble{"ok ok many control:no": dialogue.None, "ok no ok control:-": dialogue.CutOff} {
		c, before := newCase(said), newCase(said)
		c.Trouble, before.Trouble = trouble, trouble
		c.Finds()
		c.Fates()
		if !reflect.DeepEqual(c, before) {
			t.Errorf("%s: %+v, and before %+v", said, c, before)
		}
	}
}

// TestWordings sees which refusals say the same of two mailboxes.
func TestWordings(t *testing.T) {
	const x, y = "alice.smith@a.example", "user@unknown.example"
	for _, tt := range []struct {
		x, y string
		same bool
	}{
		{"550 5.1.1 User unknown", "550 5.1.1 User unknown", true},
		{"550 5.1.1 User unknown", "550 5.1.1 USER UNKNOWN!", true},
		{"550 5.1.1 <alice.smith@a.example>: user unknown", "550 5.1.1 <user@unknown.example>: user unknown", true},
		{"550 5.1.1 alice.smith... User unknown", "550 5.1.1 user... User unknown", true},
		{"550 No such user (d2e1a72fcca58 - mx7.a.example)", "550 No such user (31-v3 - mx8.a.example)", true},
		{"550 No such user, try https://a.example/alice", "550 No such user, try https://a.example/user", true},
		{"550 5.1.1 User unknown", "550 User unknown", false},
		{"550 5.1.1 User unknown", "551 5.1.1 User unknown", false},
		{"550 5.1.1 User unknown", "550 5.1.1 No such user", false},
		{"550 5.1.1 User unknown", "550 5.1.1 Recipient unknown", false},
		{"550 5.1.1 User unknown", "550 5.1.1 User unknown, too many of them", false},
		{"550 用户不存在", "550 信箱不存在", false},
		{"250 ok", "550 ok", false},
	} {
		wording := func(mailbox, line string) Wording {
			reply, err := smtp.ParseReply(line)
			if err != nil {
				t.Fatal(err)
			}
			r := dialogue.Recipient{Mailbox: mailbox}
			r.Reply = &reply
			return WordingOf(&r)
		}
		if v, w := wording(x, tt.x), wording(y, tt.y); v.Same(w) != tt.same || w.Same(v) != tt.same {
			t.Errorf("%q and %q: same: %t, want %t", tt.x, tt.y, v.Same(w), tt.same)
		}
	}
}

// TestShownIsBounded sees that a host that words each refusal anew fills no
// memory.
func TestShownIsBounded(t *testing.T) {
	var s Shown
	for i := range 1000 {
		what := fmt.Sprint(i)
		if s = s.With(what); len(s) > maxShown || !s[what] {
			t.Fatalf("%d sorts are remembered", len(s))
		}
	}
}
