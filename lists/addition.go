package lists

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
	"github.com/rcpt/rcpt/internal/listdata/table"
)

// maxLine bounds a line of a user's list in octets. The longest entry is an
// address, 254 octets (RFC 5321 §4.5.3.1.3); the rest is room for U-labels and
// a comment.
const maxLine = 4096

// byteOrderMark is what some editors put in front of a text in UTF-8.
const byteOrderMark = "\ufeff"

// read makes a set of the addition's entries.
func (a Addition) read() (set, error) {
	if !slices.Contains([]Kind{KindRole, KindFree, KindDisposable, KindSpamTrap, KindAllow}, a.Kind) {
		const text = "%s: there is no list %q, only role, free, disposable, spamtrap and allow"
		return set{}, fmt.Errorf(text, a.Name, a.Kind)
	}
	c := collector{listing: bundle.Listing{List: string(a.Kind), Source: a.Name}}
	if a.Kind == KindSpamTrap {
		c.listing.Confidence = string(ConfidenceStrong)
	}
	number := 0
	scanner := bufio.NewScanner(a.From)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		number++
		text := entryText(scanner.Text(), number)
		if text == "" {
			continue
		}
		if err := c.add(a.Kind, text); err != nil {
			return set{}, fmt.Errorf("%s:%d: %w", a.Name, number, err)
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return set{}, fmt.Errorf("%s:%d: the line is longer than %d octets", a.Name, number+1, maxLine)
	case err != nil:
		return set{}, fmt.Errorf("%s:%d: %w", a.Name, number+1, err)
	}
	return c.set(a.Kind, a.Name)
}

// entryText removes comment and space from a line. A "#" inside an entry does
// not begin a comment, because a local-part may contain one.
func entryText(line string, number int) string {
	if number == 1 {
		line = strings.TrimPrefix(line, byteOrderMark)
	}
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
			break
		}
	}
	return strings.TrimSpace(line)
}

// collector gathers entries by what they name.
type collector struct {
	listing                          bundle.Listing
	words, domains, addresses, hosts []bundle.Entry
	digests                          digests
	count                            int
}

func (c *collector) add(kind Kind, text string) error {
	e, err := parseEntry(kind, text)
	if err != nil {
		return err
	}
	c.count++
	switch {
	case e.digest.any():
		c.digests.sha1 = c.digests.sha1 || e.digest.sha1
		c.digests.sha256 = c.digests.sha256 || e.digest.sha256
		c.addresses = append(c.addresses, bundle.Entry{Name: e.local, Listing: c.listing})
	case e.host:
		c.hosts = append(c.hosts, bundle.Entry{Name: e.domain, Listing: c.listing})
	case e.domain == "":
		c.words = append(c.words, bundle.Entry{Name: e.local, Listing: c.listing})
	case e.local == "":
		c.domains = append(c.domains, bundle.Entry{Name: e.domain, Listing: c.listing})
	default:
		c.domains = append(c.domains, bundle.Entry{Name: e.domain, Listing: bundle.Listing{List: listAddresses}})
		c.addresses = append(c.addresses, bundle.Entry{Name: e.local + "@" + e.domain, Listing: c.listing})
	}
	return nil
}

// set makes the tables.
func (c *collector) set(kind Kind, name string) (set, error) {
	s := set{users: true, name: name, kind: kind, digests: c.digests, count: c.count}
	var n bundle.Numbering
	for _, t := range []struct {
		into    *table.Table
		entries []bundle.Entry
	}{{&s.domains, c.domains}, {&s.words, c.words}, {&s.addresses, c.addresses}, {&s.hosts, c.hosts}} {
		data, err := n.Table(bundle.Unique(t.entries))
		if err != nil {
			return set{}, err
		}
		if *t.into, err = table.Open(data); err != nil {
			return set{}, err
		}
	}
	s.listings = n.Listings()
	return s, nil
}
