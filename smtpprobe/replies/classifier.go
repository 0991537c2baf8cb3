package replies

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Classification is what a reply was read as, and why.
type Classification struct {
	Class      Class
	Rule       string        // id of the rule that decided
	RetryAfter time.Duration // the reply's own hint, or what is known of the host's kind; zero: none
	// AsPermanent is what the same words would prove in a permanent refusal. It
	// differs from Class for 45z replies to RCPT alone: [ClassNoSuchUser] says
	// that the text calls the mailbox unknown. That proves nothing about that
	// mailbox, but shows that the host tells mailboxes apart.
	AsPermanent Class
}

// Input is a reply with what is needed to read it.
type Input struct {
	// Phase is that of the command that was answered. A reply that a bounce
	// quotes without saying to what it was is best read as one to
	// [smtp.PhaseDATA], which proves least.
	Phase smtp.Phase
	Reply smtp.Reply
	Host  string // name of the mail host
	// Mailbox is the recipient, whose own words must not decide anything. If
	// its local-part has no words, "@" and the domain are enough.
	Mailbox string
	Sender  string // our reverse-path; empty: the null reverse-path
	// At is when the reply came. If it is zero, no date in the text is read.
	At time.Time
}

// Classifier reads replies by an ordered list of rules: the first that matches
// decides. It is safe for concurrent use. A nil Classifier and the zero one
// read as that of [DefaultClassifier] does.
//
// Three laws stand above the rules. A 2yz reply is an acceptance, whatever its
// text, unless a rule that names its code knows the sentence of a host that
// accepts everybody in vain. Nothing but 5yz proves anything permanently. A
// refusal before RCPT concerns the client, one after it the message (see
// [Classifier.Read]).
type Classifier struct {
	rules  func() *ruleSet
	memory memory[Classification]
}

// RuleFile holds rules in the form of the embedded rules.yaml, whose head
// describes it: 256 KiB at most, and no aliases.
type RuleFile struct {
	Name string // for error messages
	Data []byte
}

// NewClassifier returns a classifier that tries the rules of the files before
// the embedded ones. The files may use the embedded sets of words.
func NewClassifier(files ...RuleFile) (*Classifier, error) {
	rules, err := readRules(files...)
	if err != nil {
		return nil, err
	}
	return &Classifier{rules: func() *ruleSet { return rules }}, nil
}

// DefaultClassifier returns the classifier with the embedded rules alone. They
// are parsed when a reply is to be read by them: a command that reads none does
// not wait for that.
func DefaultClassifier() *Classifier { return embeddedClassifier() }

// embeddedRules are those of rules.yaml in a form that takes a quarter of the
// time to read. A test writes them.
//
//go:embed rules.json
var embeddedRules []byte

var embeddedClassifier = sync.OnceValue(func() *Classifier {
	return &Classifier{rules: sync.OnceValue(func() *ruleSet {
		rules, err := readRules()
		if err != nil {
			panic("replies: embedded rules: " + err.Error()) // a test parses them
		}
		return rules
	})}
})

// orDefault returns c, or the default classifier for one without rules.
func (c *Classifier) orDefault() *Classifier {
	if c == nil || c.rules == nil {
		return embeddedClassifier()
	}
	return c
}

// Origin returns where the replies that a rule reads are documented, and one of
// them. Known is false for the names in [Classification.Rule] that are not of a
// rule: those of replies that were read by their code alone.
//
// Experimental: it may change in any minor version.
func (c *Classifier) Origin(rule string) (source, sample string, known bool) {
	for _, r := range c.orDefault().rules().ordered {
		if r.id == rule {
			return r.source, strings.Join(r.samples[:min(1, len(r.samples))], ""), true
		}
	}
	return "", "", false
}

// Read returns what q.Reply proves.
//
// A refusal after DATA is about the message, and about all of its recipients at
// once: a host that looks for mailboxes only then refuses the living ones with
// the dead. So it proves something about a mailbox only if its enhanced status
// code is about addresses or mailboxes (X.1.x or X.2.x, RFC 3463 §3.2, §3.3)
// and its text names that mailbox and no other.
func (c *Classifier) Read(q Input) Classification {
	c = c.orDefault()
	key := q.appendKey(make([]byte, 0, maxQuestion))
	reading, ok := c.memory.recall(key)
	if !ok {
		reading = c.read(q)
		c.memory.remember(key, reading)
	}
	if reading.RetryAfter == 0 && invitesAnotherTry(q.Reply.Code, reading.Class) {
		reading.RetryAfter = retryDate(q.Reply.Lines, q.At)
	}
	return reading
}

// read is Read without the memory.
func (c *Classifier) read(q Input) Classification {
	words := wordsOf(q, make([]word, 0, usualWords))
	if q.Phase == smtp.PhaseDATA && q.namesMailbox(words) {
		q.Phase = smtp.PhaseRCPT
	}
	reading := c.rules().decide(q, words)
	if invitesAnotherTry(q.Reply.Code, reading.Class) {
		reading.RetryAfter = cmp.Or(retryHint(words), reading.RetryAfter)
	}
	reading.AsPermanent = reading.Class
	if q.Phase == smtp.PhaseRCPT && q.Reply.Code/10 == 45 {
		reading.AsPermanent = c.rules().decide(permanently(q), words).Class
	}
	return reading
}

// namesMailbox reports whether a refusal names the recipient, and no other
// address but the sender's, under an enhanced status code that is about an
// address or a mailbox (RFC 3463 §3.2, §3.3). An Exchange Mailbox server with
// recipient filtering refuses a message for all its recipients if one of them
// does not exist (Microsoft, antispam protection in Exchange Server).
func (q Input) namesMailbox(words []word) bool {
	_, detail, _ := strings.Cut(q.Reply.Enhanced, ".")
	if !q.Reply.Refused() || !strings.HasPrefix(detail, "1.") && !strings.HasPrefix(detail, "2.") {
		return false
	}
	named := false
	for _, w := range words {
		if w.thing == anAddress {
			if !strings.EqualFold(w.text, q.Mailbox) {
				return false
			}
			named = true
		}
	}
	return named
}

// beforeRCPT reports whether a refusal in the phase concerns the client.
func beforeRCPT(phase smtp.Phase) bool { return phase != smtp.PhaseRCPT && phase != smtp.PhaseDATA }

// invitesAnotherTry reports whether a reply is worth a second question: a 4yz
// one (RFC 5321 §4.2.1), or one that puts off.
func invitesAnotherTry(code int, class Class) bool {
	return code/100 == 4 || meanings[class].putsOff
}

// permanently returns the question with the reply as a permanent refusal.
func permanently(q Input) Input {
	q.Reply.Code += 100
	if detail, ok := strings.CutPrefix(q.Reply.Enhanced, "4"); ok {
		q.Reply.Enhanced = "5" + detail
	}
	return q
}

// decide returns the classification of the first rule that matches.
func (s *ruleSet) decide(q Input, words []word) Classification {
	if i := s.match(q, words); i >= 0 {
		rule := &s.ordered[i]
		return Classification{Class: lawful(rule.class, q), Rule: rule.id, RetryAfter: rule.wait}
	}
	return readBareCode(q)
}

// lawful enforces three laws against wrong rules: nothing but a 5yz reply
// proves anything permanently, and not one whose enhanced status code says 4; a
// refusal before RCPT concerns the client; one after DATA concerns the message.
func lawful(class Class, q Input) Class {
	switch {
	case !class.Dead():
		return class
	case q.Reply.Code < 500, strings.HasPrefix(q.Reply.Enhanced, "4."):
		return ClassTemporary
	case beforeRCPT(q.Phase):
		return ClassBlocked
	case q.Phase == smtp.PhaseDATA:
		return ClassAmbiguous
	}
	return class
}

// readBareCode reads a reply that no rule matches by its phase and the first
// digit of its code, as RFC 5321 §4.3.2 wants codes read that are not standard.
// 252 means that the host could not verify the mailbox (RFC 5321 §3.5.3).
func readBareCode(q Input) Classification {
	switch {
	case q.Reply.Code == 252:
		return Classification{Class: ClassOKUnverified, Rule: "code-252"}
	case q.Reply.Code < 300:
		return Classification{Class: ClassOK, Rule: "code-2yz"}
	case q.Reply.Code < 400:
		return Classification{Class: ClassAmbiguous, Rule: "code-3yz"}
	case q.Reply.Code < 500:
		return Classification{Class: ClassTemporary, Rule: "code-4yz"}
	case beforeRCPT(q.Phase):
		return Classification{Class: ClassBlocked, Rule: "code-5yz-before-rcpt"}
	}
	return Classification{Class: ClassAmbiguous, Rule: "code-5yz"}
}
