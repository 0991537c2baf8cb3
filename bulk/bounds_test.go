package bulk

import (
	"encoding/binary"
	"testing"

	"github.com/rcpt/rcpt"
)

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
