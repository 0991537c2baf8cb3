package lists

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/lists/internal/listfile"
)

// maxLine bounds a line of a user's list in octets. The longest entry is an address, 254 octets (RFC 5321 §4.5.3.1.3); the rest is room for
// U-labels and a comment.
const maxLine = 4096

// byteOrderMark is what some editors put in front of a text in UTF-8.
const byteOrderMark = "\ufeff"

// read makes a set of the addition's entries.
func (a Addition) read() (set, error) {
	if !slices.Contains([]Kind{Role, Free, Disposable, SpamTrap, Allow}, a.Kind) {
		return set{}, fmt.Errorf("%s: there is no list %q, only role, free, disposable, spamtrap and allow", a.Name, a.Kind)
	}
	var c collector
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
	return c.set(a.Name), nil
}

// entryText takes comment and space off a line. A "#" inside an entry is not a comment: a local-part may have one.
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
	words, domains, hosts []listfile.Entry
	addresses             map[string][]listfile.Entry // by domain
}

func (c *collector) add(kind Kind, text string) error {
	e, err := parseEntry(kind, text)
	if err != nil {
		return err
	}
	switch {
	case e.host:
		c.hosts = append(c.hosts, listfile.Entry{Name: e.domain})
	case e.domain == "":
		c.words = append(c.words, listfile.Entry{Name: e.local})
	case e.local == "":
		c.domains = append(c.domains, listfile.Entry{Name: e.domain})
	default:
		if c.addresses == nil {
			c.addresses = make(map[string][]listfile.Entry)
		}
		c.addresses[e.domain] = append(c.addresses[e.domain], listfile.Entry{Name: e.local})
	}
	return nil
}

func (c *collector) set(source string) set {
	s := set{
		origin:    func(string) string { return source },
		words:     listfile.NewTable(c.words),
		domains:   listfile.NewTable(c.domains),
		hosts:     listfile.NewTable(c.hosts),
		addresses: make(map[string]listfile.Table, len(c.addresses)),
	}
	for domain, locals := range c.addresses {
		s.addresses[domain] = listfile.NewTable(locals)
	}
	return s
}
