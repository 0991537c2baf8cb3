package keyring

import (
	"regexp"
	"testing"
)

func TestNewText(t *testing.T) {
	form := regexp.MustCompile(`^rcpt_[0-9A-Za-z]{49}$`)
	seen := map[string]bool{}
	for range 1000 {
		text := NewText()
		if !form.MatchString(text) || text[48:] != checksum(text[:48]) || seen[text] {
			t.Fatalf("%q is not a new key", text)
		}
		seen[text] = true
	}
}

// TestChecksum: the checksums of these were computed by another program.
func TestChecksum(t *testing.T) {
	for text, want := range map[string]string{
		"rcpt_0000000000000000000000000000000000000000000": "3oBloI",
		"rcpt_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz": "3ZyhKx",
	} {
		if got := checksum(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
