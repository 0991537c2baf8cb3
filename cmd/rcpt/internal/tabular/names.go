package tabular

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// names are the keys of columns in a JSON object, each of which differs from the others.
type names []string

func newNames(header []string) names {
	var n names
	for _, name := range header {
		n = n.with(strings.TrimSpace(name))
	}
	return n
}

// with adds a column. One without a name is called by its number.
func (n names) with(name string) names {
	if name == "" {
		name = "column_" + strconv.Itoa(len(n)+1)
	}
	return append(n, free(name, n))
}

// of returns the key of a column, also of one that the header does not name.
func (n *names) of(i int) string {
	for len(*n) <= i {
		*n = n.with("")
	}
	return (*n)[i]
}

// free returns name, or if it is taken name with the first number behind it that is not.
func free(name string, taken []string) string {
	for number := 1; ; number++ {
		if candidate := numbered(name, number); !slices.Contains(taken, candidate) {
			return candidate
		}
	}
}

// freeNumber returns the first number with which no name is taken.
func freeNumber(wanted, taken []string) int {
	for number := 1; ; number++ {
		if !slices.ContainsFunc(wanted, func(name string) bool { return slices.Contains(taken, numbered(name, number)) }) {
			return number
		}
	}
}

func numbered(name string, number int) string {
	if number == 1 {
		return name
	}
	return fmt.Sprintf("%s_%d", name, number)
}
