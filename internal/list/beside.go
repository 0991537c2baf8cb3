package list

import (
	"slices"
	"strings"

	"github.com/rcpt/rcpt/engine/address"
)

// besideWords returns some of the cells if there are more than a few and each
// has other words beside an address: "Jane Doe jane@a.example". By the grammar
// such a text is not an address, so the whole list would be undeliverable, and
// to choose a word would be a guess. It returns "" if some cell has an address
// by itself.
func besideWords(cells []string) string {
	var shown []string
	for _, cell := range cells {
		cleaned := address.Clean(cell)
		switch {
		case cleaned.Several:
			return ""
		case cleaned.Address == "":
		case !isReadable(cleaned.Address) && slices.ContainsFunc(strings.Fields(cell), isAddress):
			shown = append(shown, shownCell(cell))
		default:
			return ""
		}
	}
	if len(shown) <= fewCells {
		return ""
	}
	return strings.Join(shown[:fewCells+1], ", ")
}

func isReadable(cell string) bool {
	_, err := address.Read(cell)
	return err == nil
}
