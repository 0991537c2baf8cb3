package smtpprobe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// hostileFound is what a probe on its own finds at each hostile host, by what
// is found. Sessions are separated by " / ".
var hostileFound = map[string]string{
	"failure timeout at greeting":                                              "drip-greeting late-greeting silent-at-greeting no-line-end-greeting bare-cr http-second",
	"greeting 220, failure timeout at ehlo":                                    "drip-ehlo drip-lines silent-at-ehlo",
	stubborn("greeting 220, ehlo 250, failure timeout at mail"):                "drip-mail silent-at-mail",
	stubborn("greeting 220, ehlo 250, mail 250, failure timeout at rcpt"):      "drip-rcpt silent-at-rcpt no-line-end-rcpt",
	"greeting 220, ehlo 250, mail 250, failure timeout at rcpt / " + goodFound: "pipelining-dropped",
	"anything":                             "slow-replies slow-recipients random",
	"failure closed at greeting":           "closes-at-greeting",
	"failure reset at greeting":            "resets-at-greeting",
	"greeting 421":                         "421-at-greeting",
	"greeting 220, failure closed at ehlo": "closes-at-ehlo",
	"greeting 220, failure reset at ehlo":  "resets-at-ehlo",
	"greeting 220, ehlo 421":               "421-at-ehlo",
	"greeting 220, ehlo 250, failure timeout at starttls / " + goodFound: "silent-at-starttls",
	"greeting 220, ehlo 250, failure closed at starttls / " + goodFound:  "closes-at-starttls",
	"greeting 220, ehlo 250, failure reset at starttls / " + goodFound:   "resets-at-starttls",
	"greeting 220, ehlo 250, starttls 421 / " + goodFound:                "421-at-starttls",
	stubborn("greeting 220, ehlo 250, failure closed at mail"):           "closes-at-mail",
	stubborn("greeting 220, ehlo 250, failure reset at mail"):            "resets-at-mail",
	"greeting 220, ehlo 250, mail 421":                                   "421-at-mail",
	stubborn("greeting 220, ehlo 250, mail 250, failure closed at rcpt"): "closes-at-rcpt",
	stubborn("greeting 220, ehlo 250, mail 250, failure reset at rcpt"):  "resets-at-rcpt",
	"greeting 220, ehlo 250, mail 250, target 421":                       "421-at-rcpt",
	goodFound: "silent-at-rset closes-at-rset resets-at-rset 421-at-rset silent-at-quit closes-at-quit " +
		"resets-at-quit 421-at-quit long-keywords bare-lf byte-by-byte control-characters " +
		"pipelining-last-dropped pipelining-reversed pipelining-reversed-by-name five-then-refuses " +
		"five-then-rejects five-then-421 flood-after-quit",
	"failure protocol at greeting": "long-line-greeting endless-greeting endless-line endless-nothing binary http ssh",
	"greeting 220, failure protocol at ehlo": "long-line-ehlo endless-ehlo endless-replies thousand-lines-then-reset two-greetings " +
		"two-greetings-apart",
	"greeting 220, ehlo 250, mail 250, failure protocol at rcpt": "long-line-rcpt endless-rcpt mixed-codes mixed-codes-refusal reply-of-1xx 354-to-rcpt " +
		"two-replies-to-mail refusal-waiting two-replies-to-rcpt",
	"greeting 220, ehlo 250, failure protocol at mail": "endless-mail two-replies-to-ehlo",
	goodFoundTLS("TLS 1.3"):                            "byte-by-byte-over-tls tls-expired tls-other-name",
	"greeting 220, ehlo 250, starttls 220, TLS 1.3, failure tls at starttls / " + goodFound:  "tls-breaks-off tls-silent tls-wants-certificate",
	"greeting 220, ehlo 250, starttls 220, TLS 1.3, failure protocol at ehlo / " + goodFound: "tls-flood",
	"greeting 220, ehlo 250, starttls 454, mail 250, target 250, control 550":                "tls-refused",
	"greeting 220, ehlo 250, starttls 220, failure tls at starttls / " + goodFound:           "tls-closes tls-stalls tls-garbage",
	"greeting 220, ehlo 250, starttls 220, failure protocol at starttls":                     "tls-injected",
	goodFoundTLS("TLS 1.0"): "tls-old",
	"greeting 220, ehlo 250, mail 250, target 250, control 250": "ban",
}

// stubborn is what a host does that is not better asked step by step.
func stubborn(found string) string { return found + " / " + found }

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
			want := ""
			for found, kinds := range hostileFound {
				if slices.Contains(strings.Fields(kinds), kind) {
					want = found
				}
			}
			if strings.HasPrefix(kind, "turns-") {
				want = goodFound
			}
			if want == "" {
				t.Fatal("nobody has said what should be found of it")
			}
			sessions := inBubble(t, smtpprobe.Config{}, one(smtptest.HostileHost(kind)), func(b *bubble) {
				r := b.ask(b.Context(), about("real@a.example"))
				if got := strings.ReplaceAll(summaries(r.found), "\n", " / "); want != "anything" && got != want || r.err != nil {
					b.Errorf("found %s (%v), want %s", got, r.err, want)
				}
				if r.took > hostileBudget+hostileGrace {
					b.Errorf("took %v", r.took)
				}
				checkFindings(b.T, r.found)
				checkVerdict(b.T, "real@a.example", r)
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
				honest := aboutAll(mailboxes(10, every(2), "honest.example"), "192.0.2.2")
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
						checkTruth(b.T, []string{mailbox}, []told{r})
						if r.took > hostileGrace {
							b.Errorf("%s took %v at an honest host", mailbox, r.took)
						}
					case kind != "pipelining-reversed": // which names none, so that in company nothing tells that it mixes them up
						checkVerdict(b.T, mailbox, r)
					}
				}
				if n := len(b.network.Dials()); n > 100 {
					b.Errorf("%d connections", n)
				}
			})
		})
	}
}
