package suggest

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/sys/publicsuffix"
)

// commonTLDs are what a top-level domain that does not exist is mended to, the
// most used first.
var commonTLDs = [...]string{
	"com", "net", "org", "de", "co.uk", "fr", "it", "nl", "es", "com.br", "com.au",
	"ca", "ch", "at", "be", "pl", "ru", "in", "co.in", "jp", "co.jp",
	"cz", "se", "us", "eu", "edu", "gov", "info", "io",
}

// underRealTLD reports whether the domain's top-level domain exists. One that
// is missing, as in "gmail", does not, though .gmail does.
func underRealTLD(domain string) bool {
	if !strings.Contains(domain, ".") {
		return false
	}
	isUnder := func(tld string) bool {
		base, ok := strings.CutSuffix(domain, tld)
		return ok && strings.HasSuffix(base, ".")
	}
	if slices.ContainsFunc(commonTLDs[:], isUnder) { // spares most domains a look-up
		return true
	}
	suffix, icann := publicsuffix.PublicSuffix(domain)
	return icann || strings.Contains(suffix, ".") // the list's way to say that the top-level domain is in it
}

// mendTLD writes a common top-level domain in place of one that does not exist
// and is one edit away from it. An ending of one letter, or of two where the
// common one also has two, could be any country code and is not changed.
func (k *keyboard) mendTLD(domain string) (string, bool) {
	best, mended := tooFar, ""
	for from := strings.LastIndexByte(domain, '.'); from > 0; from = strings.LastIndexByte(domain[:from], '.') {
		tail := domain[from+1:]
		if strings.Count(tail, ".") > 1 {
			break
		}
		for _, tld := range commonTLDs {
			if len(tail) == 1 || max(len(tail), len(tld)) == 2 {
				continue
			}
			if c := tldCost(tail, tld, k); c < best {
				best, mended = c, domain[:from+1]+tld
			}
		}
	}
	return mended, best < tooFar
}

// tldCost is the distance between two top-level domains, or what follows two
// names, if it is one edit. In two letters that must be a slip.
func tldCost(typed, meant string, keys *keyboard) int {
	limit := stray
	if len(meant) == 2 {
		limit = slip
	}
	if longer := len(typed) - len(meant); longer < -1 || longer > 1 {
		return tooFar
	}
	// One letter instead of another leaves two that only one of them has.
	if bits.OnesCount32(uint32(lettersOf(typed)^lettersOf(meant))) > 2 {
		return tooFar
	}
	if c := keys.distance(typed, meant); c <= limit {
		return c
	}
	return tooFar
}
