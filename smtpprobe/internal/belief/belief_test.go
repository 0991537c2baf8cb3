package belief

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/testkit"
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
// said to the target behind a control follows it: "control:nameless/ok". Those
// with "@b" are of another domain.
func newCase(said string) *Case {
	o := &Outcome{Fresh: true, Stopped: -1}
	roles := map[string]Role{"proof": Proof, "exempt": Proof, "control": Control, "canary": Canary}
	for i, word := range strings.Fields(said) {
		kind, text, beside := strings.Cut(word, ":")
		if !beside {
			kind, text = "", word
		}
		text, other := strings.CutSuffix(text, "@b")
		text, behind, _ := strings.Cut(text, "/")
		said := Said{}
		if text != "-" {
			said.Reply = replyOf(text)
			in := replies.Input{Phase: smtp.PhaseRCPT, Reply: *said.Reply, Mailbox: "a@a.example"}
			said.Class = replies.DefaultClassifier().Read(in).Class
		}
		if i == 0 {
			o.MAIL = said
			continue
		}
		mailbox := fmt.Sprintf("m%d@a.example", i)
		if kind == "exempt" {
			mailbox = "postmaster@a.example"
		}
		r := Heard{Said: said, Mailbox: mailbox, Domain: "a.example", Role: roles[kind], Before: i - 1}
		if other {
			r.Domain = "b.example"
		}
		if behind != "" {
			r.Behind = replyOf(behind)
		}
		if r.Role == Target {
			o.Targets++
		}
		o.Named = append(o.Named, r)
	}
	return &Case{Outcome: o, Host: Host{Unheard: true}, Controls: make([]*smtp.Reply, o.Targets)}
}

// replyTo has the replies by their words.
var replyTo = map[string]string{
	"ok": "250 2.1.5 ok", "no": "550 5.1.1 no such user", "full": "452 4.2.2 mailbox full",
	"blocked": "550 5.7.1 blocked", "listed": "550 5.7.1 blocked, as you are on a list", "grey": "450 4.7.1 greylisted, try again later", "many": "452 4.5.3 too many recipients",
	"421": "421 4.7.0 closing", "storage": "452 requested action not taken", "nameless": "550 rejected",
	"gone": "550 5.1.1 nobody of that name", "absent": "550 5.1.1 recipient is absent", "unverified": "252 2.1.5 cannot verify", "off": "550 5.2.1 mailbox disabled",
	"rate4": "450 4.7.28 rate limit exceeded", "rate5": "550 5.7.28 rate limit exceeded",
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
	for _, f := range c.Judge().Fates {
		all = append(all, names[f])
	}
	return strings.Join(all, " ")
}

// TestFates is the table of the rules.
func TestFates(t *testing.T) {
	known := func(c *Case) { c.ProofKnown, c.Host.Accepts, c.Host.Unheard = true, true, false }
	heard := func(c *Case) { c.Host.Unheard = false }
	taken := func(c *Case) { c.Host.Accepts, c.Host.Unheard, c.Known = true, false, []bool{true} }
	alone := func(c *Case) { c.Outcome.Alone = true }
	later := func(c *Case) { c.Outcome.Fresh = false }
	trouble := func(what Trouble, at int) func(*Case) {
		return func(c *Case) { c.Outcome.Trouble, c.Outcome.Stopped = what, at }
	}
	earlier := func(code int) func(*Case) {
		return func(c *Case) { c.Controls[0] = &smtp.Reply{Code: code} }
	}
	shown := func(what ...string) func(*Case) {
		return func(c *Case) {
			for _, w := range what {
				c.Host.Shown = c.Host.Shown.With(w)
			}
		}
	}
	first := func(word string) func(*Case) {
		return func(c *Case) { c.Host.First = WordingOf(&newCase("ok " + word).Outcome.Named[0]) }
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
		{"ok ok blocked listed control:no", nil, "final alone again"}, // of one sort, in whatever words
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

		// A control that was refused before says nothing where this session
		// accepts another.
		{"ok ok ok@b control:ok@b", []func(*Case){later, earlier(550)}, "alone final"},
		{"ok ok ok@b control:ok@b", []func(*Case){later, earlier(250)}, "final final"},
		{"ok ok ok@b control:no@b", []func(*Case){later, earlier(550)}, "final final"},
		{"ok ok ok@b canary:ok@b", []func(*Case){later, earlier(550)}, "final final"},
		{"ok no ok@b control:ok@b", []func(*Case){later, earlier(550)}, "final final"},
		{"ok no ok@b control:ok", []func(*Case){later}, "alone final"},

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
		{"ok no control:no", []func(*Case){func(c *Case) { c.Host.Others = true }}, "awaits"},
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
		{"ok no no exempt:ok canary:no", []func(*Case){known, later, first("no")}, "final again"},
		{"ok ok no grey no exempt:ok canary:no", []func(*Case){known, later, first("no")}, "final final final again"},
		{"ok no absent absent exempt:ok canary:no", []func(*Case){known, later, first("no")}, "final alone again"},
		{"ok no absent gone exempt:ok canary:no", []func(*Case){known, later, first("no")}, "final alone alone"},
		{"ok no absent ok exempt:ok canary:no", []func(*Case){known, later, first("no")}, "final final final"},
		{"ok no absent proof:ok canary:no", []func(*Case){known, later, first("no")}, "final final"},
		{"ok no absent exempt:ok canary:no", []func(*Case){known, later, first("no"), shown("550 5.1.1 recipient is absent")}, "final again"},
		{"ok absent exempt:ok canary:no", []func(*Case){known, later, first("no"), shown("550 5.1.1 recipient is absent")}, "awaits"},
		{"ok no no exempt:ok canary:no", []func(*Case){known, later}, "awaits alone"},
		{"ok absent exempt:ok canary:no", []func(*Case){known, alone, first("no")}, "unproven"},
		{"ok no exempt:ok canary:no", []func(*Case){known, alone, first("no")}, "final"},
		// A target that the host had accepted is a proof itself: postmaster
		// proves nothing beside its refusal, and another mailbox does.
		{"ok no exempt:ok canary:no", []func(*Case){known, taken, alone, first("no")}, "unproven"},
		{"ok no proof:ok canary:no", []func(*Case){known, taken, alone, first("no")}, "final"},
		{"ok no canary:no", []func(*Case){taken, later, first("no")}, "again"},
		{"ok no no canary:no", []func(*Case){taken, later, first("no")}, "again again"},
		{"ok no ok control:no", []func(*Case){taken, later, first("no")}, "final final"},
		{"ok full exempt:ok control:no", []func(*Case){known, taken, later, first("no")}, "final"},

		// Not in step, or cut short: asked again, but for whom it is about.
		{"ok - - control:-", []func(*Case){trouble(OutOfStep, -1)}, "again again"},
		{"ok - control:-", []func(*Case){trouble(OutOfStep, -1)}, "again"},
		{"ok - control:-", []func(*Case){trouble(OutOfStep, 0)}, "final"},
		{"ok - control:-", []func(*Case){trouble(OutOfStep, 1)}, "final"},
		{"- - - control:-", []func(*Case){trouble(OutOfStep, -1)}, "again again"},
		{"ok - control:-", []func(*Case){trouble(OutOfStep, -1), alone}, "final"},
		{"ok ok - - control:-", []func(*Case){trouble(FellSilent, 1)}, "again final again"},
		{"ok - - control:-", []func(*Case){trouble(FellSilent, 0), later}, "again again"},
		{"ok - - control:-", []func(*Case){trouble(FellSilent, 0)}, "final again"},
		{"ok ok control:-", []func(*Case){trouble(FellSilent, 1)}, "again"},
		{"ok 421 control:-", []func(*Case){trouble(HungUp, 0)}, "final"},
		{"ok 421 - control:-", []func(*Case){trouble(HungUp, 0)}, "again again"},
		{"- - - control:-", []func(*Case){trouble(HungUp, -1)}, "final final"},
		{"- - - control:-", []func(*Case){trouble(HungUp, -1), later}, "again again"},
		{"blocked - - control:-", []func(*Case){trouble(MAILRefused, -1)}, "final final"},
		{"blocked - - control:-", []func(*Case){trouble(MAILRefused, -1), later}, "again again"},
		{"ok no proof:- control:-", []func(*Case){trouble(HungUp, 1), alone, known}, "unproven"},
		{"ok no ok control:-", []func(*Case){trouble(CutOff, 2)}, "dropped dropped"},

		// SMTPUTF8 is missing where two sessions lack it.
		{"- - control:-", []func(*Case){trouble(NotAsked, -1)}, "alone"},
		{"- - - control:-", []func(*Case){trouble(NotAsked, -1)}, "alone again"},
		{"- - control:-", []func(*Case){trouble(NotAsked, -1), shown(LacksSMTPUTF8)}, "final"},
		{"- - control:-", []func(*Case){trouble(NotAsked, -1), alone}, "final"},
	} {
		c := newCase(tt.said)
		for _, given := range tt.given {
			given(c)
		}
		before := fmt.Sprint(c.Outcome.Trouble, c.Outcome.Stopped, c.Outcome.Fresh, c.Outcome.Alone, c.Host.Unheard, c.Host.Shown)
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
		trouble Trouble
		fate    Fate
	}{
		{"ok no control:no", None, Unproven},
		{"ok no control:ok", None, Dropped},
		{"ok ok control:blocked", None, Dropped},
		{"ok blocked control:no", None, Final},
		{"ok no control:-", HungUp, Dropped},
	} {
		c := newCase(tt.said)
		c.Outcome.Trouble = tt.trouble
		if got := c.NoTimeFor(0); got != tt.fate || c.Outcome.Named[0].Reply == nil {
			t.Errorf("%s: %s, reply %v; want %s", tt.said, names[got], c.Outcome.Named[0].Reply, names[tt.fate])
		}
	}
}

// TestFindings sees what a case proves beside the fates: recipients are their
// numbers.
func TestFindings(t *testing.T) {
	alone := func(c *Case) { c.Outcome.Alone = true }
	later := func(c *Case) { c.Outcome.Fresh = false }
	used := func(c *Case) {
		for i := range c.Outcome.Named {
			c.Outcome.Named[i].Before += 5
		}
	}
	known := func(c *Case) { c.ProofKnown, c.Host.Accepts, c.Host.Unheard = true, true, false }
	taken := func(c *Case) { c.Host.Accepts, c.Host.Unheard, c.Known = true, false, []bool{true} }
	trouble := func(what Trouble) func(*Case) { return func(c *Case) { c.Outcome.Trouble = what } }
	limited := func(c *Case) { c.Host.Limited = 3 }
	shown := func(what string) func(*Case) { return func(c *Case) { c.Host.Shown = c.Host.Shown.With(what) } }
	first := func(word string) func(*Case) {
		return func(c *Case) { c.Host.First = WordingOf(&newCase("ok " + word).Outcome.Named[0]) }
	}
	for _, tt := range []struct {
		said  string
		given []func(*Case)
		want  string // the findings that are not zero
	}{
		{"ok ok control:no", nil, "accepted [0] controls [1] tells [0 1]"},
		{"ok unverified control:no", nil, "controls [1] tells [0 1]"},
		{"ok no proof:ok canary:no", []func(*Case){known, first("no")},
			"accepted [1] proof-accepted controls [2] shown [550 5.1.1 no_such_user] tells [0 1 2]"},
		{"ok no control:no", []func(*Case){first("no"), shown("550 5.1.1 no_such_user")}, "controls [1] tells [0 1]"},
		{"ok no control:no", nil, "controls [1] shown [550 5.1.1 no_such_user, 550 5.1.1 no such user] tells [0 1]"},
		{"ok ok absent control:no", []func(*Case){first("no")}, "accepted [0] controls [2] tells [0 1 2]"},
		{"ok ok control:no", []func(*Case){alone, first("no")}, "accepted [0] controls [1] shown [550 5.1.1 no_such_user] tells [0 1]"},
		{"ok ok control:nameless", []func(*Case){alone, first("no")}, "accepted [0] controls [1] tells [0]"},
		{"ok ok control:nameless/ok", []func(*Case){alone, first("nameless")},
			"accepted [0] controls [1] shown [550  ambiguous] tells [0]"},

		// A control in doubt, or that does not say whether, is asked for again.
		{"ok ok control:nameless", nil, "accepted [0] tells [0]"},
		{"ok ok ok control:nameless/nameless", nil, "accepted [0 1] tells [0 1]"},
		{"ok no control:ok", []func(*Case){first("no"), shown("550 5.1.1 no_such_user")}, "tells [0 1]"},
		{"ok no control:ok", []func(*Case){first("no"), shown("550 5.1.1 no_such_user"), shown(Confirmed)}, "controls [1] tells [0 1]"},
		{"ok no control:ok", []func(*Case){alone, first("no"), shown("550 5.1.1 no_such_user")},
			"shown [refused beside an accepted control] tells [0 1]"},

		// A host that refuses everybody, or may.
		{"ok ok no proof:no canary:no", []func(*Case){known, later}, "hostile accepted [0] controls [3] tells [0 1 2 3]"},
		{"ok no exempt:ok canary:no", []func(*Case){known, taken, first("no")}, "hostile accepted [1] proof-accepted controls [2] shown [550 5.1.1 no_such_user] tells [0 1 2]"},
		{"ok no proof:ok canary:no", []func(*Case){known, taken, first("no")}, "accepted [1] proof-accepted controls [2] shown [550 5.1.1 no_such_user] tells [0 1 2]"},
		{"ok no exempt:- canary:-", []func(*Case){known, taken, first("no"), trouble(HungUp)}, "trouble 7 tells [0]"},
		{"ok ok no no control:no", nil, "may-be-hostile accepted [0] controls [3] tells [0 1 2 3]"},
		{"ok ok no no proof:ok canary:no", []func(*Case){known}, "accepted [0 3] proof-accepted controls [4] tells [0 1 2 3 4]"},
		{"ok ok absent exempt:ok canary:no", []func(*Case){known, later, first("no")},
			"reworded accepted [0 2] proof-accepted controls [3] tells [0 1 2 3]"},

		// What is about the length of the session does not tell, nor what was
		// dropped.
		{"ok ok many control:no", nil, "trouble 6 tells [0 2]"},
		{"ok ok blocked control:no", nil, "accepted [0] controls [2] tells [0 2]"},
		{"ok ok blocked control:no", []func(*Case){shown("550 5.7.1 blocked")}, "accepted [0] controls [2] tells [0 1 2]"},
		{"ok ok 421", []func(*Case){trouble(HungUp)}, "trouble 7 tells [0]"},
		{"ok ok 421", []func(*Case){trouble(HungUp), shown("421 4.7.0 rate_limited")}, "trouble 7 tells [0]"},
		{"ok ok control:nameless/ok", []func(*Case){shown("550  ambiguous")}, "accepted [0] controls [1] tells [0]"},
		{"ok no ok@b control:ok control:no@b", nil, "accepted [1] controls [3] shown [550 5.1.1 no_such_user, 550 5.1.1 no such user] tells [0 1 2 3]"},
		{"ok ok control:no", []func(*Case){trouble(CutOff)}, "trouble 2 tells [1]"},

		// Limits.
		{"ok full control:no", []func(*Case){limited}, "controls [1] shown [452 4.2.2 mailbox_full, 452 4.2.2 mailbox full] tells [0 1]"},
		{"ok rate5 control:no", []func(*Case){limited, first("rate5"), shown("550 5.7.28 rate_limited")}, "limited 4 controls [1] tells [0 1]"},
		{"ok rate4 control:no", []func(*Case){limited, first("rate4"), shown("450 4.7.28 rate_limited"), later}, "controls [1] tells [0 1]"},
		{"ok rate5 control:no", []func(*Case){limited, later, used}, "limited 3 controls [1] tells [1]"},
		{"ok rate5 control:no", []func(*Case){limited, later, used, shown("550 5.7.28 rate_limited")}, "limited 4 controls [1] tells [0 1]"},
		{"ok - blocked@b control:-", []func(*Case){limited, trouble(HungUp)}, "trouble 7"},
		{"ok rate4", []func(*Case){limited, trouble(HungUp), later}, "trouble 7 limited 4 tells [0]"},
		{"ok - control:-", []func(*Case){limited, later, trouble(CutOff)}, "trouble 2 limited 3"},
		{"ok grey rate5 control:no", []func(*Case){limited, first("grey"), shown("450 4.7.1 greylisted")}, "trouble 6 may-be-hostile tells [0 2]"},

		// Put off, or not heard at all.
		{"421 -", []func(*Case){trouble(MAILRefused)}, "trouble 3 put-off"},
		{"ok 421", []func(*Case){trouble(HungUp)}, "trouble 7 limited 1 put-off tells [0]"},
		{"ok 421", []func(*Case){trouble(HungUp), later}, "trouble 7 limited 1 tells [0]"},
		{"ok rate4", []func(*Case){first("rate4"), shown("450 4.7.28 rate_limited")}, "put-off tells [0]"},
		{"ok -", []func(*Case){trouble(FellSilent)}, "trouble 8 mute"},
		{"ok - -", []func(*Case){trouble(FellSilent)}, "trouble 8"},
		{"ok ok control:-", []func(*Case){trouble(FellSilent)}, "trouble 8 tells [0]"},
		{"ok -", []func(*Case){trouble(CutOff)}, "trouble 2"},

		{"- -", []func(*Case){trouble(NotAsked)}, "trouble 1"},
		{"- -", []func(*Case){trouble(NotAsked), alone}, "trouble 1 shown [two sessions lacked SMTPUTF8]"},
	} {
		c := newCase(tt.said)
		for _, given := range tt.given {
			given(c)
		}
		if got := wordsOf(c.Judge()); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.said, got, tt.want)
		}
	}
}

// wordsOf has the findings that are not zero, but for the fates.
func wordsOf(f Finding) string {
	var all []string
	add := func(word string, is bool) {
		if is {
			all = append(all, word)
		}
	}
	add(fmt.Sprint("trouble ", int(f.Trouble)), f.Trouble != None)
	add("hostile", f.Hostile)
	add("reworded", f.Reworded)
	add("may-be-hostile", f.MayBeHostile)
	add(fmt.Sprint("limited ", f.Limited), f.Limited > 0)
	add("put-off", f.PutOff)
	add("mute", f.Mute)
	add(fmt.Sprint("accepted ", f.Accepted), f.Accepted != nil)
	add("proof-accepted", f.ProofAccepted)
	add(fmt.Sprint("controls ", f.Controls), f.Controls != nil)
	add("shown ["+strings.Join(f.Shown, ", ")+"]", f.Shown != nil)
	add(fmt.Sprint("tells ", f.Tells), f.Tells != nil)
	return strings.Join(all, " ")
}

// TestJudgeChangesNothing: what is decided is what is returned.
func TestJudgeChangesNothing(t *testing.T) {
	for said, trouble := range map[string]Trouble{"ok ok many control:no": None, "ok no ok control:-": CutOff} {
		c, before := newCase(said), newCase(said)
		for _, c := range []*Case{c, before} {
			c.Outcome.Trouble, c.Host.Shown = trouble, Shown{"550 5.7.1 blocked": true}
		}
		f := c.Judge()
		if !reflect.DeepEqual(c, before) {
			t.Errorf("%s: %+v, and before %+v", said, c, before)
		}
		if c.Host.Shown.With(append(f.Shown, "more")...); len(c.Host.Shown) != 1 {
			t.Errorf("%s: %v", said, c.Host.Shown)
		}
	}
}

// TestFirst sees in which words a host first refused a mailbox, where several
// transactions heard it.
func TestFirst(t *testing.T) {
	words := func(word string) Wording { return WordingOf(&newCase("ok " + word).Outcome.Named[0]) }
	type end struct {
		said       string
		began, now int
		last       bool
	}
	for _, tt := range []struct {
		begun int
		ends  []end
		want  Wording
	}{
		{1, []end{{"ok no", 2, 2, false}}, words("no")},
		{1, []end{{"ok ok", 2, 2, false}}, Wording{}},
		{2, []end{{"ok no", 2, 4, false}}, Wording{}}, // the other may have been first
		{2, []end{{"ok no", 2, 4, false}, {"ok no", 4, 4, true}}, words("no")},
		{2, []end{{"ok no", 2, 4, false}, {"ok ok", 4, 4, true}}, words("no")},
		{2, []end{{"ok no", 2, 4, false}, {"ok absent", 4, 4, true}}, Mixed},
		{3, []end{{"ok no", 2, 6, false}, {"ok no", 4, 6, false}, {"ok no", 6, 6, true}}, words("no")},
		{2, []end{{"ok no", 2, 4, false}, {"ok absent", 6, 6, false}}, Wording{}}, // began later
	} {
		var f First
		for range tt.begun {
			f = f.Begins()
		}
		for _, e := range tt.ends {
			var last bool
			if f, last = f.Ends(newCase(e.said).Outcome, e.began, e.now); last != e.last {
				t.Errorf("%v: last: %t", tt.ends, last)
			}
		}
		if got := f.Words(); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.ends, got, tt.want)
		}
	}
}

// TestImports sees that facts come in as values: nothing here can ask a host,
// wait or look at the time.
func TestImports(t *testing.T) {
	testkit.Pure(t, "maps", "slices", "strconv", "strings", "unicode",
		"github.com/rcpt/rcpt/smtpprobe/replies", "github.com/rcpt/rcpt/smtpprobe/smtp")
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
			return WordingOf(&Heard{Said: Said{Reply: &reply}, Mailbox: mailbox})
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
