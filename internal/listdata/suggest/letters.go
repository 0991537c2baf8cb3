package suggest

// letters is a set of the letters a to z. Digits and marks are not in it: a
// digit typed for a letter costs less than two letters apart.
type letters uint32

func lettersOf(s string) letters {
	var set letters
	for i := range len(s) {
		if c := s[i] - 'a'; c < 26 {
			set |= 1 << c
		}
	}
	return set
}

func isMark(c byte) bool { return c == '.' || c == '-' }

// sameButMarks reports whether two domains differ in dots and hyphens only:
// gmailcom, gmail-com, gmai.lcom.
func sameButMarks(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && isMark(a[i]) {
			i++
		}
		for j < len(b) && isMark(b[j]) {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] != b[j] {
			return false
		}
		i, j = i+1, j+1
	}
}
