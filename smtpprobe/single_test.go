package smtpprobe_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// TestSingleChecksComeFirst has single checks come while a list is being asked
// about at a host that answers some of its mailboxes late, and has others asked
// alone: none shares a transaction with an address of the list, and all are
// answered long before it is done.
func TestSingleChecksComeFirst(t *testing.T) {
	host := &peer{RCPTDelay: 20 * time.Millisecond, RCPTFunc: func(v *visit, m string) string {
		switch {
		case strings.HasPrefix(m, "good-late"):
			v.Sleep(2 * time.Second)
		case strings.HasPrefix(m, "good-odd") && v.Named > 0:
			return "550 5.7.1 not now"
		}
		return ""
	}}
	var ofList, singles []string
	for i := range 400 {
		kind := "good-list"
		switch i % 20 {
		case 3:
			kind = "good-late"
		case 7:
			kind = "good-odd"
		}
		ofList = append(ofList, kind+strings.Repeat("x", i%40)+string(rune('a'+i%26))+strings.Repeat("y", i/40)+"@a.example")
	}
	for i := range 20 {
		singles = append(singles, "good-single"+string(rune('a'+i))+"@a.example")
	}
	requests := patient(aboutAll(ofList))
	for i := range requests {
		requests[i].Budget = time.Hour
	}
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 4}, one(host), func(b *bubble) {
		var asked sync.WaitGroup
		var all time.Duration
		asked.Go(func() {
			start := time.Now()
			b.askTogether(b.Context(), requests)
			all = time.Since(start)
		})
		time.Sleep(5 * time.Second)
		for _, m := range singles {
			asked.Go(func() {
				if r := b.ask(b.Context(), about(m)); r.code() != 250 || r.took > time.Second {
					b.Errorf("%s: %v after %v", m, r, r.took)
				}
			})
			time.Sleep(500 * time.Millisecond)
		}
		asked.Wait()
		if all < 15*time.Second {
			b.Errorf("the list was done after %v: the test shows nothing", all)
		}
	})
	for _, s := range sessions {
		for transaction := range strings.SplitSeq(strings.Join(s.Commands, "\n"), "MAIL ") {
			singles := strings.Count(transaction, "RCPT TO:<good-single")
			if others := strings.Count(transaction, "RCPT TO:<good-") - singles; singles > 0 && others > 1 { // one is a proof
				t.Errorf("shared with a list: %s", transaction)
			}
		}
	}
}
