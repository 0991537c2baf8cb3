package smtpprobe_test

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// operator runs many mail hosts, and counts what it sees of a client at all of
// them together. It counts a session until it answers QUIT.
type operator struct {
	tolerates int // sessions at a time; then 421
	wait      time.Duration

	mu         sync.Mutex
	open, most int
	complaints int
	recipients []time.Time
}

// ServeSMTP implements smtptest.Handler.
func (o *operator) ServeSMTP(c net.Conn) {
	o.mu.Lock()
	o.open++
	o.most = max(o.most, o.open)
	tooMany := o.tolerates > 0 && o.open > o.tolerates
	if tooMany {
		o.complaints++
	}
	o.mu.Unlock()
	leave := sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.open--
	})
	defer leave()
	host := &peer{wait: func(*visit, string) time.Duration { return o.wait }}
	host.greet = func(*visit) string {
		if tooMany {
			leave()
			return "421 4.7.0 too many connections from your address"
		}
		return "220 mx"
	}
	host.other = func(_ *visit, command string) string {
		if command == "QUIT" {
			leave()
		}
		return ""
	}
	host.rcpt = func(_ *visit, mailbox string) string {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.recipients = append(o.recipients, time.Now())
		return usual(mailbox)
	}
	host.ServeSMTP(c)
}

// busiest is how many recipients were named in the busiest minute.
func (o *operator) busiest() (most int) {
	from := 0
	for i, at := range o.recipients {
		for at.Sub(o.recipients[from]) >= time.Minute {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// hosts are mail hosts of the operator, and requests about so many mailboxes at
// each of them, in a domain of its own.
func (o *operator) hosts(n, mailboxes int, name string) (map[string]smtptest.Handler, []smtpprobe.Request) {
	hosts := map[string]smtptest.Handler{}
	var requests []smtpprobe.Request
	for i := range n {
		addr := fmt.Sprintf("192.0.%d.%d", 2+i/200, 1+i%200)
		hosts[addr] = o
		for j := range mailboxes {
			req := about(fmt.Sprintf("good%d@d%d.example", j, i), addr)
			req.Hosts[0].Name = fmt.Sprintf("mx%d.%s", i, name)
			req.Budget = time.Hour
			requests = append(requests, req)
		}
	}
	return hosts, requests
}

func (b *bubble) checkAnswered(answers []told) {
	b.Helper()
	for i, r := range answers {
		if r.err != nil || r.last().Target == nil {
			b.Fatalf("%d: %s (%v)", i, summaries(r.found), r.err)
		}
	}
}

// TestProviderWithManyHosts sees that all mail hosts of a provider share its
// sessions, and that no limit of the provider's is met.
func TestProviderWithManyHosts(t *testing.T) {
	for _, tt := range []struct {
		name string
		pace pace.Settings
		host string
		most int
	}{
		{"unknown", pace.Settings{}, "hoster.test", 10},
		{"careful", pace.Settings{Preset: pace.Careful}, "hoster.test", 5},
		{"known", pace.Settings{}, "l.google.com", 5},
		{"overridden", pace.Settings{Providers: map[string]pace.Limits{"hoster.test": {Sessions: 3}}}, "hoster.test", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := &operator{tolerates: tt.most, wait: 10 * time.Millisecond}
			hosts, requests := o.hosts(60, 6, tt.host)
			inBubble(t, smtpprobe.Config{Pace: tt.pace}, hosts, func(b *bubble) {
				b.checkAnswered(b.askAll(requests))
			})
			if o.complaints > 0 || o.most != tt.most {
				t.Errorf("at most %d sessions at a time, and %d complaints; want %d and none", o.most, o.complaints, tt.most)
			}
		})
	}
}

// TestOffHasNoLimits sees that with pacing off nothing is held back.
func TestOffHasNoLimits(t *testing.T) {
	o := &operator{wait: 10 * time.Millisecond}
	hosts, requests := o.hosts(60, 6, "hoster.test")
	inBubble(t, smtpprobe.Config{Pace: pace.Settings{Preset: pace.Off}}, hosts, func(b *bubble) {
		b.checkAnswered(b.askAll(requests))
	})
	if o.most < 60 {
		t.Errorf("at most %d sessions at a time with 60 hosts", o.most)
	}
}

// TestComplaintsOfOneHostAreForAll sees that a provider that tolerates less
// than its limit is asked within it after a few complaints.
func TestComplaintsOfOneHostAreForAll(t *testing.T) {
	o := &operator{tolerates: 4, wait: 100 * time.Millisecond}
	hosts, requests := o.hosts(100, 10, "hoster.test")
	inBubble(t, smtpprobe.Config{}, hosts, func(b *bubble) {
		b.checkAnswered(b.askAll(requests))
	})
	if o.complaints > 8 {
		t.Errorf("%d complaints", o.complaints)
	}
}

// TestSmallHostsOfAProviderAreServedEarly sees that hosts with one mailbox do
// not wait until the giants of their provider are done.
func TestSmallHostsOfAProviderAreServedEarly(t *testing.T) {
	o := &operator{tolerates: 10, wait: 50 * time.Millisecond}
	hosts, requests := o.hosts(5, 2000, "hoster.test")
	giants := len(requests)
	small := &operator{wait: 50 * time.Millisecond}
	for i := range 50 {
		addr := fmt.Sprintf("198.51.100.%d", i+1)
		hosts[addr] = small
		req := about("good@small.example", addr)
		req.Hosts[0].Name, req.Budget = fmt.Sprintf("small%d.hoster.test", i), time.Hour
		requests = append(requests, req)
	}
	inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 3000}, hosts, func(b *bubble) {
		var last, all time.Duration
		answers := b.askAll(requests)
		b.checkAnswered(answers)
		for i, r := range answers {
			if all = max(all, r.took); i >= giants {
				last = max(last, r.took)
			}
		}
		b.Logf("the last small host after %v, the last giant after %v", last, all)
		if last > all/2 {
			b.Errorf("the last small host was answered after %v, of %v in all", last, all)
		}
	})
}
