package list

import (
	"fmt"
	"strings"

	"github.com/rcpt/rcpt/engine/address"
)

// flaw is why what is read cannot be a list of addresses. To verify it would
// tell of every row that it is no address.
type flaw struct {
	what   string // it has
	shown  string // the first cells
	advice string
}

// fewCells is how many cells prove nothing about a column.
const fewCells = 2

// flawOf judges the first cells. One address, or a cell with several, is enough
// to read them; nil: there is one, or too few cells say that there is none.
func flawOf(cells []string) *flaw {
	var shown []string
	var clear, unclear, bare int // cells with an "@": with and without an address among other words; without one
	for _, cell := range cells {
		kind, text := held(cell)
		_, err := address.Read(text)
		switch {
		case kind == Several, kind == Address && err == nil:
			return nil
		case kind == Empty:
			continue
		case kind == Unclear:
			clear++
		case mayHoldAddress(cell):
			unclear++
		default:
			bare++
		}
		if len(shown) <= fewCells {
			shown = append(shown, shownCell(cell))
		}
	}
	f := &flaw{shown: strings.Join(shown, ", ")}
	delimiter := delimiterIn(cells)
	switch {
	case delimiter != 0 && clear >= fewCells:
		f.what = fmt.Sprintf("has %q beside the addresses", delimiter)
		f.advice = fmt.Sprintf("if it parts columns, write sep=%c into a line above the others", delimiter)
		if delimiter < ' ' {
			f.advice = "if it parts columns, put tabs in its place"
		}
		if strings.IndexByte(delimiters, delimiter) >= 0 {
			f.advice = "if each is a row of several columns, take away the quotes around the whole, or part it there"
		}
	case clear+unclear+bare <= fewCells, bare > 0 && bare >= clear+unclear && clear+unclear > 0:
		return nil
	case clear+unclear == 0:
		f.what = "holds no addresses"
	case clear > unclear:
		f.what, f.advice = "has other words beside the addresses",
			"put the addresses into a column of their own, or into angle brackets"
	default:
		f.what, f.advice = "holds no valid address", "correct them first"
	}
	return f
}

// delimiterIn returns the character that parts each of some cells into as many
// parts, one of which is an address where the cell has an "@"; 0: none does.
func delimiterIn(cells []string) byte {
	for _, delimiter := range []byte("\t;,|~^:\x01\x1f\x1e!#/&*=") {
		if parts(cells, string(delimiter)) {
			return delimiter
		}
	}
	return 0
}

func parts(cells []string, delimiter string) bool {
	width := 0
	for _, cell := range cells {
		if kind, _ := held(cell); kind == Empty {
			continue
		}
		parts := strings.Split(cell, delimiter)
		if width == 0 {
			width = len(parts)
		}
		found := !mayHoldAddress(cell)
		for _, part := range parts {
			found = found || address.IsPlain(part) && isDotted(part)
		}
		if !found || len(parts) != width || width < 2 {
			return false
		}
	}
	return width > 1
}

// errorOf is the flaw of a column or the like, whose cells are called units.
// Others is which others there are.
func (f *flaw) errorOf(subject, units, others string) error {
	end := ": " + f.advice
	if f.advice == "" {
		end = "; " + others
	}
	return formatError("%s %s: its first %s are %s%s", subject, f.what, units, f.shown, strings.TrimSuffix(end, "; "))
}
