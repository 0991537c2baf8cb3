package smtpprobe_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// TestListEnds: when a list ends, what is being asked is finished, what waits
// is told at once, and nobody else is asked. Others are asked as before.
func TestListEnds(t *testing.T) {
	host := &peer{RCPTDelay: 200 * time.Millisecond}
	var requests []smtpprobe.Request
	for i := range 2000 {
		requests = append(requests, about(fmt.Sprintf("good%d@a.example", i)))
	}
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		const after = 5 * time.Second
		done := make(chan struct{})
		list := &smtpprobe.Caller{Done: done}
		for i := range requests {
			requests[i].Caller = list
		}
		time.AfterFunc(after, func() { close(done) })
		answered, left := 0, 0
		for _, r := range b.askTogether(b.Context(), requests) {
			switch {
			case r.err == nil && r.last().Target != nil:
				if answered++; r.took > after+30*time.Second {
					b.Errorf("an answer came after %v", r.took)
				}
			case errors.Is(r.err, smtpprobe.ErrBusy) && len(r.found.Sessions) == 0:
				if left++; r.took != after {
					b.Errorf("one that waited was told after %v", r.took)
				}
			default:
				b.Fatalf("%v", r)
			}
		}
		if answered < 100 || left < 100 || answered+left != len(requests) {
			b.Errorf("%d have an answer, %d are left", answered, left)
		}
		if named := len(host.Recipients()); named > 2*answered+200 {
			b.Errorf("%d recipients were named for %d answers", named, answered)
		}
		late := about("good@a.example")
		late.Caller = list
		if r := b.ask(b.Context(), late); !errors.Is(r.err, smtpprobe.ErrBusy) || r.took > 0 {
			b.Errorf("one that came later: %v", r)
		}
		b.checkAnswered([]told{b.ask(b.Context(), about("good1@a.example"))}, 0)
	})
}

// TestListEndsWithoutProof: where a host accepts nobody, a list that ends does
// not wait for what the host says to others, be it that its refusal lacks a
// proof already, or is on its way.
func TestListEndsWithoutProof(t *testing.T) {
	for _, after := range []time.Duration{500 * time.Millisecond, 30 * time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			refuses := &peer{RCPT: "550 5.1.1 User unknown", RCPTDelay: time.Second}
			inBubble(t, smtpprobe.Config{}, one(refuses), func(b *bubble) {
				b.ask(b.Context(), about("bad@a.example")) // the first needs no proof
				done := make(chan struct{})
				ends, other := about("bad-x@a.example"), aboutAll(mailboxes(300, all, "b.example"))
				ends.Caller = &smtpprobe.Caller{Done: done}
				time.AfterFunc(after, func() { close(done) })
				for i := range other {
					other[i].Caller = new(smtpprobe.Caller)
				}
				var others sync.WaitGroup
				others.Go(func() {
					time.Sleep(time.Millisecond) // the list that ends comes first
					b.askTogether(b.Context(), other)
				})
				const asked = 10 * time.Second
				if r := b.ask(b.Context(), ends); !r.last().Unproven || r.took > max(after, asked) {
					b.Errorf("%v", r)
				}
				others.Wait()
			})
		})
	}
}
