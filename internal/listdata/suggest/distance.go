package suggest

import (
	"strings"
	"sync"
)

// The costs of edits, from the typed text to the meant one. A digit that looks
// like the letter costs least; a letter that is not near on the keyboard costs
// most.
const (
	likeness = 1
	slip     = 2
	stray    = 3
	tooFar   = 1 << 10
)

// maxLength of what is compared is that of a label (RFC 1035, 2.3.4).
const maxLength = 63

// distance is the least cost of the edits from the typed text to the meant one:
// the optimal string alignment distance, in which two swapped letters are one
// edit and are not edited again.
func (k *keyboard) distance(typed, meant string) int {
	if len(typed) > maxLength || len(meant) > maxLength {
		return tooFar
	}
	var rows [3][maxLength + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2] // of i-2, i-1 and i letters typed
	for j := range len(meant) + 1 {
		row[j] = j * slip // missing letters
	}
	for i := 1; i <= len(typed); i++ {
		before, last, row = last, row, before
		extra := k.extraCost(typed, i-1)
		row[0] = last[0] + extra
		for j := 1; j <= len(meant); j++ {
			row[j] = min(last[j]+extra, row[j-1]+slip, last[j-1]+k.insteadCost(typed[i-1], meant[j-1]))
			if i > 1 && j > 1 && typed[i-1] == meant[j-2] && typed[i-2] == meant[j-1] {
				row[j] = min(row[j], before[j-2]+slip)
			}
		}
	}
	return row[len(meant)]
}

// insteadCost is that of typing one character instead of another.
func (k *keyboard) insteadCost(typed, meant byte) int {
	switch {
	case typed == meant:
		return 0
	case looksLike(typed, meant):
		return likeness
	case k.areNeighbours(typed, meant):
		return slip
	}
	return stray
}

// extraCost is the cost of an extra character. It is low for a repeated
// character, for one that is beside its neighbour on the keyboard, and for a
// digit or a mark.
func (k *keyboard) extraCost(typed string, i int) int {
	c := typed[i]
	if isDigit(c) || isMark(c) || i > 0 && k.touches(c, typed[i-1]) || i+1 < len(typed) && k.touches(c, typed[i+1]) {
		return slip
	}
	return stray
}

func (k *keyboard) touches(a, b byte) bool { return a == b || k.areNeighbours(a, b) }

// wordKeys are the keys at which the words of [Nearest] were typed.
var wordKeys = sync.OnceValue(newKeyboard)

// Nearest returns the known word that was probably meant by a mistyped one, or
// "" if none is similar. Case makes no difference.
func Nearest(word string, known []string) string {
	best, least := "", slip*max(2, len(word)/4)+1
	for _, candidate := range known {
		if d := wordKeys().distance(strings.ToLower(word), strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	return best
}
