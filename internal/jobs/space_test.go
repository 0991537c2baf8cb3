//go:build unix

package jobs

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/store"
)

// TestSpaceIsUsedAgain: the room that a deleted list took is that of the next
// one, so that the database does not grow with the number of lists.
func TestSpaceIsUsedAgain(t *testing.T) {
	folder, random := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	s := openStore(t, store.Options{DataDir: folder})
	n := newNode(t, s, Config{Verifier: &hosts{}})
	size := func() (size int64) {
		t.Helper()
		check(t, s.Purge(t.Context())) // it empties the write-ahead log, too
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		check(t, err)
		for _, name := range files {
			info, err := os.Stat(name)
			check(t, err)
			size += info.Size()
		}
		return size
	}
	list := func() string {
		var b strings.Builder
		for range 3000 {
			fmt.Fprintf(&b, "%x@%d.example\n", random.Uint64(), random.IntN(20))
		}
		return b.String()
	}
	empty, first := size(), int64(0)
	for i := range 3 {
		j := n.untilDone(n.create(list(), Request{}).ID)
		if i == 0 {
			if first = size(); first < empty+50_000 {
				t.Fatalf("a list takes %d octets: it is too short for this test", first-empty)
			}
		}
		check(t, n.Delete(t.Context(), j.ID, nil))
	}
	if last := size(); last-empty > (first-empty)*5/4 {
		t.Errorf("the store had %d octets without a list and %d with one; after three lists that were deleted it has %d", empty, first, last)
	}
	if left, err := os.ReadDir(n.config.TempDir); err != nil || len(left) != 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}
