package engine

import (
	"crypto/rand"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
)

var personal = regexp.MustCompile(`^[a-z]{8,26}[._-][a-z]{8,26}([0-9]{2})?$`)

// randomMailbox spells random bytes as a mailbox.
func randomMailbox(domain string) string {
	var random [controlBytes]byte
	_, _ = rand.Read(random[:])
	return controlMailbox(random, domain)
}

func TestControlMailbox(t *testing.T) {
	const n = 20_000
	seen := make(map[string]bool, n)
	starts := make(map[string]int)
	for range n {
		local, domain, _ := strings.Cut(randomMailbox("example.com"), "@")
		if domain != "example.com" || len(local) > 64 || !personal.MatchString(local) {
			t.Fatalf("%q does not look like a mailbox", local)
		}
		if seen[local] {
			t.Fatalf("%q came twice", local)
		}
		seen[local] = true
		starts[local[:3]]++
	}
	// Nothing that begins many of them, by which a server could know them.
	// Evenly chosen, the most frequent start has a share of about 1/256.
	for start, count := range starts {
		if count > n/64 {
			t.Errorf("%d of %d begin with %q", count, n, start)
		}
	}
}

// TestControlMailboxIsUnguessable counts what can be chosen: 256 syllables,
// each of its own spelling, eight times.
func TestControlMailboxIsUnguessable(t *testing.T) {
	syllable := regexp.MustCompile(`[^aeiou._0-9-]+[aeiou]+`)
	seen := make(map[string]bool)
	const syllables = 8
	for range 5_000 {
		local, _, _ := strings.Cut(randomMailbox("example.com"), "@")
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

// TestControls checks that a domain keeps its control for a day, and that
// nobody can tell one from others.
func TestControls(t *testing.T) {
	names, others := newControls(Config{}), newControls(Config{})
	day := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	control := names.mailbox("example.com", day)
	local, domain, _ := strings.Cut(control, "@")
	if domain != "example.com" || !personal.MatchString(local) {
		t.Errorf("%q does not look like a mailbox", control)
	}
	if again := names.mailbox("example.com", day.Add(24*time.Hour-time.Second)); again != control {
		t.Errorf("%q, and %q on the same day", control, again)
	}
	kept := Config{ControlSecret: []byte("a secret that is kept")}
	if one, two := newControls(kept).mailbox("example.com", day), newControls(kept).mailbox("example.com", day); one != two {
		t.Errorf("one secret, but two controls: %q and %q", one, two)
	}
	for name, other := range map[string]string{
		"next day":       names.mailbox("example.com", day.Add(24*time.Hour)),
		"another domain": names.mailbox("example.org", day),
		"another secret": others.mailbox("example.com", day),
		"a kept secret":  newControls(kept).mailbox("example.com", day),
	} {
		if of, _, _ := strings.Cut(other, "@"); of == local {
			t.Errorf("%s: the same control, %q", name, other)
		}
	}
}
