package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/table"
)

// Bundle is an edition of the lists.
type Bundle struct {
	Head
	Listings Listings
	// The tables give each name its listings.
	Domains   table.Table // lower-case A-labels
	Words     table.Table // local-parts and parts of them, in lower case
	Addresses table.Table // local-part, "@" and domain, in lower case
	Hosts     table.Table // label suffixes of mail hosts
	// Targets are the domains worth suggesting: a line each with domain, weight
	// and the suffixes of its mail hosts, between tabs.
	Targets string
	SHA256  string // in hexadecimal

	text string
}

// Head says what an edition holds.
type Head struct {
	Date    string // of the sources, 2006-01-02
	Lists   []List
	Sources []Source
}

// List sums a list up.
type List struct {
	Name    string
	Count   int
	Curated int // of Count
	About   string
}

// Source is where entries of a list come from.
type Source struct {
	List    string
	Name    string // with its version
	License string
	Tier    string
	Count   int
}

const (
	firstLine  = "rcpt lists 2\n"
	headEnd    = "\n\n"
	checksumIs = "\nsha256: "
)

// Open reads the head of a bundle and finds its sections.
func Open(text string) (*Bundle, error) {
	if !strings.HasPrefix(text, firstLine) {
		return nil, errors.New("not a bundle of lists in a form that this version reads")
	}
	head, body, ok := strings.Cut(text[len(firstLine):], headEnd)
	if !ok {
		return nil, errors.New("bundle of lists is cut off")
	}
	b := &Bundle{text: text}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, ": ")
		fields := strings.Split(value, "\t")
		var err error
		if key == "section" {
			body, err = b.section(fields, body)
		} else {
			err = b.set(key, fields)
		}
		if err != nil {
			return nil, fmt.Errorf("bundle of lists: line %q: %w", line, err)
		}
	}
	if body != "" {
		return nil, errors.New("bundle of lists has bytes after its sections")
	}
	return b, nil
}

// set takes a line of the head. Lines of a later minor edition are passed over.
func (b *Bundle) set(key string, fields []string) (err error) {
	switch {
	case key == "date":
		b.Date = fields[0]
	case key == "sha256":
		b.SHA256 = fields[0]
	case key == "list" && len(fields) == 4:
		l := List{Name: fields[0], About: fields[3]}
		if l.Count, err = strconv.Atoi(fields[1]); err == nil {
			l.Curated, err = strconv.Atoi(fields[2])
		}
		b.Lists = append(b.Lists, l)
	case key == "source" && len(fields) == 5:
		s := Source{List: fields[0], Name: fields[1], License: fields[2], Tier: fields[3]}
		s.Count, err = strconv.Atoi(fields[4])
		b.Sources = append(b.Sources, s)
	case key == "list", key == "source":
		err = fmt.Errorf("%d fields", len(fields))
	}
	return err
}

// section takes the next section off the body.
func (b *Bundle) section(fields []string, body string) (rest string, err error) {
	if len(fields) != 2 {
		return "", fmt.Errorf("%d fields", len(fields))
	}
	size, err := strconv.Atoi(fields[1])
	if err != nil {
		return "", err
	}
	if size < 0 || size > len(body) {
		return "", fmt.Errorf("%d bytes are left", len(body))
	}
	data, rest := body[:size], body[size:]
	switch fields[0] {
	case "listings":
		b.Listings, err = openListings(data)
	case "domains":
		b.Domains, err = table.Open(data)
	case "words":
		b.Words, err = table.Open(data)
	case "addresses":
		b.Addresses, err = table.Open(data)
	case "hosts":
		b.Hosts, err = table.Open(data)
	case "targets":
		b.Targets = data
	}
	return rest, err
}

// Check reads the whole bundle and checks its checksum and its structure. It
// detects damage but not forgery, because a forger can compute a checksum, too.
func (b *Bundle) Check() error {
	before, rest, _ := strings.Cut(b.text, checksumIs)
	_, after, _ := strings.Cut(rest, "\n")
	if sum := checksum(before + "\n" + after); sum != b.SHA256 {
		return fmt.Errorf("bundle of lists is damaged: its SHA-256 is %s, and should be %s", sum, b.SHA256)
	}
	if err := b.Listings.check(); err != nil {
		return err
	}
	for _, t := range []table.Table{b.Domains, b.Words, b.Addresses, b.Hosts} {
		if err := t.Check(b.Listings.has); err != nil {
			return err
		}
	}
	return nil
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
