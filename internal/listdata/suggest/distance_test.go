package suggest

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	k := newKeyboard()
	for _, tt := range []struct {
		typed, meant string
		want         int
	}{
		{"gmail", "gmail", 0},
		{"", "gmail", 5 * slip},
		{"gmai1", "gmail", likeness},
		{"1cl0ud", "icloud", 2 * likeness},
		{"t3l3n3t", "telenet", 3 * likeness},
		{"4lic3", "alice", 2 * likeness},
		{"5eznam", "seznam", likeness},
		{"gm5il", "gmail", stray},
		{"gmial", "gmail", slip},
		{"gmal", "gmail", slip},
		{"gmaill", "gmail", slip},
		{"gmaol", "gmail", slip},
		{"gmaiol", "gmail", slip},
		{"gfmail", "gmail", slip},
		{"gmaipl", "gmail", slip},
		{"0gmail", "gmail", slip},
		{"9gmail", "gmail", slip},
		{"gma-il", "gmail", slip},
		{"email", "gmail", stray},
		{"gmails", "gmail", stray},
		{"mgial", "gmail", 2 * slip},
		{"ca", "abc", stray + 2*slip}, // aligned: the swapped letters are not edited again
		{strings.Repeat("a", maxLength+1), "a", tooFar},
		{"a", strings.Repeat("a", maxLength+1), tooFar},
	} {
		if got := k.distance(tt.typed, tt.meant); got != tt.want {
			t.Errorf("%s for %s costs %d, want %d", tt.typed, tt.meant, got, tt.want)
		}
	}
}

func TestNeighbours(t *testing.T) {
	k := newKeyboard()
	for key, want := range map[byte]string{
		'g': "bfhtvyz",
		'q': "12aswz",
		'm': "jklnp",
		'y': "67asghtux",
		'0': "-9op",
		'5': "46rt",
		'-': "0p",
	} {
		for i := range len(keyChars) {
			other := keyChars[i]
			if got := k.areNeighbours(key, other); got != strings.Contains(want, string(other)) || got != k.areNeighbours(other, key) {
				t.Errorf("%c beside %c: %t, and the other way %t", key, other, got, k.areNeighbours(other, key))
			}
		}
	}
	if k.areNeighbours('a', '.') || k.areNeighbours(0xff, 'a') {
		t.Error("a character without a key has a neighbour")
	}
}
