package keyring

import (
	"regexp"
	"testing"
)

func TestNewText(t *testing.T) {
	seen := map[string]bool{}
	for form, test := range map[string]bool{`^rcpt_[0-9A-Za-z]{49}$`: false, `^rcpt_test_[0-9A-Za-z]{49}$`: true} {
		for range 500 {
			text := NewText(test)
			random := len(text) - checksumDigits
			if !regexp.MustCompile(form).MatchString(text) || text[random:] != checksum(text[:random]) || seen[text] {
				t.Fatalf("%q is not a new key", text)
			}
			seen[text] = true
		}
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
