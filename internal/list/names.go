package list

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// names are the distinct keys of columns in a JSON object. They are not safe
// for concurrent use.
type names struct {
	inOrder []string
	numbers map[string]int // for each name in use, the last number appended to it
}

func newNames(header []string) *names {
	n := &names{numbers: make(map[string]int)}
	for _, name := range header {
		n.add(strings.TrimSpace(name))
	}
	return n
}

// add adds a column. One without a name is called by its number.
func (n *names) add(name string) {
	if name == "" {
		name = "column_" + strconv.Itoa(len(n.inOrder)+1)
	}
	candidate := name
	for n.numbers[candidate] > 0 {
		n.numbers[name]++
		candidate = numbered(name, n.numbers[name])
	}
	n.numbers[candidate] = 1
	n.inOrder = append(n.inOrder, candidate)
}

// of returns the key of a column, even one that the header does not name.
func (n *names) of(i int) string {
	for len(n.inOrder) <= i {
		n.add("")
	}
	return n.inOrder[i]
}

// free returns name, or if it is taken, name with the first number that makes
// it free.
func free(name string, taken []string) string {
	if !slices.Contains(taken, name) {
		return name
	}
	isTaken := make(map[string]bool, len(taken))
	for _, other := range taken {
		isTaken[other] = true
	}
	for number := 2; ; number++ {
		if candidate := numbered(name, number); !isTaken[candidate] {
			return candidate
		}
	}
}

// freeNumber returns the first number with which all names are free.
func freeNumber(wanted, taken []string) int {
	for number := 1; ; number++ {
		if !slices.ContainsFunc(wanted,
			func(name string) bool { return slices.Contains(taken, numbered(name, number)) }) {
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
