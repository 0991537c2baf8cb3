package address

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const acePrefix = "xn--"

// Profiles of UTS #46, non-transitional. Hyphens are left to checkLabel,
// because golang.org/x/net/idna looks for them at byte offsets
// (golang/go#81026); of the lengths only empty labels are looked for here, the
// rest is left to checkName.
var (
	mapLabels = idna.New(idna.MapForLookup(), idna.CheckHyphens(false))
	mapName   = idna.New(idna.MapForLookup(), idna.CheckHyphens(false), idna.BidiRule(), idna.VerifyDNSLength(true))
	// mapAny maps and checks nothing but the characters.
	mapAny = idna.New(idna.MapForLookup(), idna.ValidateLabels(false), idna.StrictDomainName(false))
)

// needsIDNA reports whether s is more than letters, digits and hyphens in
// labels that mean themselves.
func needsIDNA(s string) bool {
	if !isASCII(s) {
		return true
	}
	for label := range strings.SplitSeq(s, ".") {
		if isALabel(label) {
			return true
		}
	}
	return false
}

func isALabel(label string) bool {
	return len(label) >= len(acePrefix) && strings.EqualFold(label[:len(acePrefix)], acePrefix)
}

// convert brings s to U-labels, checks them, and only then makes A-labels:
// encoding takes quadratic time, and what checkLabels has passed is short.
// A-labels in s are decoded too and checked like the others.
func convert(s string) (string, *Error) {
	if !needsIDNA(s) {
		name := strings.ToLower(s)
		if err := checkLabels(name); err != nil {
			return "", err
		}
		return name, checkName(name)
	}
	mapped, err := toUnicode(mapName, s)
	if err != nil {
		return "", explain(s, mapped)
	}
	if err := checkLabels(mapped); err != nil {
		return "", relocate(err, mapped, s)
	}
	if err := checkTopLabel(mapped); err != nil {
		return "", relocate(err, mapped, s)
	}
	if err := checkALabels(s); err != nil {
		return "", err
	}
	name, err := idna.Punycode.ToASCII(mapped)
	if err != nil {
		return "", fail(ReasonInvalidULabel, 0, "domain has no form in ASCII")
	}
	if err := checkName(name); err != nil {
		return "", relocate(err, name, s)
	}
	return name, nil
}

// carry brings a domain that convert refuses into a form that the DNS can
// carry: labels in ASCII stay as they are, others are mapped and encoded
// whether they keep the rules for hyphens, joiners and directions of writing or
// not. A dot at the end is the root (RFC 1034 §3.1). The rules for the last
// label are kept: the root has no name that breaks them.
func carry(s string) (string, *Error) {
	var labels []string
	pos := 0
	for len(labels) <= maxLabels {
		end := strings.IndexFunc(s[pos:], isDot)
		label := s[pos:]
		if end >= 0 {
			label = label[:end]
		}
		encoded, err := carryLabel(label, end < 0)
		if err != nil {
			return "", err.shift(pos)
		}
		if labels = append(labels, encoded); end < 0 {
			break
		}
		_, size := utf8.DecodeRuneInString(s[pos+end:])
		pos += end + size
	}
	name := strings.Join(labels, ".")
	if err := checkName(strings.TrimSuffix(name, ".")); err != nil {
		return "", relocate(err, name, s)
	}
	return strings.TrimSuffix(name, "."), nil
}

// carryLabel does it with one label.
func carryLabel(label string, isLast bool) (string, *Error) {
	switch {
	case isASCII(label):
		return strings.ToLower(label), nil
	case len(label) > maxRawLabel:
		return "", labelTooLong()
	case isMixed(label):
		return "", notALabel()
	}
	if strings.ContainsFunc(label, isRefused) {
		return "", explainLabel(label)
	}
	mapped, _ := toUnicode(mapAny, label) // what it refuses is not known, and so may be right
	if i := strings.IndexFunc(mapped, isForeign); i >= 0 {
		return "", domainCharacter(mapped[i], 0)
	}
	if err := checkTopLabel(mapped); isLast && err != nil {
		return "", fail(err.Reason, 0, "%s", err.Detail)
	}
	if utf8.RuneCountInString(mapped) > maxLabel {
		return "", labelTooLong()
	}
	encoded, err := idna.Punycode.ToASCII(mapped)
	if err != nil {
		return "", fail(ReasonInvalidULabel, 0, "domain has no form in ASCII")
	}
	return encoded, nil
}

// isRefused reports whether UTS #46 forbids a character that the tables know,
// wherever it stands: joiners are right between some letters.
func isRefused(r rune) bool {
	const joiners = "\u200C\u200D"
	if r < utf8.RuneSelf || strings.ContainsRune(joiners, r) {
		return false
	}
	_, err := toUnicode(mapLabels, "a"+string(r)+"a")
	known := unicode.IsGraphic(r) || unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co)
	return known && err != nil
}

// isForeign reports whether an ASCII character may not stand in a label.
func isForeign(r rune) bool {
	return r < utf8.RuneSelf && !isLetDig(byte(r)) && r != '-' && r != '_'
}

// toUnicode maps s as UTS #46 of today does, whatever the age of the tables.
func toUnicode(p *idna.Profile, s string) (string, error) {
	return p.ToUnicode(strings.Map(smallLetter, s))
}

// smallLetter maps the capital letters whose small ones UTS #46 has only known
// since Unicode 15.1 and 16: golang.org/x/net/idna made "ss" of U+1E9E before,
// which is another domain than that with "ß", and refused the others.
func smallLetter(r rune) rune {
	switch {
	case r == '\u1E9E', r == '\u04C0', '\u10A0' <= r && r <= '\u10C5', r == '\u2132', r == '\u2183':
		return unicode.ToLower(r)
	}
	return r
}

// checkALabels refuses labels that begin as A-labels and go on beyond ASCII
// (UTS #46 §4, step 4). golang.org/x/net/idna decodes them all the same, to a
// label that nobody wrote.
func checkALabels(s string) *Error {
	pos := 0
	for label := range strings.FieldsFuncSeq(s, isDot) {
		pos += strings.Index(s[pos:], label)
		if !isASCII(label) && isMixed(label) {
			return notALabel().shift(pos)
		}
		pos += len(label)
	}
	return nil
}

// isMixed puts a letter in front of the label, which keeps it from being
// decoded, but not from being mapped.
func isMixed(label string) bool {
	mapped, _ := toUnicode(mapLabels, "a"+label)
	return strings.HasPrefix(mapped, "a"+acePrefix) && !isASCII(mapped)
}

func notALabel() *Error {
	return fail(ReasonInvalidALabel, 0, `label begins with "%s" but is not a valid A-label`, acePrefix)
}

// relocate turns a position in the converted domain into the start of the same
// label in s.
func relocate(err *Error, converted, s string) *Error {
	labels := strings.Count(converted[:err.Pos], ".")
	err.Pos = 0
	for i, r := range s {
		if labels == 0 {
			break
		}
		err.Pos = i + utf8.RuneLen(r)
		if isDot(r) {
			labels--
		}
	}
	return err
}

// isDot reports whether UTS #46 takes r for a full stop.
func isDot(r rune) bool {
	return r == '.' || r == '\u3002' || r == '\uFF0E' || r == '\uFF61'
}

// explain says why mapName refuses s, of which it made mapped.
func explain(s, mapped string) *Error {
	pos := 0
	for label := range strings.FieldsFuncSeq(s, isDot) {
		pos += strings.Index(s[pos:], label)
		if _, err := toUnicode(mapLabels, label); err != nil || strings.EqualFold(label, acePrefix) {
			return explainLabel(label).shift(pos)
		}
		pos += len(label)
	}
	if err := checkLabels(mapped); err != nil {
		return relocate(err, mapped, s)
	}
	return fail(ReasonBidiRule, 0, "domain mixes directions of writing in a way that RFC 5893 forbids")
}

func explainLabel(label string) *Error {
	if len(label) > maxRawLabel {
		return labelTooLong()
	}
	for i, r := range label {
		// Between two letters nothing but the character itself can be wrong;
		// joiners are only right in their context.
		if _, err := toUnicode(mapLabels, "a"+string(r)+"a"); err != nil && r != '\u200C' && r != '\u200D' {
			return fail(ReasonDomainCharacter, i, "%U may not stand in a domain", r)
		}
	}
	if isALabel(label) {
		return notALabel()
	}
	return fail(ReasonInvalidULabel, 0, "label begins with a combining mark or has a joiner in the wrong place")
}
