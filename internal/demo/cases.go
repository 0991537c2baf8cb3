package demo

import (
	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/world"
	"github.com/rcpt/rcpt/testdata"
)

// Case is an address to try and its expected result.
type Case struct {
	Address string
	Verdict rcpt.Verdict
	Reason  rcpt.Reason
	About   string
}

// Cases returns the addresses of the World, in the order in which they are
// shown.
func Cases() (cases []Case) {
	for _, q := range read().Asked {
		cases = append(cases, Case{q.Address, rcpt.Verdict(q.Allowed[0]), rcpt.Reason(q.Allowed[1]), q.About})
	}
	return cases
}

// read reads the world, in which the first of each pair of texts stands for the
// second.
func read(replacements ...string) *world.World {
	w, err := world.Open("demo", replacements...)
	if err != nil {
		panic("demo: " + err.Error())
	}
	return w
}

// Sample returns a list to try with "rcpt bulk": a shop's customers in CSV,
// with cells as users write them.
func Sample() []byte {
	text, err := testdata.Files.ReadFile("lists/customers.csv")
	if err != nil {
		panic("demo: " + err.Error())
	}
	return text
}
