package suggest

import (
	"fmt"
	"testing"
)

// TestRecent holds that an answer that is remembered is the one for its own
// domain, also where domains share a place.
func TestRecent(t *testing.T) {
	s := manySuggester()
	for round := range 2 {
		for i := range 4 * recentSlots {
			domain := fmt.Sprintf("name%d.con", i)
			meant, ok := s.Suggest(domain)
			if want := fmt.Sprintf("name%d.com", i); meant != want || !ok {
				t.Fatalf("round %d: Suggest(%q) = %q, %v, want %q", round, domain, meant, ok, want)
			}
		}
	}
}
