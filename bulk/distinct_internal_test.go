package bulk

import (
	"fmt"
	"testing"

	"github.com/rcpt/rcpt"
)

// TestDistinct: no address is taken for another in a list of some size, and
// each is new once.
func TestDistinct(t *testing.T) {
	const some = 100_000
	var d distinct
	taken := 0
	for round := range 2 {
		for i := range some {
			r := rcpt.Result{Email: "x", Local: fmt.Sprint("u", i), Domain: "acme.example"}
			switch fresh := d.add(r); {
			case round == 0 && !fresh:
				taken++
			case round == 1 && fresh:
				t.Fatalf("%s is new again", r.Local)
			}
		}
	}
	if d.bits == nil || len(d.first) != firstDistinct {
		t.Errorf("%d addresses are known by their hash", len(d.first))
	}
	if taken > 2 {
		t.Errorf("%d of %d were taken for others", taken, some)
	}
}
