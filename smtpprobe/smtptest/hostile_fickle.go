package smtptest

import (
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/rcpt/rcpt/smtpprobe/internal/fakehost"
)

// fickleHosts change their minds.
func fickleHosts() []hostile {
	return []hostile{
		{"five-then-refuses", realHost(func(h *Host) {
			h.RCPTFunc = afterFive("550 5.7.1 Too many recipients for today")
		})},
		{"five-then-rejects", realHost(func(h *Host) { h.RCPTFunc = afterFive("550 rejected") })},
		{"five-then-421", realHost(func(h *Host) { h.RCPTFunc = afterFive("421 4.7.0 Too many recipients") })},
		{"random", random()},
		{"ban", ban()},
		{"flood-after-quit", inGroups(func(group []string) []string {
			if group[0] == "QUIT" {
				return slices.Repeat([]string{"250 and another thing"}, 100_000)
			}
			return answersTo(group)
		})},
	}
}

// afterFive is a host's reply to RCPT: the truth for five accepted recipients
// of all its sessions, then a refusal.
func afterFive(refusal string) func(rcpt string, n int) string {
	var mu sync.Mutex
	accepted := 0
	return func(rcpt string, _ int) string {
		mu.Lock()
		defer mu.Unlock()
		reply := realReply(rcpt)
		switch {
		case accepted >= 5:
			return refusal
		case accepts(reply):
			accepted++
		}
		return reply
	}
}

// random answers anything to anything. Its refusals name nobody and nothing.
func random() Handler {
	replies := []string{
		"220 ok", "250 ok", "250 ok", "354 go on", "421 no", "450 no", "451 no", "452 no", "500 no", "503 no",
		"550 no", "552 no", "554 no", "what?",
	}
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(1, 2)) // the same each time
	return inGroups(func(group []string) []string {
		mu.Lock()
		defer mu.Unlock()
		answers := make([]string, len(group))
		for i := range answers {
			answers[i] = replies[dice.IntN(len(replies))]
		}
		return answers
	})
}

// ban accepts whatever it is told, and after twenty commands nothing more, from
// anybody.
func ban() Handler {
	var mu sync.Mutex
	heard := 0
	return inGroups(func(group []string) []string {
		mu.Lock()
		defer mu.Unlock()
		answers := answersTo(group)
		for i, command := range group {
			switch heard++; {
			case verbOf(command) == "QUIT":
			case heard > 20:
				answers[i] = "554 5.7.1 You are banned"
			case verbOf(command) != "EHLO":
				answers[i] = "250 2.0.0 Whatever you say"
			}
		}
		return answers
	})
}

// inGroups is a host that answers the commands that come together, together.
func inGroups(answer func(group []string) []string) Handler {
	return &fakehost.Host{
		Forgets: true,
		Greet:   func(*fakehost.Session) string { return "220 mx.smtptest.example" },
		Arrange: func(_ *fakehost.Session, group, _ []string) []string { return answer(group) },
	}
}

// answersTo are the answers of a host that checks its recipients.
func answersTo(group []string) []string {
	var answers []string
	for _, command := range group {
		switch verbOf(command) {
		case "EHLO":
			answers = append(answers, "250-mx.smtptest.example\n250 PIPELINING")
		case "RCPT":
			mailbox := strings.TrimSuffix(strings.TrimPrefix(command, "RCPT TO:<"), ">")
			answers = append(answers, strings.ReplaceAll(realReply(mailbox), "%s", mailbox))
		case "QUIT":
			answers = append(answers, "221 2.0.0 Bye")
		default:
			answers = append(answers, "250 2.0.0 Ok")
		}
	}
	return answers
}

// saysMore answers a command with one reply more than it should, once in each
// group.
func saysMore(verb, more string) func(group []string) []string {
	return func(group []string) []string {
		answers := answersTo(group)
		for i, command := range group {
			if verbOf(command) == verb {
				return slices.Insert(answers, i+1, more)
			}
		}
		return answers
	}
}

// reversed answers the recipients of a group in reverse order.
func reversed(group []string) []string {
	answers := answersTo(group)
	var at []int
	for i, command := range group {
		if verbOf(command) == "RCPT" {
			at = append(at, i)
		}
	}
	for i, j := 0, len(at)-1; i < j; i, j = i+1, j-1 {
		answers[at[i]], answers[at[j]] = answers[at[j]], answers[at[i]]
	}
	return answers
}

// anonymous puts refusals in words that name nobody.
func anonymous(answers []string) []string {
	for i, answer := range answers {
		if strings.HasPrefix(answer, "550") {
			answers[i] = "550 5.1.1 no such mailbox here"
		}
	}
	return answers
}

// speaksSecond is a host that says something once the client has spoken first.
func speaksSecond(text string) Handler {
	return HandlerFunc(func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			_, _ = io.WriteString(conn, text)
		}
	})
}
