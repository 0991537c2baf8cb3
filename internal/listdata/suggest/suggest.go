// Package suggest finds the domain that was probably meant by a mistyped one:
// gmail.com for gmial.com, acme.com for acme.con.
//
// The name before the first dot and the rest are compared separately. A name
// may have typing errors, more of them if it is longer. If the top-level domain
// of the rest exists, the rest must be correct, because yahoo.it is not a
// typing error for yahoo.ie; the exceptions are a few endings that are known as
// typing errors, such as gmail.co. A top-level domain that does not exist is
// corrected in any domain.
//
// Limits: a suggestion is a question to the user, never a reason for a verdict.
// The name of a sub-domain is not corrected. A real domain that looks like a
// typing error is recognised only if it is in the caller's list.
package suggest

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
)

// Target is a provider's domain worth suggesting.
type Target struct {
	Domain string // lower-case A-labels
	Weight int    // its share of all mailboxes, in any unit
}

// popularShare is how many targets can be popular: each has one mailbox of so
// many.
const popularShare = 50

// Suggester finds the domain that a mistyped one was meant to be. It is safe
// for concurrent use if known is.
type Suggester struct {
	targets  []target // the heaviest first
	isTarget map[string]bool
	known    func(domain string) bool
	keys     *keyboard
	recent   recent // of mend, which takes ten times as long as the rest
}

// New prepares the targets. Of two equally near to a typed domain, the heavier
// is suggested. known reports domains that are real by themselves and never
// mistaken for a slip; nil knows none.
func New(targets []Target, known func(domain string) bool) *Suggester {
	s := &Suggester{
		isTarget: make(map[string]bool, len(targets)), known: known,
		keys: newKeyboard(), recent: recent{seed: maphash.MakeSeed()},
	}
	sorted := slices.SortedFunc(slices.Values(targets), func(a, b Target) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.Domain, b.Domain))
	})
	total := 0
	for _, t := range sorted {
		total += t.Weight
	}
	for _, t := range sorted {
		s.targets = append(s.targets, newTarget(t.Domain, t.Weight*popularShare >= total))
		s.isTarget[t.Domain] = true
	}
	return s
}

// Suggest returns the domain that the given one, in lower-case A-labels or
// without a dot, most probably is a mistyping of: a target, or the same domain
// under a top-level domain that exists.
func (s *Suggester) Suggest(domain string) (string, bool) {
	if s.isReal(domain) {
		return "", false
	}
	bare, www := strings.CutPrefix(domain, "www.")
	if www && s.isReal(bare) {
		return bare, true
	}
	if underRealTLD(bare) {
		return s.nearest(bare, true)
	}
	if known := s.recent.of(bare); known != nil {
		return known.meant, known.ok
	}
	meant, ok := s.mend(bare)
	s.recent.remember(suggestion{bare, meant, ok})
	return meant, ok
}

// mend is Suggest for a domain whose top-level domain does not exist.
func (s *Suggester) mend(bare string) (string, bool) {
	mended, ok := s.keys.mendTLD(bare)
	if ok && s.isReal(mended) {
		return mended, true
	}
	if near, found := s.nearest(mended, true); found {
		return near, true
	}
	if near, found := s.nearest(bare, false); found { // countries' too, which mendTLD leaves alone
		return near, true
	}
	return mended, ok
}

// isReal reports whether nobody needs a suggestion for the domain.
func (s *Suggester) isReal(domain string) bool {
	return s.isTarget[domain] || s.known != nil && s.known(domain)
}

// nearest returns the target at the least cost.
func (s *Suggester) nearest(domain string, realTLD bool) (string, bool) {
	in := typed{cut(domain), realTLD}
	best, found := tooFar, ""
	for i := range s.targets {
		if c := s.targets[i].cost(&in, s.keys); c < best {
			best, found = c, s.targets[i].domain
		}
	}
	return found, best < tooFar
}
