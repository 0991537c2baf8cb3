package keyring

import (
	"regexp"
	"strings"
	"testing"
)

func TestNewText(t *testing.T) {
	form := regexp.MustCompile(`^rcpt_[0-9A-Za-z]{49}$`)
	seen := map[string]bool{}
	for range 1000 {
		text := NewText()
		if !form.MatchString(text) || !IsText(text) || seen[text] {
			t.Fatalf("%q is not a new key", text)
		}
		seen[text] = true
	}
}

func TestIsText(t *testing.T) {
	// The checksums of these were computed by another program.
	for text, want := range map[string]bool{
		"rcpt_0000000000000000000000000000000000000000000" + "3oBloI": true,
		"rcpt_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz" + "3ZyhKx": true,
		"":      false,
		"rcpt_": false,
		"RCPT_0000000000000000000000000000000000000000000" + "3oBloI":        false,
		"rcpt_0000000000000000000000000000000000000000000" + "000000":        false,
		"rcpt_0000000000000000000000000000000000000000000" + "3oBloI" + "\n": false,
		"rcpt_000000000000000000000000000000000000000000-" + "3oBloI":        false,
	} {
		if got := IsText(text); got != want {
			t.Errorf("IsText(%q) = %v", text, got)
		}
	}
}

// TestTypingErrors: one wrong character, two that changed places, one too many
// or too few are never taken for a key.
func TestTypingErrors(t *testing.T) {
	text := NewText()
	for i := range text {
		for _, c := range "0aZ_-é" {
			if typo := text[:i] + string(c) + text[i+1:]; typo != text && IsText(typo) {
				t.Errorf("%q passes for %q", typo, text)
			}
		}
		if typo := text[:i] + text[i+1:]; IsText(typo) {
			t.Errorf("%q passes for %q", typo, text)
		}
		if i > 0 {
			if typo := text[:i-1] + text[i:i+1] + text[i-1:i] + text[i+1:]; typo != text && IsText(typo) {
				t.Errorf("%q passes for %q", typo, text)
			}
		}
	}
}

func FuzzIsText(f *testing.F) {
	f.Add("rcpt_")
	f.Add(strings.Repeat("z", textLength))
	f.Add(NewText())
	f.Fuzz(func(t *testing.T, text string) {
		if !IsText(text) {
			return
		}
		if len(text) != textLength || !strings.HasPrefix(text, TextPrefix) || strings.Trim(text[len(TextPrefix):],
			"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			t.Errorf("%q is taken for a key", text)
		}
		if other := text[:textLength-1] + "?"; IsText(other) {
			t.Errorf("%q is taken for a key", other)
		}
	})
}
