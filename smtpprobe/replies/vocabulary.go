package replies

import (
	"math/bits"
	"strings"
)

// atom is the number of a pattern in the vocabulary. Phrases are compared by
// atoms, so that a set of fifty words costs no more than one word.
type atom uint16

// pattern matches one word.
type pattern struct {
	kind  patternKind
	text  string
	thing thing
}

type patternKind uint8

const (
	exact    patternKind = iota // this word
	prefix                      // a word that begins with text
	within                      // a thing that contains text
	anyThing                    // any thing of the kind
)

// atomSet is a set of atoms as bits.
type atomSet []uint64

func (s *atomSet) add(a atom) {
	if n := int(a/64) + 1; n > len(*s) {
		*s = append(*s, make(atomSet, n-len(*s))...)
	}
	(*s)[a/64] |= 1 << (a % 64)
}

func (s atomSet) has(a atom) bool { return int(a/64) < len(s) && s[a/64]&(1<<(a%64)) != 0 }

// hasOneOf reports whether one of the atoms is in the set, or atoms is empty.
func (s atomSet) hasOneOf(atoms []atom) bool {
	for _, a := range atoms {
		if s.has(a) {
			return true
		}
	}
	return len(atoms) == 0
}

func (s atomSet) len() (n int) {
	for _, part := range s {
		n += bits.OnesCount64(part)
	}
	return n
}

// all yields the members.
func (s atomSet) all(yield func(atom) bool) {
	for i, left := range s {
		for ; left != 0; left &= left - 1 {
			if !yield(atom(i*64 + bits.TrailingZeros64(left))) {
				return
			}
		}
	}
}

// token is a word of a reply as the vocabulary knows it.
type token struct {
	atoms  [maxAtoms]atom // the patterns that it matches
	n      uint8
	thing  bool
	starts bool // a clause
}

// maxAtoms is the number of patterns that a word may match: itself and a few
// prefixes or, for a thing, its kind and what it contains.
const maxAtoms = 6

func (t *token) add(a atom) {
	if int(t.n) < len(t.atoms) {
		t.atoms[t.n] = a
		t.n++
	}
}

func (t *token) is(a atom) bool {
	for _, has := range t.atoms[:t.n] {
		if has == a {
			return true
		}
	}
	return false
}

func (t *token) isOneOf(s atomSet) bool {
	for _, has := range t.atoms[:t.n] {
		if s.has(has) {
			return true
		}
	}
	return false
}

// vocabulary is every pattern that the phrases are made of.
type vocabulary struct {
	atoms    map[pattern]atom
	words    map[string]atom      // exact patterns of words
	prefixes map[string][]pattern // by their first minPrefix bytes
	within   []pattern

	sequences map[string]sequence // of the notations that were parsed
}

func newVocabulary() *vocabulary {
	return &vocabulary{
		atoms: map[pattern]atom{}, words: map[string]atom{}, prefixes: map[string][]pattern{},
		sequences: map[string]sequence{},
	}
}

// atomFor returns the atom of a pattern, a new one for a new pattern.
func (v *vocabulary) atomFor(p pattern) atom {
	if a, ok := v.atoms[p]; ok {
		return a
	}
	a := atom(len(v.atoms))
	v.atoms[p] = a
	switch {
	case p.kind == exact && p.thing == noThing:
		v.words[p.text] = a
	case p.kind == prefix:
		v.prefixes[p.text[:minPrefix]] = append(v.prefixes[p.text[:minPrefix]], p)
	case p.kind == within:
		v.within = append(v.within, p)
	}
	return a
}

// tokens looks words up, and puts them into room as far as it is large enough.
func (v *vocabulary) tokens(words []word, room []token) []token {
	for i := range words {
		t := token{thing: words[i].thing != noThing, starts: words[i].starts}
		if t.thing {
			v.lookUpThing(&t, words[i])
		} else {
			v.lookUp(&t, words[i].text)
		}
		room = append(room, t)
	}
	return room
}

func (v *vocabulary) lookUp(t *token, text string) {
	if a, ok := v.words[text]; ok {
		t.add(a)
	}
	if len(text) < minPrefix {
		return
	}
	for _, p := range v.prefixes[text[:minPrefix]] {
		if strings.HasPrefix(text, p.text) {
			t.add(v.atoms[p])
		}
	}
}

func (v *vocabulary) lookUpThing(t *token, w word) {
	if a, ok := v.atoms[pattern{kind: anyThing, thing: w.thing}]; ok {
		t.add(a)
	}
	if a, ok := v.atoms[pattern{kind: exact, text: w.text, thing: w.thing}]; ok {
		t.add(a)
	}
	if w.thing == aNumber || w.thing == anAddress || w.thing == theSender {
		return // an address is more often the recipient's than a list's
	}
	for _, p := range v.within {
		if strings.Contains(w.text, p.text) {
			t.add(v.atoms[p])
		}
	}
}
