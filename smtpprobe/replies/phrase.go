package replies

import (
	"fmt"
	"strings"
)

// phrase is a sequence of elements that the words of a reply may contain. It is
// written as words with blanks between them:
//
//	word      this word             word*     a word that begins so
//	(a|b c)   one of these          $name     one of a named set
//	..        up to five words      ?word     this word or nothing; also ?(a|b) and ?$name
//	<addr>    an address; also <host>, <ip>, <url>, <#> (a number), <sender> (our own reverse-path)
//	<end>     the end of the reply or of a clause, where "user unknown" has said all
//	~spamhaus a host name or URL that contains this, and is not the recipient's domain or the mail host
//
// Things between two words of a phrase are skipped: "user <a@b.example>
// unknown" contains "user unknown".
type phrase []element

type element struct {
	gap      bool
	end      bool
	optional bool
	words    atomSet    // one of these words
	longer   []sequence // or one of these sequences
}

// sequence is words that follow each other.
type sequence []atom

const (
	// maxGap is the number of words that ".." matches at most.
	maxGap = 5
	// maxThings is how many things in a row are passed over within a phrase.
	maxThings = 4
	// minPrefix is the number of letters that a "word*" must have, so that few
	// of them are tried on each word.
	minPrefix = 3
)

var thingNames = map[string]thing{
	"<addr>":   anAddress,
	"<host>":   aHost,
	"<ip>":     anIP,
	"<url>":    aURL,
	"<#>":      aNumber,
	"<sender>": theSender,
}

// open reports whether the element may match nothing.
func (e element) open() bool { return e.gap || e.optional }

// empty reports whether the element has no words: fillers are dropped both from
// phrases and from replies.
func (e element) empty() bool { return !e.gap && !e.end && len(e.words) == 0 && len(e.longer) == 0 }

// phraseParser reads the notation of phrase. sets are the named sets of words.
type phraseParser struct {
	sets       map[string][]string
	vocabulary *vocabulary
}

func (p phraseParser) parse(text string) (phrase, error) {
	var elements phrase
	for _, field := range phraseFields(text) {
		e, err := p.element(field)
		if err != nil {
			return nil, fmt.Errorf("phrase %q: %w", text, err)
		}
		if !e.empty() {
			elements = append(elements, e)
		}
	}
	if len(elements) == 0 || elements[0].open() || elements[0].end || elements[len(elements)-1].open() {
		return nil, fmt.Errorf("phrase %q: must begin and end with a word", text)
	}
	return elements, nil
}

// phraseFields splits at blanks outside parentheses. Plain words that follow
// each other stay together, because two may be compared as one.
func phraseFields(text string) []string {
	depth := 0
	var fields []string
	for _, field := range strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return r == ' ' && depth == 0
	}) {
		if last := len(fields) - 1; last >= 0 && isPlainField(field) && isPlainField(fields[last]) {
			fields[last] += " " + field
			continue
		}
		fields = append(fields, field)
	}
	return fields
}

func isPlainField(field string) bool { return field != ".." && !strings.ContainsAny(field, "()?$<>~*") }

func (p phraseParser) element(field string) (element, error) {
	var e element
	switch field {
	case "..":
		e.gap = true
		return e, nil
	case "<end>":
		e.end = true
		return e, nil
	}
	field, e.optional = strings.CutPrefix(field, "?")
	if field == ".." || field == "" {
		return e, fmt.Errorf("%q: nothing to be optional", field)
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(field, "("), ")")
	if strings.ContainsAny(inner, "()?") || strings.HasPrefix(field, "(") != strings.HasSuffix(field, ")") {
		return e, fmt.Errorf("%q: parentheses enclose a whole element, and ? begins one", field)
	}
	alternatives := []string{field}
	if strings.HasPrefix(field, "(") {
		alternatives = strings.Split(strings.Trim(field, "()"), "|")
	}
	for _, alternative := range alternatives {
		if err := p.addAlternative(&e, alternative); err != nil {
			return e, err
		}
	}
	return e, nil
}

// addAlternative adds words to an element. The name of a set adds all its
// words.
func (p phraseParser) addAlternative(e *element, words string) error {
	if name, ok := strings.CutPrefix(words, "$"); ok {
		set, ok := p.sets[name]
		if !ok {
			return fmt.Errorf("set $%s is not defined", name)
		}
		for _, member := range set {
			if strings.HasPrefix(member, "$") {
				return fmt.Errorf("set $%s: a set holds words, not the set %s", name, member)
			}
			if err := p.addAlternative(e, member); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := p.sequence(words)
	switch {
	case err != nil:
		return err
	case len(s) == 1:
		e.words.add(s[0])
	case len(s) > 1:
		e.longer = append(e.longer, s)
	}
	return nil
}

// sequence returns the atoms of words. The sets are named in many phrases, so
// that most words come again.
func (p phraseParser) sequence(words string) (sequence, error) {
	if s, ok := p.vocabulary.sequences[words]; ok {
		return s, nil
	}
	var s sequence
	fields := strings.Fields(words)
	for i := 0; i < len(fields); i++ {
		field := fields[i]
		stem, isPrefix := strings.CutSuffix(field, "*")
		switch {
		case thingNames[field] != noThing:
			s = append(s, p.vocabulary.atomFor(pattern{kind: anyThing, thing: thingNames[field]}))
		case strings.HasPrefix(field, "~"):
			s = append(s, p.vocabulary.atomFor(pattern{kind: within, text: field[1:]}))
		case isPrefix && len(fold(stem)) < minPrefix:
			return nil, fmt.Errorf("%q: a prefix needs %d letters", field, minPrefix)
		case isPrefix:
			s = append(s, p.vocabulary.atomFor(pattern{kind: prefix, text: fold(stem)}))
		default:
			for i+1 < len(fields) && isPlainField(fields[i+1]) {
				i++
				field += " " + fields[i]
			}
			// They go the way that the words of a reply go.
			for _, w := range splitWords(strings.ToLower(field), "", "", nil) {
				s = append(s, p.vocabulary.atomFor(pattern{kind: exact, text: w.text, thing: w.thing}))
			}
		}
	}
	p.vocabulary.sequences[words] = s
	return s, nil
}
