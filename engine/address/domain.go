package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// parseDomain reads Domain of RFC 5321 §4.1.2 in any form that UTS #46 maps to
// one, and what is irregular about it.
func parseDomain(s string) (name string, irregular []Error, err *Error) {
	if s == "" {
		return "", nil, fail(ReasonEmptyDomain, 0, `nothing stands after "@"`)
	}
	if s[0] == '[' {
		return "", nil, refuseLiteral(s)
	}
	if irregular, err = checkDomainChars(s); err != nil {
		return "", irregular, err
	}
	if name, err = convert(s); err != nil {
		irregular = note(irregular, err)
		name, err = carry(s)
	}
	return name, irregular, err
}

// checkDomainChars refuses what no mapping makes part of a domain; convert
// judges the rest of the non-ASCII characters. Names of hosts with underscores
// are in use, and every resolver takes them.
func checkDomainChars(s string) (irregular []Error, err *Error) {
	for i, r := range s {
		if r >= utf8.RuneSelf || !isPrintable(byte(r)) {
			if err := checkRune(r, i); err != nil {
				return irregular, err
			}
			continue
		}
		switch c := byte(r); {
		case isLetDig(c), c == '-', c == '.':
		case c == '@':
			return irregular, fail(ReasonSecondAt, i,
				`there is a second "@"; one in the local-part must stand between quotes`)
		case c == ' ':
			return irregular, fail(ReasonSpace, i, "there is a space in the domain")
		case c == '_':
			irregular = note(irregular, domainCharacter(c, i))
		default:
			return irregular, domainCharacter(c, i)
		}
	}
	return irregular, nil
}

func domainCharacter(c byte, pos int) *Error {
	return fail(ReasonDomainCharacter, pos, `"%c" may not stand in a domain`, c)
}

// checkLabels checks the labels of a domain in Unicode, after mapping.
func checkLabels(name string) *Error {
	pos := 0
	for label := range strings.SplitSeq(name, ".") {
		if label == "" {
			return emptyLabel(name, pos)
		}
		if err := checkLabel(label); err != nil {
			return err.shift(pos)
		}
		pos += len(label) + 1
	}
	return nil
}

func emptyLabel(name string, pos int) *Error {
	switch {
	case name == "":
		return fail(ReasonEmptyDomain, 0, "the domain has only characters that are ignored")
	case pos == len(name):
		return fail(ReasonTrailingDot, pos-1, "domain ends with a dot; leave it out")
	case pos == 0:
		return fail(ReasonEmptyLabel, 0, "domain begins with a dot")
	}
	return fail(ReasonEmptyLabel, pos, "domain has two dots in a row")
}

// checkLabel counts characters, not bytes: in "é--a" the hyphens are second and
// third. Hyphens third and fourth are kept out of labels that need IDNA (RFC
// 5891 §4.2.3.1); to a label of ASCII the grammar of RFC 5321 alone applies,
// and the DNS may well have it.
func checkLabel(label string) *Error {
	if utf8.RuneCountInString(label) > maxLabel {
		return labelTooLong()
	}
	if label[0] == '-' {
		return fail(ReasonLabelHyphen, 0, "label begins with a hyphen")
	}
	if label[len(label)-1] == '-' {
		return fail(ReasonLabelHyphen, len(label)-1, "label ends with a hyphen")
	}
	_, first := utf8.DecodeRuneInString(label)
	_, second := utf8.DecodeRuneInString(label[first:])
	if !isASCII(label) && strings.HasPrefix(label[first+second:], "--") {
		return fail(ReasonReservedLabel, first+second, "label has hyphens in the third and fourth place")
	}
	return nil
}

func labelTooLong() *Error {
	return fail(ReasonLabelTooLong, 0, "label is longer than %d octets", maxLabel)
}

// checkTopLabel refuses a last label in Unicode with anything but letters,
// marks, digits and hyphens: no top-level domain has more (RFC 6912 §4.2), and
// UTS #46 also lets symbols and punctuation pass, such as a closing quote that
// was copied along with the address.
func checkTopLabel(name string) *Error {
	last := strings.LastIndexByte(name, '.') + 1
	for i, r := range name[last:] {
		if r >= utf8.RuneSelf && !unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Join_Control) {
			return fail(ReasonDomainCharacter, last+i, "%U may not stand in a top-level domain", r)
		}
	}
	return nil
}

// checkName checks a domain that has its final form for what no resolver could
// be asked about, or could find: the root has no name without a dot for mail
// (RFC 7085), and none that is a number.
func checkName(name string) *Error {
	if len(name) > maxDomain {
		return fail(ReasonDomainTooLong, 0, "domain is longer than %d octets", maxDomain)
	}
	pos := 0
	for label := range strings.SplitSeq(name, ".") {
		switch {
		case label == "":
			return emptyLabel(name, pos)
		case len(label) > maxLabel:
			return labelTooLong().shift(pos)
		}
		pos += len(label) + 1
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return fail(ReasonDotless, 0, "domain has no dot")
	}
	if strings.Trim(name[dot+1:], "0123456789") == "" {
		return fail(ReasonNumericTLD, dot+1, "domain ends with a number; no top-level domain is one")
	}
	return nil
}
