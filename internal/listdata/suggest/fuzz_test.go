package suggest

import (
	"slices"
	"strings"
	"testing"
)

// A suggestion is never what was typed, ends in a top-level domain that exists,
// and is a target, a known domain or the typed one with another end. It does
// not depend on the order of the targets.
func FuzzSuggest(f *testing.F) {
	for _, seed := range []string{"gmial.com", "acme.con", "www.acme.con", "gmail", "gmailcom", "gmail.com.com", "yahoo.co.u", "acme.com", "", "..", "\xff."} {
		f.Add(seed)
	}
	s := someSuggester()
	targets := parseTargets(someTargets)
	slices.Reverse(targets)
	reversed := New(targets, s.known)
	f.Fuzz(func(t *testing.T, domain string) {
		got, ok := s.Suggest(domain)
		if again, _ := reversed.Suggest(domain); again != got {
			t.Errorf("Suggest(%q) = %q, and %q with the targets reversed", domain, got, again)
		}
		if !ok {
			if got != "" {
				t.Errorf("Suggest(%q) = %q, false", domain, got)
			}
			return
		}
		if got == domain || s.isReal(domain) || !underRealTLD(got) {
			t.Errorf("Suggest(%q) = %q", domain, got)
		}
		if !s.isReal(got) && !isMended(strings.TrimPrefix(domain, "www."), got) {
			t.Errorf("Suggest(%q) = %q, which is neither real nor mended", domain, got)
		}
	})
}

func isMended(domain, mended string) bool {
	return slices.ContainsFunc(commonTLDs[:], func(tld string) bool {
		base, ok := strings.CutSuffix(mended, tld)
		return ok && strings.HasSuffix(base, ".") && strings.HasPrefix(domain, base)
	})
}
