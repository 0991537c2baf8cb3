package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// hostileFound is what a probe on its own finds at each hostile host. Sessions
// are separated by " / ".
var hostileFound = map[string]string{
	"drip-greeting":   "failure timeout at greeting",
	"drip-ehlo":       "greeting 220, failure timeout at ehlo",
	"drip-mail":       "greeting 220, ehlo 250, failure timeout at mail",
	"drip-rcpt":       "greeting 220, ehlo 250, mail 250, failure timeout at rcpt",
	"drip-lines":      "greeting 220, failure timeout at ehlo",
	"slow-replies":    "", // as long as the longest wait for a reply: anything
	"slow-recipients": "",
	"late-greeting":   "failure timeout at greeting",

	"silent-at-greeting": "failure timeout at greeting",
	"closes-at-greeting": "failure closed at greeting",
	"resets-at-greeting": "failure reset at greeting",
	"421-at-greeting":    "greeting 421",
	"silent-at-ehlo":     "greeting 220, failure timeout at ehlo",
	"closes-at-ehlo":     "greeting 220, failure closed at ehlo",
	"resets-at-ehlo":     "greeting 220, failure reset at ehlo",
	"421-at-ehlo":        "greeting 220, ehlo 421",
	"silent-at-starttls": "greeting 220, ehlo 250, failure timeout at starttls",
	"closes-at-starttls": "greeting 220, ehlo 250, failure closed at starttls",
	"resets-at-starttls": "greeting 220, ehlo 250, failure reset at starttls",
	"421-at-starttls":    "greeting 220, ehlo 250, starttls 421",
	"silent-at-mail":     "greeting 220, ehlo 250, failure timeout at mail",
	"closes-at-mail":     "greeting 220, ehlo 250, failure closed at mail",
	"resets-at-mail":     "greeting 220, ehlo 250, failure reset at mail",
	"421-at-mail":        "greeting 220, ehlo 250, mail 421",
	"silent-at-rcpt":     "greeting 220, ehlo 250, mail 250, failure timeout at rcpt",
	"closes-at-rcpt":     "greeting 220, ehlo 250, mail 250, failure closed at rcpt",
	"resets-at-rcpt":     "greeting 220, ehlo 250, mail 250, failure reset at rcpt",
	"421-at-rcpt":        "greeting 220, ehlo 250, mail 250, target 421",
	"silent-at-rset":     goodFound,
	"closes-at-rset":     goodFound,
	"resets-at-rset":     goodFound,
	"421-at-rset":        goodFound,
	"silent-at-quit":     goodFound,
	"closes-at-quit":     goodFound,
	"resets-at-quit":     goodFound,
	"421-at-quit":        goodFound,

	"long-line-greeting":        "failure protocol at greeting",
	"long-line-ehlo":            "greeting 220, failure protocol at ehlo",
	"long-line-rcpt":            "greeting 220, ehlo 250, mail 250, failure protocol at rcpt",
	"endless-greeting":          "failure protocol at greeting",
	"endless-ehlo":              "greeting 220, failure protocol at ehlo",
	"endless-mail":              "greeting 220, ehlo 250, failure protocol at mail",
	"endless-rcpt":              "greeting 220, ehlo 250, mail 250, failure protocol at rcpt",
	"endless-line":              "failure protocol at greeting",
	"endless-replies":           "greeting 220, failure protocol at ehlo",
	"endless-nothing":           "failure protocol at greeting",
	"no-line-end-greeting":      "failure timeout at greeting",
	"no-line-end-rcpt":          "greeting 220, ehlo 250, mail 250, failure timeout at rcpt",
	"thousand-lines-then-reset": "greeting 220, failure protocol at ehlo",
	"long-keywords":             goodFound,

	"bare-lf":               goodFound,
	"bare-cr":               "failure timeout at greeting",
	"byte-by-byte":          goodFound,
	"byte-by-byte-over-tls": goodFoundTLS("TLS 1.3"),
	"binary":                "failure protocol at greeting",
	"http":                  "failure protocol at greeting",
	"http-second":           "failure timeout at greeting",
	"ssh":                   "failure protocol at greeting",
	"control-characters":    goodFound,
	"mixed-codes":           "greeting 220, ehlo 250, mail 250, failure protocol at rcpt",
	"mixed-codes-refusal":   "greeting 220, ehlo 250, mail 250, failure protocol at rcpt",
	"reply-of-1xx":          "greeting 220, ehlo 250, mail 250, failure protocol at rcpt",
	"354-to-rcpt":           "greeting 220, ehlo 250, mail 250, failure protocol at rcpt",

	"two-greetings":               "greeting 220, failure protocol at ehlo",
	"two-greetings-apart":         "greeting 220, failure protocol at ehlo",
	"two-replies-to-ehlo":         "greeting 220, ehlo 250, failure protocol at mail",
	"two-replies-to-mail":         "greeting 220, ehlo 250, mail 250, failure protocol at rcpt",
	"refusal-waiting":             "greeting 220, ehlo 250, mail 250, failure protocol at rcpt",
	"two-replies-to-rcpt":         "greeting 220, ehlo 250, mail 250, failure protocol at rcpt",
	"pipelining-dropped":          "greeting 220, ehlo 250, mail 250, failure timeout at rcpt",
	"pipelining-last-dropped":     goodFound,
	"pipelining-reversed":         goodFound,
	"pipelining-reversed-by-name": goodFound,

	"tls-breaks-off":        "greeting 220, ehlo 250, starttls 220, TLS 1.3, failure tls at starttls / " + goodFound,
	"tls-silent":            "greeting 220, ehlo 250, starttls 220, TLS 1.3, failure tls at starttls / " + goodFound,
	"tls-flood":             "greeting 220, ehlo 250, starttls 220, TLS 1.3, failure protocol at ehlo",
	"tls-refused":           "greeting 220, ehlo 250, starttls 454, mail 250, target 250, control 550",
	"tls-closes":            "greeting 220, ehlo 250, starttls 220, failure tls at starttls / " + goodFound,
	"tls-stalls":            "greeting 220, ehlo 250, starttls 220, failure tls at starttls / " + goodFound,
	"tls-garbage":           "greeting 220, ehlo 250, starttls 220, failure tls at starttls / " + goodFound,
	"tls-injected":          "greeting 220, ehlo 250, starttls 220, failure protocol at starttls",
	"tls-wants-certificate": "greeting 220, ehlo 250, starttls 220, TLS 1.3, failure tls at starttls / " + goodFound,
	"tls-expired":           goodFoundTLS("TLS 1.3"),
	"tls-other-name":        goodFoundTLS("TLS 1.3"),
	"tls-old":               goodFoundTLS("TLS 1.0"),

	"five-then-refuses": goodFound,
	"five-then-rejects": goodFound,
	"five-then-421":     goodFound,
	"random":            "", // anything
	"ban":               "greeting 220, ehlo 250, mail 250, target 250, control 250",
	"flood-after-quit":  goodFound,
}

func goodFoundTLS(version string) string {
	return "greeting 220, ehlo 250, starttls 220, mail 250, target 250, control 550, " + version
}

// hostileBudget is the time for one address; an answer may take a second more.
const (
	hostileBudget = 30 * time.Second
	hostileGrace  = time.Second
)

// TestHostileHosts has one ask each of the hostile hosts: the answer comes in
// time, says no more than is known, and leaves nothing behind.
func TestHostileHosts(t *testing.T) {
	for _, kind := range smtptest.HostileKinds() {
		t.Run(kind, func(t *testing.T) {
			want, ok := hostileFound[kind]
			if strings.HasPrefix(kind, "turns-") {
				want, ok = goodFound, true
			}
			if !ok {
				t.Fatal("nobody has said what should be found of it")
			}
			sessions := inBubble(t, smtpprobe.Config{}, one(smtptest.HostileHost(kind)), func(b *bubble) {
				r := b.ask(b.Context(), about("real@a.example"))
				if got := strings.ReplaceAll(summaries(r.found), "\n", " / "); want != "" && got != want || r.err != nil {
					b.Errorf("found %s (%v), want %s", got, r.err, want)
				}
				if r.took > hostileBudget+hostileGrace {
					b.Errorf("took %v", r.took)
				}
				checkFindings(b.T, r.found)
				checkNotFooled(b.T, "real@a.example", r)
				begun := time.Now()
				if err := b.pool.Close(); err != nil || time.Since(begun) > 5*time.Second {
					b.Errorf("the pool closed after %v (%v)", time.Since(begun), err)
				}
			})
			if len(sessions) > 6 {
				t.Errorf("%d sessions", len(sessions))
			}
		})
	}
}

// TestCrowdsAtHostileHosts has forty ask each of them, and some an honest host
// at the same time, with few sessions to share: nobody is told that a mailbox
// does not exist that does, and those at the honest host do not notice.
func TestCrowdsAtHostileHosts(t *testing.T) {
	for _, kind := range smtptest.HostileKinds() {
		t.Run(kind, func(t *testing.T) {
			hosts := map[string]smtptest.Handler{"192.0.2.1": smtptest.HostileHost(kind), "192.0.2.2": checks()}
			inBubble(t, smtpprobe.Config{MaxSessions: 6}, hosts, func(b *bubble) {
				var requests []smtpprobe.Request
				for i := range 40 {
					local := []string{"real", "real", "missing"}[i%3]
					requests = append(requests, about(fmt.Sprintf("%s%d@d%d.example", local, i, i%2)))
				}
				honest := aboutAll(mailboxes(10, func(i int) bool { return i%2 == 0 }, "honest.example"), "192.0.2.2")
				for i := range honest {
					honest[i].Hosts[0].Name = "mx.honest.example" // of another provider
				}
				requests = append(requests, honest...)
				for i, r := range b.askAll(requests) {
					mailbox := requests[i].Target
					switch {
					case r.err != nil || len(r.found.Sessions) == 0:
						b.Errorf("%s: %v", mailbox, r.err)
					case strings.HasSuffix(mailbox, "@honest.example"):
						checkTruth(b.T, map[string]smtpprobe.Findings{mailbox: r.found})
						if r.took > hostileGrace {
							b.Errorf("%s took %v at an honest host", mailbox, r.took)
						}
					case kind != "pipelining-reversed": // which names none, so that in company nothing tells that it mixes them up
						checkNotFooled(b.T, mailbox, r)
					}
				}
				if n := len(b.network.Dials()); n > 100 {
					b.Errorf("%d connections", n)
				}
			})
		})
	}
}

// checkNotFooled fails when what was said to a mailbox that exists would be
// read as that it does not.
func checkNotFooled(t *testing.T, mailbox string, r told) {
	t.Helper()
	last := r.last()
	if !strings.HasPrefix(mailbox, "real") || last.Target == nil || last.Unproven {
		return
	}
	question := replies.Input{Phase: smtp.PhaseRCPT, Reply: *last.Target, Host: last.Host, Mailbox: mailbox}
	switch class := replies.DefaultClassifier().Read(question).Class; class {
	case replies.ClassNoSuchUser, replies.ClassDisabled, replies.ClassMoved:
		t.Errorf("%s was told %q, which is read as %s:\n%s", mailbox, last.Target, class, transcript(last))
	}
}
