package smtpprobe_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// slowReply is how long a lagging host takes for the mailboxes whose names have
// "slow", and roundTrip for a group of commands.
const (
	slowReply = 3 * time.Second
	roundTrip = 50 * time.Millisecond
)

// lagging is a host that answers the commands of a group in order, each when it
// is ready, or all together.
type lagging struct{ together bool }

// ServeSMTP implements smtptest.Handler.
func (h *lagging) ServeSMTP(c net.Conn) {
	defer func() { _ = c.Close() }()
	in, out := bufio.NewReader(c), bufio.NewWriterSize(c, 1<<16)
	time.Sleep(roundTrip)
	_, _ = out.WriteString("220 mx\r\n")
	for {
		fresh := in.Buffered() == 0
		if fresh && out.Flush() != nil {
			return
		}
		command, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if fresh {
			time.Sleep(roundTrip)
		}
		reply := "250 2.0.0 Ok"
		switch command[:4] {
		case "EHLO":
			reply = "250-mx\r\n250 PIPELINING"
		case "RCPT":
			reply = h.answer(out, strings.TrimSuffix(strings.TrimPrefix(command, "RCPT TO:<"), ">\r\n"))
		case "QUIT":
			_, _ = out.WriteString("221 bye\r\n")
			_ = out.Flush()
			return
		}
		_, _ = out.WriteString(reply + "\r\n")
	}
}

func (h *lagging) answer(out *bufio.Writer, mailbox string) string {
	if strings.Contains(mailbox, "slow") {
		if !h.together {
			_ = out.Flush()
		}
		time.Sleep(slowReply)
	}
	return usual(mailbox)
}

// TestSlowMailboxes asks a host about 5,000 mailboxes, of which 2 % take three
// seconds: that takes little longer than the sum of those, divided by the
// sessions, and the others are answered meanwhile. One run in some hundreds
// takes twice as long, so the bound is on the average of six.
func TestSlowMailboxes(t *testing.T) {
	const n = 5000
	var list []string
	slow := time.Duration(0)
	for i := range n {
		name := "bad"
		if i*7919%100 < 80 {
			name = "good"
		}
		if i*7%50 == 3 {
			name += "slow"
			slow += slowReply
		}
		list = append(list, fmt.Sprintf("%s%d@d%d.example", name, i, i*31%10))
	}
	ratios := 0.0
	for _, together := range []bool{false, true} {
		for _, most := range []int{4, 10, 20} {
			var all, sum time.Duration // until all are answered; of those that are not slow
			sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: most}, one(&lagging{together}), func(b *bubble) {
				requests := aboutAll(list)
				for i := range requests {
					requests[i].Queued = func(bool) {}
				}
				for i, r := range b.askTogether(b.Context(), requests) {
					want := "dead"
					if strings.HasPrefix(list[i], "good") {
						want = "alive"
					}
					if got := verdictOf(list[i], r); got != want {
						b.Errorf("%s is %s: %s", list[i], got, summaries(r.found))
					}
					if all = max(all, r.took); !strings.Contains(list[i], "slow") {
						sum += r.took
					}
				}
			})
			ideal, mean := slow/time.Duration(most), sum/(n-n/50)
			rcpt := float64(count(sessions, "RCPT")) / n
			t.Logf("together %t, %d sessions: %v, %.2f of the slow ones' time; the others after %v on average; %.2f RCPT a mailbox",
				together, most, all, float64(all)/float64(ideal), mean, rcpt)
			if mean > all*2/3 || rcpt > 1.15 {
				t.Errorf("together %t, %d sessions: %v; the others after %v on average; %.2f RCPT a mailbox",
					together, most, all, mean, rcpt)
			}
			ratios += float64(all) / float64(ideal)
		}
	}
	if average := ratios / 6; average > 1.6 {
		t.Errorf("on average it took %.2f of the slow ones' time", average)
	}
}
