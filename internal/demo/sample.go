package demo

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Names for the people of the sample.
var (
	firstNames = []string{"Ada", "Ben", "Chloe", "David", "Elena", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kim",
		"Lena", "Marco", "Nadia", "Omar"}
	lastNames = []string{"Adler", "Brandt", "Costa", "Dubois", "Evans", "Fischer", "Garcia", "Haddad", "Ivanov",
		"Jensen"}
	cities = []string{"Oslo", "Lyon", "Porto", "Graz", "Leeds, UK", "Köln", "Gdańsk"}
)

// leftEvery is how many people there are for each one without a mailbox.
const leftEvery = 6

// names returns the local-parts of all people.
func names() []string {
	var all []string
	for i := range len(firstNames) * len(lastNames) {
		all = append(all, localPart(i))
	}
	return all
}

func personOf(i int) (first, last string) {
	return firstNames[i%len(firstNames)], lastNames[i/len(firstNames)%len(lastNames)]
}

func localPart(i int) string {
	first, last := personOf(i)
	return strings.ToLower(first + "." + last)
}

// staff is the mail host of the present employees.
func staff() *smtptest.Host {
	host := &smtptest.Host{Name: "mx.orbit.example", STARTTLS: smtptest.TLSWorks}
	var there []string
	for i, name := range names() {
		if i%leftEvery != 0 {
			there = append(there, name)
		}
	}
	return person(host, there...)
}

// Sample returns a list to try with "rcpt bulk": a shop's customers in CSV,
// with cells as users write them.
func Sample() []byte {
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	_ = out.Write([]string{"Id", "Name", "E-Mail", "City"}) // to a bytes.Buffer, and so below
	id := 1000
	row := func(name, cell string) {
		_ = out.Write([]string{fmt.Sprint(id), name, cell, cities[id%len(cities)]})
		id++
	}
	for i := range names() {
		first, last := personOf(i)
		row(first+" "+last, cellOf(i, first+" "+last))
		if i%4 == 0 && i/4 < len(Cases()) {
			row("", Cases()[i/4].Address)
		}
		if i%10 == 9 && i/10 < len(oddCells) {
			row("", oddCells[i/10])
		}
	}
	out.Flush()
	return text.Bytes()
}

// cellOf is the address of a person as the person, or a program, wrote it.
func cellOf(i int, name string) string {
	domain := []string{"orbit.example", "orbit.example", "harbor.example", "anything.example", "patient.example"}[i%5]
	address := localPart(i) + "@" + domain
	switch i % 13 {
	case 3:
		return name + " <" + address + ">"
	case 5:
		return strings.ToUpper(address)
	case 7:
		return " " + address + " "
	case 9:
		return "mailto:" + address
	case 11:
		return address + ";"
	}
	return address
}

// oddCells hold no address, or more than one.
var oddCells = []string{
	"", "N/A", "-", "none", "ada.adler@orbit.example; ben.adler@orbit.example", "call +49 30 1234-56",
	"ben.adler(at)orbit.example",
	"ben.adler@orbit", "ben.adler@@orbit.example", "Ben Adler", "ben.adler@orbit.example, ben.adler@harbor.example",
	"ben.adler@orbit.example",
	"ben.adler@orbit.example", "@orbit.example", "ben adler@orbit.example",
}
