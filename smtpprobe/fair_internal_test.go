//go:build !plan

package smtpprobe

import (
	"fmt"
	"testing"
)

// TestDomainsAreForgotten sees that a host that is never without jobs keeps no
// more domains than it needs.
func TestDomainsAreForgotten(t *testing.T) {
	h := &mailHost{lined: make(map[line]int)}
	for i := range 100_000 {
		h.lineUp(&job{req: &Request{}, domain: fmt.Sprintf("d%d.example", i)})
		h.lineUp(&job{req: &Request{}, domain: "giant.example"})
		for len(h.waiting) > 100 {
			h.serve(h.waiting[0])
			h.waiting = h.waiting[1:]
		}
		if n := len(h.lined); n > 210 {
			t.Fatalf("%d domains are kept, and %d jobs wait", n, len(h.waiting))
		}
	}
}
