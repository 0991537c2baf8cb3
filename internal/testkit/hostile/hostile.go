// Package hostile has some hundred kinds of mail hosts for tests that are
// broken or mean ill, each in its way.
package hostile

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

//go:embed hostile.txt
var text string

// Kinds returns the names of the kinds, each broken in one way, in a fixed
// order. Those that get as far as RCPT have the mailboxes whose local-parts are
// "real" with any digits behind it; no kind says of those, as an answer to RCPT
// that names them alone, that they do not exist. A client that comes to think
// so was fooled.
func Kinds() (names []string) {
	for _, s := range kinds() {
		names = append(names, s.Name)
	}
	return names
}

// Host returns a new host of the kind with that name, one of those that [Kinds]
// returns. It panics at any other name. Some hosts keep count over their
// sessions.
func Host(name string) smtptest.Handler {
	all := kinds()
	i := slices.IndexFunc(all, func(s smtptest.Situation) bool { return s.Name == name })
	if i < 0 {
		panic("hostile: no host is called " + name)
	}
	return all[i].Host()
}

// All returns the kinds, with what may be found about the mailbox "real" of
// each.
func All() []smtptest.Situation { return slices.Clone(kinds()) }

var kinds = sync.OnceValue(func() []smtptest.Situation {
	all, err := smtptest.ReadSituations(text + long() + faults() + turns())
	if err != nil {
		panic("hostile: " + err.Error())
	}
	return all
})

// long are kinds whose text is too long to be read.
func long() string {
	return "\n== drip-lines: answers EHLO a line at a time, and does not come to an end\nehlo\n" +
		strings.Repeat("\t250-one more\n\tsleep 2s\n", 90) + "\thang\n? real -> connection_timeout\n" +
		"\n== long-keywords: offers what nobody has heard of\nehlo\n\t250-mx.smtptest.example\n" +
		strings.Repeat("\t250-"+strings.Repeat("X", 4000)+"\n", 10) + "\t250 PIPELINING\n? real -> recipient_accepted\n"
}

// faults fall silent, hang up, reset the connection or say 421 at one
// phase. What fails at STARTTLS works in plain text, and what fails behind the
// answer takes nothing from it.
func faults() string {
	var b strings.Builder
	for _, phase := range []struct{ name, word string }{
		{"greeting", "greeting"}, {"ehlo", "ehlo"}, {"starttls", "starttls"}, {"mail", "mail"}, {"rcpt", "every"},
		{"rset", "rset"}, {"quit", "quit"},
	} {
		for _, fault := range []struct{ name, does, reason string }{
			{"silent", smtptest.Hangs, "connection_timeout"},
			{"closes", smtptest.Closes, "connection_failed"},
			{"resets", smtptest.Resets, "connection_failed"},
			{"421", "421 4.3.2 mx.smtptest.example Service closing transmission channel", "temporary_failure"},
		} {
			if slices.Contains([]string{"starttls", "rset", "quit"}, phase.name) {
				fault.reason = "recipient_accepted"
			}
			fmt.Fprintf(&b, "\n== %s-at-%s: ends there\n%s %s\n? real -> %s\n",
				fault.name, phase.name, phase.word, fault.does, fault.reason)
		}
	}
	return b.String()
}

// unknown is how a [smtptest.Host] refuses a mailbox by default.
const unknown = "550 5.1.1 <%s>: no such mailbox here"

// turns protect themselves against harvesting: after some refusals or
// recipients they refuse everybody, in ordinary words, for the session, for the
// client address, or until the next transaction.
func turns() string {
	var b strings.Builder
	for _, words := range []struct{ name, unknown, turned string }{
		{"5.1.1", "550 5.1.1 <%s>: Recipient address rejected: User unknown", ""},
		{"5.1.0", unknown, "550 5.1.0 Address rejected"},
		{"5.4.1", unknown, "550 5.4.1 Recipient address rejected: Access denied"},
		{"no-code", "550 User unknown", ""},
		{"5.7.1", "550 5.7.1 <%s>: Recipient address rejected: User unknown", ""},
	} {
		add := func(name, after string, args ...any) {
			fmt.Fprintf(&b, "\n== "+name+"-", args...)
			fmt.Fprintf(&b, "%s: turns\nunknown %s\nafter ", words.name, words.unknown)
			fmt.Fprintf(&b, after, args...)
			fmt.Fprintf(&b, " -> %s\n", cmp.Or(words.turned, words.unknown))
			b.WriteString("? real -> recipient_accepted rate_limited\n")
		}
		for _, n := range []int{3, 5, 20} {
			add("turns-after-%d-refusals", "%d refusals", n)
			add("turns-after-%d-recipients", "%d recipients", n)
			add("turns-for-a-while-after-%d-refusals", "%d refusals for 20s", n)
		}
		add("turns-with-second-transaction", "1 transactions")
		add("turns-until-next-mail-after-3-refusals", "3 refusals of a transaction")
	}
	return b.String()
}
