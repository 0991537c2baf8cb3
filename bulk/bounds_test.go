package bulk

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/rcpt/rcpt"
)

// TestPlannerForgets checks that nothing stays of what is done, also of tasks
// that come a second time.
func TestPlannerForgets(t *testing.T) {
	p := newPlanner(5)
	tasks := make([]*task, 100)
	for i := range tasks {
		tasks[i] = &task{record: &record{item: Item{Email: "a@b.example"}}}
	}
	for round, domains := range []int{7, 100} {
		for i, planned := range tasks {
			p.add(planned, fmt.Sprint(i%domains))
		}
		done := 0
		for started := p.next(10); started != nil; started = p.next(10) {
			p.done(started)
			done++
		}
		if done != 100 || len(p.domains) != 0 || p.planned != 0 || p.started != 0 || p.ofLarge != 0 || p.octets != 0 {
			t.Errorf("round %d: done %d, left %+v", round, done, p)
		}
	}
}

// TestRecent checks that at least half of the octets are remembered, and no
// more than all.
func TestRecent(t *testing.T) {
	numberedKey := func(n uint64) key { return key(binary.BigEndian.AppendUint64(make([]byte, 8), n)) }
	final := &answer{result: rcpt.Result{}}
	each := final.octets() + int64(len(key{}))
	d := newDedupe(100 * each)
	for n := range uint64(1000) {
		d.remember(numberedKey(n+1), final)
		kept := uint64(0)
		for ; kept <= n && d.recent(numberedKey(n+1-kept)) != nil; kept++ {
		}
		if kept < min(n+1, 50) || kept > 102 || len(d.open) > 0 {
			t.Fatalf("after %d, %d are known", n+1, kept)
		}
	}
}
