package smtpprobe_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// scrambled is a host that checks its recipients and mixes its replies up.
type scrambled struct {
	words      func(mailbox string) string
	keywords   string        // of EHLO
	pace       time.Duration // before each reply
	perSession func() arrangement
}

// arrangement makes what a host sends in reply to commands that came together
// of the replies that it should send.
type arrangement func(group, answers []string) []string

// wordings are how hosts word their replies to RCPT: without enhanced status
// codes, with them, and with the mailbox.
var wordings = []struct {
	name  string
	words func(mailbox string) string
}{
	{"plain", func(m string) string {
		if strings.HasPrefix(m, "real") {
			return "250 OK"
		}
		return "550 No such user here"
	}},
	{"enhanced", func(m string) string {
		if strings.HasPrefix(m, "real") {
			return "250 2.1.5 Ok"
		}
		return "550 5.1.1 No such user here"
	}},
	{"naming", func(m string) string {
		if strings.HasPrefix(m, "real") {
			return "250 2.1.5 <" + m + "> ok"
		}
		return "550 5.1.1 <" + m + ">: no such user here"
	}},
}

func (h *scrambled) ServeSMTP(c net.Conn) {
	defer func() { _ = c.Close() }()
	arrange, in := h.perSession(), bufio.NewReader(c)
	if !h.say(c, []string{"220 mx"}) {
		return
	}
	for {
		var group, answers []string
		for len(group) == 0 || in.Buffered() > 0 {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimRight(line, "\r\n")
			group, answers = append(group, line), append(answers, h.answer(line))
		}
		if !h.say(c, arrange(group, answers)) || slices.Contains(group, "QUIT") {
			return
		}
	}
}

func (h *scrambled) say(c net.Conn, answers []string) bool {
	for _, a := range answers {
		time.Sleep(h.pace)
		if _, err := io.WriteString(c, strings.ReplaceAll(a, "\n", "\r\n")+"\r\n"); err != nil {
			return false
		}
	}
	return true
}

func (h *scrambled) answer(command string) string {
	enhanced := func(text, code string) string { // as the host words its replies
		if strings.HasPrefix(h.words("real@a.example"), "250 2.") {
			return text[:4] + code + text[3:]
		}
		return text
	}
	if m, ok := strings.CutPrefix(command, "RCPT TO:<"); ok {
		return h.words(strings.TrimSuffix(m, ">"))
	}
	switch verb, _, _ := strings.Cut(command, " "); verb {
	case "EHLO":
		return "250-mx\n250-" + h.keywords + "\n250 8BITMIME"
	case "MAIL":
		return enhanced("250 OK", "2.1.0")
	case "QUIT":
		return "221 bye"
	}
	return enhanced("250 OK", "2.0.0")
}

// mistaken returns those of whom the opposite of the truth was found.
func mistaken(list []string, answers []told) (wrong []string, answered int) {
	for i, r := range answers {
		m, real := list[i], strings.HasPrefix(list[i], "real")
		last, verdict := r.last(), verdictOf(list[i], r)
		if verdict == "alive" && !refusesControl(last) {
			continue
		}
		if verdict != "unknown" {
			answered++
		}
		if verdict == "dead" && real || verdict == "alive" && !real {
			wrong = append(wrong, m+" is "+verdict+":\n"+transcript(last))
		}
	}
	return wrong, answered
}

// refusesControl reports whether a session shows that the host checks its
// recipients.
func refusesControl(s smtpprobe.Session) bool {
	if s.Control == nil {
		return false
	}
	q := replies.Input{Phase: smtp.PhaseRCPT, Reply: *s.Control, Host: s.Host, Mailbox: "@a.example"}
	return replies.DefaultClassifier().Read(q).Class == replies.ClassNoSuchUser
}

// scrambledList has living and dead mailboxes of two domains.
func scrambledList(n int) []string {
	list := make([]string, n)
	for i := range list {
		kind := "missing"
		if i*7919%100 < 60 {
			kind = "real"
		}
		list[i] = fmt.Sprintf("%s%d@%s.example", kind, i, []string{"a", "b"}[i%2])
	}
	return list
}

// checkScrambled asks a host about many mailboxes, at once and one after the
// other. Nobody is to be told the opposite of the truth.
func checkScrambled(t *testing.T, wording string, host func() *scrambled) {
	t.Helper()
	for _, w := range wordings {
		if w.name != wording {
			continue
		}
		for _, keywords := range []string{"PIPELINING", "SIZE"} {
			for _, crowd := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s crowd %t", keywords, crowd), func(t *testing.T) {
					h := host()
					h.words, h.keywords = w.words, keywords
					config := smtpprobe.Config{MaxWaitingPerHost: 1000, MaxSessionsPerHost: 4}
					inBubble(t, config, one(h), func(b *bubble) {
						list, ask := scrambledList(200), b.askAll
						if !crowd {
							list, ask = list[:50], asksOneByOne(b)
						}
						wrong, answered := mistaken(list, ask(aboutAll(list)))
						b.Logf("%d of %d answered, %d wrong", answered, len(list), len(wrong))
						if len(wrong) > 0 {
							b.Errorf("%d of %d wrong; %s", len(wrong), len(list), wrong[0])
						}
					})
				})
			}
		}
	}
}

// isRCPT reports whether a command names a recipient.
func isRCPT(command string) bool { return strings.HasPrefix(command, "RCPT") }

// TestLateReplies is about hosts that reply to the recipients of a transaction
// with what they should have said to those of the one before it, to all of them
// or to the first, and say whom they mean.
func TestLateReplies(t *testing.T) {
	for _, all := range []bool{true, false} {
		t.Run(fmt.Sprintf("all %t", all), func(t *testing.T) {
			checkScrambled(t, "naming", func() *scrambled { return &scrambled{perSession: func() arrangement { return late(all) }} })
		})
	}
}

// TestLateReplyAboutPostmaster is about a host that refuses the postmaster who
// was named as a proof, and says so once more to the first recipient of the
// next transaction.
func TestLateReplyAboutPostmaster(t *testing.T) {
	owed, late := map[*visit]string{}, 0 // one session at a time
	host := &peer{rcpt: func(v *visit, m string) string {
		switch text := owed[v]; {
		case text != "" && v.here == 0:
			owed[v] = ""
			late++
			return text
		case strings.HasPrefix(m, "postmaster@"):
			owed[v] = usual(m)
		}
		return ""
	}}
	host.wait = func(*visit, string) time.Duration { return time.Second }
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		var first sync.WaitGroup
		first.Go(func() {
			b.askTogether(b.Context(), aboutAll(mailboxes(4, func(int) bool { return true }, "a.example")))
		})
		time.Sleep(3 * time.Second) // the host is asked about them
		list := mailboxes(4, func(int) bool { return false }, "a.example")
		for i, r := range b.askTogether(b.Context(), aboutAll(list)) {
			if got := verdictOf(list[i], r); got != "alive" {
				b.Errorf("%s is %s:\n%s", list[i], got, transcript(r.last()))
			}
		}
		first.Wait()
	})
	if late == 0 {
		t.Error("no reply was late")
	}
}

// late is the arrangement of such a host.
func late(all bool) arrangement {
	var before, now []string // replies to the recipients of this transaction, and of the one before
	return func(group, answers []string) []string {
		answers = slices.Clone(answers)
		for i, command := range group {
			switch {
			case strings.HasPrefix(command, "MAIL"):
				before, now = now, nil
			case isRCPT(command):
				n := len(now)
				now = append(now, answers[i])
				if n < len(before) && (all || n == 0) {
					answers[i] = before[n]
				}
			}
		}
		return answers
	}
}

// TestOneRefusedByAnotherName is about a host that refuses a mailbox by another
// name: it means the mailbox if the name stays the same.
func TestOneRefusedByAnotherName(t *testing.T) {
	for name, tt := range map[string]struct {
		text func(v *visit) string
		want string
	}{
		"the same":  {func(*visit) string { return "550 5.1.1 <box7@backend.example>: user unknown" }, "dead"},
		"moved":     {func(*visit) string { return "551 5.1.6 User not local; please try <new@b.example>" }, "dead"},
		"strangers": {func(v *visit) string { return fmt.Sprintf("550 5.1.1 <bob%d@other.example>: user unknown", v.number) }, "unknown"},
		"accepted":  {func(v *visit) string { return fmt.Sprintf("250 2.1.5 <bob%d@other.example> ok", v.number) }, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			host := &peer{rcpt: func(v *visit, m string) string {
				if m == "alice@a.example" {
					return tt.text(v)
				}
				return ""
			}}
			sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				r := b.ask(b.Context(), about("alice@a.example"))
				if got := verdictOf("alice@a.example", r); got != tt.want {
					b.Errorf("alice is %s, want %s:\n%s", got, tt.want, transcript(r.last()))
				}
			})
			if len(sessions) > 2 {
				t.Errorf("%d sessions", len(sessions))
			}
		})
	}
}

// TestNamedWithoutQuotes is about a host that names a quoted local-part without
// its quotes: it means the mailbox.
func TestNamedWithoutQuotes(t *testing.T) {
	const mailbox = `"jane \" doe"@a.example`
	host := &peer{rcpt: func(_ *visit, m string) string {
		return strings.NewReplacer(`"jane \" doe"`, `jane " doe`).Replace(usual(m))
	}}
	sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		if r := b.ask(b.Context(), about(mailbox)); verdictOf(mailbox, r) != "dead" {
			b.Errorf("told:\n%s", transcript(r.last()))
		}
	})
	if len(sessions) != 1 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// TestMachinesDiffer is about a host behind whose address one machine in three
// takes every mailbox: nobody is called alive because another machine refused
// the control.
func TestMachinesDiffer(t *testing.T) {
	for _, w := range wordings {
		t.Run(w.name, func(t *testing.T) {
			checkScrambled(t, w.name, func() *scrambled {
				var mu sync.Mutex
				sessions := 0
				return &scrambled{perSession: func() arrangement {
					mu.Lock()
					defer mu.Unlock()
					sessions++
					own := sessions
					return func(group, answers []string) []string {
						for i, command := range group {
							if isRCPT(command) && own%3 == 0 {
								answers[i] = w.words("real@a.example")
							}
						}
						return answers
					}
				}}
			})
		})
	}
}
