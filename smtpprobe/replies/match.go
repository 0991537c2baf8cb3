package replies

import (
	"encoding/binary"
	"math"
	"slices"
)

// phraseIndex finds which of many phrases a reply contains. At each word it
// tries only the phrases that can begin with it.
type phraseIndex struct {
	vocabulary *vocabulary
	phrases    []phrase
	needs      [][]atom // by phrase: atoms of which one must be in the reply; none: not known
	starts     [][]int  // by atom: the phrases that can begin with it
	memory     memory[phraseSet]
}

// phraseSet tells which phrases were found, by their numbers.
type phraseSet []uint64

func (s phraseSet) has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }
func (s phraseSet) add(n int)      { s[n/64] |= 1 << (n % 64) }

// add indexes a phrase and returns its number.
func (x *phraseIndex) add(p phrase) int {
	n := len(x.phrases)
	x.phrases = append(x.phrases, p)
	x.needs = append(x.needs, p.rarest())
	var first atomSet
	for a := range p[0].words.all {
		first.add(a)
	}
	for _, s := range p[0].longer {
		first.add(s[0])
	}
	for a := range first.all {
		for int(a) >= len(x.starts) {
			x.starts = append(x.starts, nil)
		}
		x.starts[a] = append(x.starts[a], n)
	}
	return n
}

// find returns the phrases that words contain.
func (x *phraseIndex) find(words []word) phraseSet {
	tokens := x.vocabulary.tokens(words, make([]token, 0, usualWords))
	key := appendTokens(make([]byte, 0, maxQuestion), tokens)
	if found, ok := x.memory.recall(key); ok {
		return found
	}
	found := x.search(tokens)
	x.memory.remember(key, found)
	return found
}

// search is find without the memory.
func (x *phraseIndex) search(tokens []token) phraseSet {
	found := make(phraseSet, len(x.phrases)/64+1)
	present := make(atomSet, len(x.vocabulary.atoms)/64+1)
	for i := range tokens {
		for _, a := range tokens[i].atoms[:tokens[i].n] {
			present.add(a)
		}
	}
	for i := range tokens {
		for _, a := range tokens[i].atoms[:tokens[i].n] {
			if int(a) < len(x.starts) {
				x.try(x.starts[a], tokens[i:], present, found)
			}
		}
	}
	return found
}

// appendTokens appends a key of the tokens: replies with the same key contain
// the same phrases, whatever mailboxes they name.
func appendTokens(key []byte, tokens []token) []byte {
	for i := range tokens {
		t := &tokens[i]
		kind := t.n << 2
		if t.thing {
			kind |= 1
		}
		if t.starts {
			kind |= 2
		}
		key = append(key, kind)
		for _, a := range t.atoms[:t.n] {
			key = binary.LittleEndian.AppendUint16(key, uint16(a))
		}
	}
	return key
}

// try adds the candidates that tokens begin with.
func (x *phraseIndex) try(candidates []int, tokens []token, present atomSet, found phraseSet) {
	for _, n := range candidates {
		if present.hasOneOf(x.needs[n]) && !found.has(n) && begins(tokens, x.phrases[n]) {
			found.add(n)
		}
	}
}

// rarest returns the words of the mandatory element that has the fewest: a
// reply without any of them cannot contain the phrase.
func (p phrase) rarest() []atom {
	var best element
	fewest := math.MaxInt
	for _, e := range p {
		n := e.words.len()
		if e.open() || e.end || len(e.longer) > 1 || len(e.longer) == 1 && n > 0 {
			continue
		}
		if n = max(n, 1); n < fewest {
			best, fewest = e, n
		}
	}
	if len(best.longer) == 1 {
		return best.longer[0][len(best.longer[0])-1:]
	}
	return slices.Collect(best.words.all)
}

// begins reports whether the tokens begin with the elements. All loops are
// bounded: a row of things by maxThings, a gap by maxGap.
func begins(tokens []token, elements []element) bool {
	if len(elements) == 0 {
		return true
	}
	first, rest := &elements[0], elements[1:]
	if first.end {
		return endsHere(tokens) && begins(tokens, rest)
	}
	if first.gap {
		for skip := 0; skip <= maxGap && skip < len(tokens); skip++ {
			if begins(tokens[skip:], rest) {
				return true
			}
		}
		return false
	}
	if first.optional && begins(tokens, rest) {
		return true
	}
	if next, ok := takeWord(tokens, func(t *token) bool { return t.isOneOf(first.words) }); ok && begins(next, rest) {
		return true
	}
	for _, s := range first.longer {
		if next, ok := s.take(tokens); ok && begins(next, rest) {
			return true
		}
	}
	return false
}

// endsHere reports whether a clause ends before the tokens, or before the next
// word among them.
func endsHere(tokens []token) bool {
	for i := range tokens {
		if tokens[i].starts {
			return true
		}
		if !tokens[i].thing || i == maxThings {
			return false
		}
	}
	return true
}

// takeWord skips things and then takes the word that fits. It returns the
// tokens that follow.
func takeWord(tokens []token, fits func(*token) bool) (next []token, ok bool) {
	for i := range tokens {
		if fits(&tokens[i]) {
			return tokens[i+1:], true
		}
		if !tokens[i].thing || i == maxThings {
			break
		}
	}
	return nil, false
}

// take takes all words of the sequence.
func (s sequence) take(tokens []token) (next []token, ok bool) {
	for _, a := range s {
		tokens, ok = takeWord(tokens, func(t *token) bool { return t.is(a) })
		if !ok {
			return nil, false
		}
	}
	return tokens, true
}
