package tty

import "testing"

// TestPrintableRows: control characters of a list do not reach the terminal.
func TestPrintableRows(t *testing.T) {
	for rows, want := range map[string]string{
		"id\temail\r\n1\ta@b.example\n": "id\temail\r\n1\ta@b.example\n",
		"\x1b]0;x\x07,ü,\u202e,\x9b\n":  "\ufffd]0;x\ufffd,ü,\ufffd,\ufffd\n",
		"a\rb\n":                        "a\ufffdb\n",
		"\ufeffemail":                   "email",
		"":                              "",
	} {
		if got := PrintableRows(rows); got != want {
			t.Errorf("%q is shown as %q, want %q", rows, got, want)
		}
	}
}
