package suggest

import "strings"

// keyboard knows which keys lie side by side.
type keyboard struct {
	beside [keyCount]uint64 // of each of keyChars; bit n: the n-th is a neighbour
	keys   [256]int8        // the place of each octet in keyChars; -1: it is none of them
}

// layouts are the keyboards of most of the world, of German and of French, row
// by row. A key touches those on its left and right, and in the row below the
// one in its own place and the one before it.
var layouts = [...][4]string{
	{"1234567890-", "qwertyuiop", "asdfghjkl", "zxcvbnm"},
	{"1234567890", "qwertzuiop", "asdfghjkl", "yxcvbnm"},
	{"1234567890", "azertyuiop", "qsdfghjklm", "wxcvbn"},
}

const (
	keyChars = "abcdefghijklmnopqrstuvwxyz0123456789-"
	keyCount = len(keyChars)
)

func newKeyboard() *keyboard {
	k := new(keyboard)
	for c := range k.keys {
		k.keys[c] = int8(strings.IndexByte(keyChars, byte(c)))
	}
	for _, rows := range layouts {
		for r, row := range rows {
			for i := range len(row) {
				k.join(rows, r, i, r, i+1)
				k.join(rows, r, i, r+1, i)
				k.join(rows, r, i, r+1, i-1)
			}
		}
	}
	return k
}

// join makes two places neighbours if there is a key at the second.
func (k *keyboard) join(rows [4]string, r1, i1, r2, i2 int) {
	if r2 >= len(rows) || i2 < 0 || i2 >= len(rows[r2]) {
		return
	}
	a, b := k.keys[rows[r1][i1]], k.keys[rows[r2][i2]]
	k.beside[a] |= 1 << b
	k.beside[b] |= 1 << a
}

func (k *keyboard) areNeighbours(a, b byte) bool {
	i, j := k.keys[a], k.keys[b]
	return i >= 0 && j >= 0 && k.beside[i]>>j&1 == 1
}

// lookalikes are digits before the letter that they are written for.
const lookalikes = "0o 1l 1i 3e 4a 5s"

func looksLike(digit, letter byte) bool {
	if !isDigit(digit) {
		return false
	}
	for i := 0; i < len(lookalikes); i += len("0o ") {
		if lookalikes[i] == digit && lookalikes[i+1] == letter {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
