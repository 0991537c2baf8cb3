package smtpprobe_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
)

var personal = regexp.MustCompile(`^[a-z]{8,26}[._-][a-z]{8,26}([0-9]{2})?$`)

func TestControlMailbox(t *testing.T) {
	const n = 20_000
	seen := make(map[string]bool, n)
	starts := make(map[string]int)
	for range n {
		local, domain, _ := strings.Cut(smtpprobe.ControlMailbox("example.com"), "@")
		if domain != "example.com" || len(local) > 64 || !personal.MatchString(local) {
			t.Fatalf("%q does not look like a mailbox", local)
		}
		if seen[local] {
			t.Fatalf("%q came twice", local)
		}
		seen[local] = true
		starts[local[:3]]++
	}
	// Nothing that begins many of them, by which a server could know them. Evenly chosen, the most frequent start has a share of about 1/256.
	for start, count := range starts {
		if count > n/64 {
			t.Errorf("%d of %d begin with %q", count, n, start)
		}
	}
}

// TestControlMailboxIsUnguessable counts what can be chosen: 256 syllables, each of its own spelling, eight times.
func TestControlMailboxIsUnguessable(t *testing.T) {
	syllable := regexp.MustCompile(`[^aeiou._0-9-]+[aeiou]+`)
	seen := make(map[string]bool)
	const syllables = 8
	for range 5_000 {
		local, _, _ := strings.Cut(smtpprobe.ControlMailbox("example.com"), "@")
		found := syllable.FindAllString(local, -1)
		if len(found) != syllables {
			t.Fatalf("%q has %d syllables", local, len(found))
		}
		for _, s := range found {
			seen[s] = true
		}
	}
	if bits := syllables * math.Log2(float64(len(seen))); bits < 64 {
		t.Errorf("%.1f bits of %d syllables, want at least 64", bits, len(seen))
	}
}
