package smtptest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// limit is a number of something after which a host says something else: to
// RCPT, to every command if commands are counted, or as the greeting if
// sessions are.
type limit struct {
	after int
	what  string        // refusals, recipients, accepted, transactions, commands, sessions
	of    string        // transaction, all; else the session
	lasts time.Duration // how long it is so for all sessions; then the count begins anew
	says  string

	mu    sync.Mutex
	count int       // of all sessions
	until time.Time // it lasts
}

// parseLimit reads what stands behind "after": "3 refusals [of a transaction |
// of all | for 20s] -> TEXT". Without more, it is about the session.
func parseLimit(text string) (*limit, error) {
	counted, says, ok := strings.Cut(text, " -> ")
	words := strings.Fields(counted)
	if !ok || len(words) < 2 {
		return nil, fmt.Errorf("%q: a limit is COUNT WHAT -> TEXT", text)
	}
	l := &limit{what: words[1], says: says}
	var err error
	if l.after, err = strconv.Atoi(words[0]); err != nil {
		return nil, err
	}
	switch scope := strings.Join(words[2:], " "); scope {
	case "":
	case "of a transaction":
		l.of = "transaction"
	case "of all":
		l.of = "all"
	default:
		length, ok := strings.CutPrefix(scope, "for ")
		if l.lasts, err = time.ParseDuration(length); !ok || err != nil {
			return nil, fmt.Errorf("%q: what %q is of", text, scope)
		}
		l.of = "all"
	}
	if counts[l.what] == nil && (l.of != "all" || l.what != "commands" && l.what != "sessions") {
		return nil, fmt.Errorf("%q: nobody counts %s", text, l.what)
	}
	return l, nil
}

// counts are what can be counted in a session, and in its last transaction.
var counts = map[string]func(v *Visit) (session, transaction int){
	"refusals":     func(v *Visit) (int, int) { return v.Refused, v.Here - v.Accepted },
	"recipients":   func(v *Visit) (int, int) { return v.Named, v.Here },
	"accepted":     func(v *Visit) (int, int) { return v.Named - v.Refused, v.Accepted },
	"transactions": func(v *Visit) (int, int) { return v.Mailed - 1, 0 },
}

// concerns reports whether the limit is about a command, or if that is empty
// about the greeting.
func (l *limit) concerns(command string) bool {
	switch l.what {
	case "sessions":
		return command == ""
	case "commands":
		return command != ""
	}
	return verbOf(command) == "RCPT"
}

// reached reports whether what is counted has been enough.
func (l *limit) reached(v *Visit) bool {
	if l.of != "all" {
		session, transaction := counts[l.what](v)
		if l.of == "transaction" {
			return transaction >= l.after
		}
		return session >= l.after
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.until) {
		return true
	}
	if l.what == "commands" || l.what == "sessions" {
		l.count++
		return l.count > l.after
	}
	if l.count < l.after {
		return false
	}
	if l.lasts > 0 {
		l.until, l.count = time.Now().Add(l.lasts), 0
	}
	return true
}

// named counts a recipient.
func (l *limit) named(accepted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	counted := l.what == "recipients" || l.what == "accepted" && accepted || l.what == "refusals" && !accepted
	if l.of == "all" && counted && !time.Now().Before(l.until) {
		l.count++
	}
}
