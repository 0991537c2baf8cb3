package address

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const acePrefix = "xn--"

// Two profiles of UTS #46, non-transitional. Hyphens are left to checkLabel, because golang.org/x/net/idna looks for them at
// byte offsets (golang/go#81026); of the lengths only empty labels are looked for here, the rest is left to checkName.
var (
	mapLabels = idna.New(idna.MapForLookup(), idna.CheckHyphens(false))
	mapName   = idna.New(idna.MapForLookup(), idna.CheckHyphens(false), idna.BidiRule(), idna.VerifyDNSLength(true))
)

// needsIDNA reports whether s is more than letters, digits and hyphens in labels that mean themselves.
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

// convert brings s to U-labels, checks them, and only then makes A-labels: encoding takes quadratic time, and what
// checkLabels has passed is short. A-labels in s are decoded too and checked like the others.
func convert(s string) (string, *Error) {
	unicode, err := mapName.ToUnicode(s)
	if err != nil {
		return "", explain(s, unicode)
	}
	if err := checkLabels(unicode); err != nil {
		return "", relocate(err, unicode, s)
	}
	name, err := idna.Punycode.ToASCII(unicode)
	if err != nil {
		return "", fail(InvalidULabel, 0, "domain has no form in ASCII")
	}
	if err := checkName(name); err != nil {
		return "", relocate(err, name, s)
	}
	return name, nil
}

// relocate turns a position in the converted domain into the start of the same label in s.
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

// explain says why mapName refuses s, of which it made unicode.
func explain(s, unicode string) *Error {
	pos := 0
	for label := range strings.FieldsFuncSeq(s, isDot) {
		pos += strings.Index(s[pos:], label)
		if _, err := mapLabels.ToUnicode(label); err != nil || strings.EqualFold(label, acePrefix) {
			return explainLabel(label).shift(pos)
		}
		pos += len(label)
	}
	if err := checkLabels(unicode); err != nil {
		return relocate(err, unicode, s)
	}
	return fail(BidiRule, 0, "domain mixes directions of writing in a way that RFC 5893 forbids")
}

func explainLabel(label string) *Error {
	if len(label) > maxRawLabel {
		return labelTooLong()
	}
	for i, r := range label {
		// Between two letters nothing but the character itself can be wrong; joiners are only right in their context.
		if _, err := mapLabels.ToUnicode("a" + string(r) + "a"); err != nil && r != '\u200C' && r != '\u200D' {
			return fail(DomainCharacter, i, "%U may not stand in a domain", r)
		}
	}
	if isALabel(label) {
		return fail(InvalidALabel, 0, `label begins with "%s" but is not a valid A-label`, acePrefix)
	}
	return fail(InvalidULabel, 0, "label begins with a combining mark or has a joiner in the wrong place")
}
