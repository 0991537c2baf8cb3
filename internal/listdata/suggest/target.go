package suggest

import (
	"math/bits"
	"strings"
)

// parts are a domain cut up for comparing.
type parts struct {
	domain  string
	name    string // before the first dot
	tail    string // after it
	letters letters
	inName  letters
}

func cut(domain string) parts {
	name, tail, _ := strings.Cut(domain, ".")
	return parts{domain: domain, name: name, tail: tail, letters: lettersOf(domain), inName: lettersOf(name)}
}

// target is a Target with what its name's edits may cost.
type target struct {
	parts
	limit int
}

func newTarget(domain string, popular bool) target {
	p := cut(domain)
	return target{parts: p, limit: nameLimit(p.name, popular)}
}

// typed is a domain that is no target.
type typed struct {
	parts
	realTLD bool
}

// nameLimit is what the edits in a target's name may cost together. Names of
// three letters, such as aol, are too near to each other for any. In longer
// ones, a second slip or a stray letter too soon leads to somebody else's name,
// as from charter to chapter; but a stray letter in gmail or hotmail mostly
// comes from the crowd that uses them. A hyphen counts for nothing, as what it
// joins is a word: t-online.
func nameLimit(name string, popular bool) int {
	switch n := len(name) - strings.Count(name, "-"); {
	case n <= 3:
		return 0
	case n > 7:
		return 2 * slip
	case n > shortName && popular:
		return stray
	default:
		return slip
	}
}

// shortName is the length up to which a name's neighbours mostly belong to
// others: live, like, love. Slips in it must not bring in letters nor lose them
// (lvie, livee), and nothing else may be wrong.
const shortName = 4

// cost is what the edits from the typed domain to the target cost, or tooFar.
func (t *target) cost(in *typed, keys *keyboard) int {
	if t.letters == in.letters && (len(t.name) > shortName || !in.realTLD) && sameButMarks(in.domain, t.domain) {
		return slip
	}
	if !t.mayBeNamed(in) {
		return tooFar
	}
	tail := t.tailCost(in, keys)
	if tail == tooFar {
		return tooFar
	}
	name := keys.distance(in.name, t.name)
	if name > t.limit || name > slip && in.name[0] != t.name[0] { // people see the first letter: pcloud is not icloud
		return tooFar
	}
	return name + tail
}

// mayBeNamed is a quick look before the distance: an edit costs at least one
// for each letter that it leaves to only one of the two names, and a slip if it
// makes the name longer or shorter.
func (t *target) mayBeNamed(in *typed) bool {
	apart := bits.OnesCount32(uint32(t.inName ^ in.inName))
	if len(t.name) <= shortName && apart > 0 {
		return false
	}
	longer := len(in.name) - len(t.name)
	return apart <= t.limit && max(longer, -longer)*slip <= t.limit
}

// tailCost is what the edits after the first dot cost, or tooFar.
func (t *target) tailCost(in *typed, keys *keyboard) int {
	switch {
	case in.tail == t.tail:
		return 0
	case len(t.name) <= shortName && in.name != t.name:
		return tooFar
	case isTwice(in.tail, t.tail):
		return slip
	case in.realTLD && !t.isUnderSlippedTLD(in):
		return tooFar
	case in.tail == "" && len(in.name) <= shortName: // a word: mail, web, me
		return tooFar
	case strings.HasPrefix(t.tail, in.tail): // the end is missing, or all of it
		return slip
	}
	return tldCost(in.tail, t.tail, keys)
}

// isTwice reports whether s is tail written twice: gmail.com.com.
func isTwice(s, tail string) bool {
	rest, ok := strings.CutPrefix(s, tail)
	return ok && strings.TrimPrefix(rest, ".") == tail
}

// isUnderSlippedTLD reports whether the typed domain's top-level domain exists,
// but rather is a slip for the target's own. Under .co, names as short as live
// are others' and so are mail.co and cloud.co.
func (t *target) isUnderSlippedTLD(in *typed) bool {
	switch in.tail {
	case "cm", "om":
		return t.tail == "com"
	case "co":
		return t.tail == "com" && in.name == t.name && len(t.name) > shortName
	case "ne", "et":
		return t.tail == "net"
	}
	return false
}
