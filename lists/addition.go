package lists

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
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

// errTooLong is the error of a line that is not read.
var errTooLong = fmt.Errorf("the line is longer than %d octets", maxLine)

// read makes a set of the addition's entries.
func (a Addition) read() (set, error) {
	if !slices.Contains([]Kind{KindRole, KindFree, KindDisposable, KindSpamTrap, KindAllow}, a.Kind) {
		const text = "%s: there is no list %q, only role, free, disposable, spamtrap and allow"
		return set{}, fmt.Errorf(text, a.title(), a.Kind)
	}
	if a.From == nil && a.domains == nil {
		return set{}, fmt.Errorf("%s: From is nil", a.title())
	}
	c := collector{listing: bundle.Listing{List: string(a.Kind), Source: a.Name}}
	if a.Kind == KindSpamTrap {
		c.listing.Confidence = string(ConfidenceStrong)
	}
	number := 0
	for text, err := range a.lines() {
		number++
		if err == nil {
			err = c.addLine(a.Kind, entryText(text, number), a.domains != nil)
		} else if !errors.Is(err, errTooLong) {
			return set{}, a.failed(number, err)
		}
		if err == nil {
			continue
		}
		if a.Skip == nil {
			return set{}, a.failed(number, err)
		}
		a.Skip(a.failed(number, err))
	}
	return c.set(a.Kind, a.Name)
}

// title names the addition in errors.
func (a Addition) title() string {
	if a.Name == "" {
		return fmt.Sprintf("an addition to the list %q", a.Kind)
	}
	return a.Name
}

func (a Addition) failed(line int, err error) error {
	if a.Name == "" {
		return fmt.Errorf("%s, line %d: %w", a.title(), line, err)
	}
	return fmt.Errorf("%s:%d: %w", a.Name, line, err)
}

// lines yields the lines of the addition, or the error of one. After one that
// is too long, the next follows.
func (a Addition) lines() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, domain := range a.domains {
			if !yield(domain, nil) {
				return
			}
		}
		if a.domains != nil {
			return
		}
		from := bufio.NewReaderSize(a.From, maxLine)
		for {
			text, err := readLine(from)
			if err == io.EOF || !yield(text, err) || err != nil && !errors.Is(err, errTooLong) {
				return
			}
		}
	}
}

// readLine returns the next line, or an error. It reads a line that is too long
// to its end.
func readLine(from *bufio.Reader) (string, error) {
	line, more, err := from.ReadLine()
	if !more {
		return string(line), err
	}
	for more && err == nil {
		_, more, err = from.ReadLine()
	}
	if err != nil && err != io.EOF {
		return "", err
	}
	return "", errTooLong
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

// addLine adds the entry of a line, if there is one. A line of domains is a
// domain and nothing else.
func (c *collector) addLine(kind Kind, text string, isDomain bool) error {
	switch {
	case text == "":
		return nil
	case isDomain:
		domain := strings.TrimPrefix(text, "@")
		if strings.Contains(domain, "@") {
			return fmt.Errorf("%q is not a domain name", text)
		}
		return c.add(kind, "@"+domain)
	}
	return c.add(kind, text)
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
