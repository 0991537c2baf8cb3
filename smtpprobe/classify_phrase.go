package smtpprobe

import (
	"fmt"
	"strings"
)

const (
	// maxGap is how many words ".." may stand for.
	maxGap = 5
	// maxThings is how many things in a row are passed over within a phrase.
	maxThings = 4
	// minPrefix is how many letters a "word*" must have, so that the index can find it.
	minPrefix = 3
)

// phrase is a sequence of elements that the words of a reply may contain. It is written as words with blanks between them:
//
//	word      this word             word*     a word that begins so
//	(a|b c)   one of these          $name     one of a named set
//	..        up to five words      ?word     this word or nothing; also ?(a|b) and ?$name
//	<addr>    an address; also <host>, <ip>, <url>, <#> (a number)
//	~spamhaus a host name, address or URL that contains this
//
// Things between two words of a phrase are passed over: "user <a@b.example> unknown" contains "user unknown".
type phrase struct {
	elements []element
}

type element struct {
	gap      bool
	optional bool
	alike    []sequence // one of these
}

// sequence is patterns for words that follow each other.
type sequence []pattern

// pattern matches one word.
type pattern struct {
	text     string
	prefix   bool
	contains bool
	thing    thing
}

var thingNames = map[string]thing{"<addr>": anAddress, "<host>": aHost, "<ip>": anIP, "<url>": aURL, "<#>": aNumber}

// parsePhrase reads the notation of phrase. sets are the named sets of words.
func parsePhrase(text string, sets map[string][]string) (phrase, error) {
	var p phrase
	for _, field := range phraseFields(text) {
		e, err := parseElement(field, sets)
		if err != nil {
			return phrase{}, fmt.Errorf("phrase %q: %w", text, err)
		}
		if e.gap || len(e.alike) > 0 { // fillers alone say nothing
			p.elements = append(p.elements, e)
		}
	}
	if len(p.elements) == 0 || p.elements[0].open() || p.elements[len(p.elements)-1].open() {
		return phrase{}, fmt.Errorf("phrase %q: must begin and end with a word", text)
	}
	return p, nil
}

// phraseFields splits at blanks outside parentheses.
func phraseFields(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return r == ' ' && depth == 0
	})
}

// open reports whether the element may stand for nothing.
func (e element) open() bool { return e.gap || e.optional }

func parseElement(field string, sets map[string][]string) (element, error) {
	switch {
	case field == "..":
		return element{gap: true}, nil
	case strings.HasPrefix(field, "?"):
		e, err := parseElement(field[1:], sets)
		e.optional = true
		return e, err
	case strings.HasPrefix(field, "("):
		return oneOf(strings.Split(strings.Trim(field, "()"), "|"), sets)
	}
	return oneOf([]string{field}, sets)
}

// oneOf reads alternatives, each of one or several words; a set's name stands for its words.
func oneOf(alternatives []string, sets map[string][]string) (element, error) {
	var e element
	for _, alternative := range alternatives {
		if name, ok := strings.CutPrefix(alternative, "$"); ok {
			set, err := oneOf(sets[name], nil)
			if err != nil || len(set.alike) == 0 {
				return e, fmt.Errorf("set $%s: undefined or bad (%w)", name, err)
			}
			e.alike = append(e.alike, set.alike...)
			continue
		}
		s, err := parseSequence(alternative)
		if err != nil {
			return e, err
		}
		if len(s) > 0 {
			e.alike = append(e.alike, s)
		}
	}
	return e, nil
}

func parseSequence(text string) (sequence, error) {
	var s sequence
	for _, field := range strings.Fields(text) {
		stem, isPrefix := strings.CutSuffix(field, "*")
		switch {
		case thingNames[field] != noThing:
			s = append(s, pattern{thing: thingNames[field]})
		case strings.HasPrefix(field, "~"):
			s = append(s, pattern{text: field[1:], contains: true})
		case isPrefix && len(fold(stem)) < minPrefix:
			return nil, fmt.Errorf("%q: a prefix needs %d letters", field, minPrefix)
		case isPrefix:
			s = append(s, pattern{text: fold(stem), prefix: true})
		default:
			for _, w := range splitWords(field, "") { // goes the way that the words of a reply go
				s = append(s, pattern{text: w.text, thing: w.thing})
			}
		}
	}
	return s, nil
}

func (p pattern) matches(w word) bool {
	switch {
	case p.contains:
		return w.thing != noThing && w.thing != aNumber && strings.Contains(w.text, p.text)
	case p.thing != noThing && p.text == "":
		return w.thing == p.thing
	case w.thing != p.thing:
		return false
	case p.prefix:
		return strings.HasPrefix(w.text, p.text)
	}
	return w.text == p.text
}

// begins reports whether words begin with the elements. All loops are bounded: things in a row by maxThings, a gap by maxGap.
func begins(words []word, elements []element) bool {
	if len(elements) == 0 {
		return true
	}
	first, rest := elements[0], elements[1:]
	if first.gap {
		for skip := 0; skip <= maxGap && skip < len(words); skip++ {
			if begins(words[skip:], rest) {
				return true
			}
		}
		return false
	}
	if first.optional && begins(words, rest) {
		return true
	}
	for _, s := range first.alike {
		if n, ok := s.begins(words); ok && begins(words[n:], rest) {
			return true
		}
	}
	return false
}

// begins reports whether words begin with the sequence, and how many of them it takes. Things are passed over.
func (s sequence) begins(words []word) (taken int, ok bool) {
	for _, p := range s {
		things := 0
		for taken < len(words) && !p.matches(words[taken]) {
			if words[taken].thing == noThing || things == maxThings {
				return 0, false
			}
			taken++
			things++
		}
		if taken == len(words) {
			return 0, false
		}
		taken++
	}
	return taken, true
}

// phraseIndex finds which of many phrases a reply contains, by looking only at those that can begin at each word.
type phraseIndex struct {
	phrases  []phrase
	byWord   map[string][]int // first word
	byPrefix map[string][]int // first letters of a first word with "*"
	byThing  []int            // begins with a thing
}

// phraseSet tells which phrases were found, by their numbers.
type phraseSet []uint64

func (s phraseSet) has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }
func (s phraseSet) add(n int)      { s[n/64] |= 1 << (n % 64) }

// add indexes a phrase and returns its number.
func (x *phraseIndex) add(p phrase) int {
	n := len(x.phrases)
	x.phrases = append(x.phrases, p)
	for _, s := range p.elements[0].alike {
		switch first := s[0]; {
		case first.contains || first.thing != noThing:
			x.byThing = append(x.byThing, n)
		case first.prefix:
			x.byPrefix[first.text[:minPrefix]] = append(x.byPrefix[first.text[:minPrefix]], n)
		default:
			x.byWord[first.text] = append(x.byWord[first.text], n)
		}
	}
	return n
}

// find returns the phrases that words contain.
func (x *phraseIndex) find(words []word) phraseSet {
	found := make(phraseSet, len(x.phrases)/64+1)
	for i, w := range words {
		if w.thing != noThing {
			x.try(x.byThing, words[i:], found)
			continue
		}
		x.try(x.byWord[w.text], words[i:], found)
		if len(w.text) >= minPrefix {
			x.try(x.byPrefix[w.text[:minPrefix]], words[i:], found)
		}
	}
	return found
}

func (x *phraseIndex) try(candidates []int, words []word, found phraseSet) {
	for _, n := range candidates {
		if !found.has(n) && begins(words, x.phrases[n].elements) {
			found.add(n)
		}
	}
}
