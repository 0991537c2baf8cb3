//go:build unix

package jobs

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/testkit"
)

// stuck are hosts that answer about nothing of some domains before they are let
// go.
func stuck(isStuck func(email string) bool) (h *hosts, letGo func()) {
	let := make(chan struct{})
	return &hosts{answer: func(ctx context.Context, email string, _ int) rcpt.Result {
		if isStuck(email) {
			select {
			case <-let:
			case <-ctx.Done():
			}
		}
		return fine(email)
	}}, func() { close(let) }
}

func manyAddresses(count int, domain func(i int) string) string {
	var list strings.Builder
	for i := range count {
		fmt.Fprintf(&list, "box%d@%s\n", i, domain(i))
	}
	return list.String()
}

func (h *hosts) total() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.asked)
}

// TestSmallJobDoesNotWait: a job has all verifications that may be in progress,
// and none of them ends; another one is done nevertheless.
func TestSmallJobDoesNotWait(t *testing.T) {
	h, letGo := stuck(func(email string) bool { return strings.Contains(email, "@large") })
	n := alone(t, h)
	large := n.create(manyAddresses(5000, func(i int) string { return fmt.Sprintf("large%d.example", i) }), Request{})
	testkit.Eventually(t, "the large job has everything", func() bool { return h.total() == n.config.Concurrency })
	small := n.create(manyAddresses(100, func(i int) string { return fmt.Sprintf("small%d.example", i%10) }), Request{})
	n.untilDone(small.ID)
	if j := n.job(large.ID); j.Done != 0 {
		t.Errorf("%d of the large one are done", j.Done)
	}
	letGo()
	n.untilDone(large.ID)
}

// TestManyJobsOfOneOwner: more jobs of an owner than a node works on at a time
// ask hosts that never answer; one of another owner is done nevertheless, and
// has half of all that may be in progress.
func TestManyJobsOfOneOwner(t *testing.T) {
	h, letGo := stuck(func(email string) bool { return strings.Contains(email, "@silent") })
	n := alone(t, h)
	defer letGo()
	for i := range maxRuns + 20 {
		n.create(fmt.Sprintf("a@silent%d.example\nb@silent%d.example\n", i, i), Request{Owner: "many"})
	}
	testkit.Eventually(t, "as many as may be are asked", func() bool { return h.total() >= maxRuns })
	stuckToo := n.create(manyAddresses(2000, func(i int) string { return fmt.Sprintf("silent-%d.example", i) }), Request{Owner: "other"})
	j := n.create(manyAddresses(100, func(i int) string { return fmt.Sprintf("fine%d.example", i) }), Request{Owner: "third"})
	n.untilDone(j.ID)
	testkit.Eventually(t, "the other has its share", func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		r := n.runOf(stuckToo.ID)
		return r != nil && r.room.Load() == int64(n.config.Concurrency/2)
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := 0
	for email := range h.asked {
		if strings.Contains(email, "@silent-") {
			asked++
		}
	}
	if asked > n.config.Concurrency/2 {
		t.Errorf("the other has asked about %d addresses, with a share of %d", asked, n.config.Concurrency/2)
	}
}

// TestGiantDoesNotDelayTheTail: a domain with most of the addresses answers
// nothing; the others are done nevertheless.
func TestGiantDoesNotDelayTheTail(t *testing.T) {
	h, letGo := stuck(func(email string) bool { return strings.HasSuffix(email, "@giant.example") })
	n := alone(t, h)
	const count, tail = 30_000, 30_000 / 10
	j := n.create(manyAddresses(count, func(i int) string {
		if i%10 > 0 {
			return "giant.example"
		}
		return fmt.Sprintf("d%d.example", i)
	}), Request{})
	n.until("the others are done", j.ID, func(j rows.Job) bool { return j.Done == tail })
	letGo()
	n.untilDone(j.ID)
}
