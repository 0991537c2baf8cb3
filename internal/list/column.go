package list

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rcpt/rcpt/engine/address"
)

// layout describes the columns of a CSV file.
type layout struct {
	header  bool  // the first row is a header
	width   int   // columns, those of the header if there is one
	read    []int // columns of the addresses, from 0
	others  []int // other columns with addresses, which are not read
	earlier []int // columns that an earlier run added
	names   []string
}

// addressNames are names of the address column in some languages, in the form
// of [plainName].
var addressNames = []string{
	"email", "emailaddress", "mail", "mailaddress", "emailaddresses", "emails", // English
	"emailadresse", "mailadresse", // German, Danish, Norwegian
	// French
	"courriel", "adressemail", "adresseemail", "adressecourriel", "adresseelectronique", "adresseélectronique", "mél",
	"correo", "correoelectronico", "correoelectrónico", "direcciondecorreo", // Spanish
	"correio", "correioeletronico", "correioeletrônico", "endereçodeemail", // Portuguese
	"posta", "postaelettronica", "indirizzoemail", "indirizzomail", // Italian
	"emailadres", "mailadres", // Dutch
	"epost", "epostadress", "mejl", "epostadresse", "sähköposti", // Swedish, Norwegian, Finnish
	"adresemail", "adresemailowy", "poczta", "emailcím", "eposta", // Polish, Hungarian, Turkish
	"почта", "электроннаяпочта", "емейл", "имейл", // Russian, Bulgarian
	"メール", "メールアドレス", "邮箱", "电子邮件", "电子邮箱", "電子郵件", "이메일", // Japanese, Chinese, Korean
}

// plainName returns the name of a column in lower case, without blanks and
// punctuation: "E-Mail" is "email".
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// layoutOf finds the layout from the first rows. The address columns may be
// given by name or number.
func layoutOf(rows [][]string, wanted []string) (layout, error) {
	if len(rows) == 0 {
		return layout{width: 1, read: []int{0}}, nil
	}
	l := layout{header: isHeader(rows, wanted)}
	for _, row := range rows {
		l.width = max(l.width, len(row))
	}
	if l.header {
		l.width, l.names, rows = len(rows[0]), rows[0], rows[1:]
		l.earlier = earlierColumns(l.names)
	}
	held := l.addressesHeld(rows)
	if err := l.choose(wanted, held, rows); err != nil {
		return l, err
	}
	if slices.ContainsFunc(l.read, func(i int) bool { return slices.Contains(l.earlier, i) }) {
		l.earlier = nil // they are to be read
	}
	l.others = l.columns(func(i int) bool { return held[i] > 0 && !slices.Contains(l.read, i) })
	return l, l.checkCells(rows)
}

// choose finds the columns to read: those that are given, or else the most
// likely one.
func (l *layout) choose(wanted []string, held []int, rows [][]string) error {
	if len(wanted) == 0 {
		column, err := l.guess(held, rows)
		l.read = []int{column}
		return err
	}
	for _, name := range wanted {
		column, err := l.wanted(name)
		if err != nil {
			return err
		}
		if slices.Contains(l.read, column) {
			return formatError("column %s is given twice", l.nameOf(column))
		}
		l.read = append(l.read, column)
	}
	return nil
}

// fewCells is how many cells without an "@" prove nothing about a column.
const fewCells = 2

// apart is the advice for other words beside an address.
const apart = "put the addresses into a column of their own, or into angle brackets"

// checkCells fails for a column in which no cell looks like an address,
// whatever its name, so that not every name or hash of a list becomes
// undeliverable. It also fails for a column with other words beside each
// address.
func (l layout) checkCells(rows [][]string) error {
	for _, i := range l.read {
		var cells []string
		for _, row := range rows {
			if i < len(row) {
				cells = append(cells, row[i])
			}
		}
		if shown := besideWords(cells); shown != "" {
			return formatError("column %s has other words beside the addresses: its first cells are %s: %s",
				l.nameOf(i), shown, apart)
		}
		if shown := notAddresses(cells); shown != "" {
			return formatError("column %s holds no addresses: its first cells are %s; %s", l.nameOf(i), shown, l.list())
		}
	}
	return nil
}

// notAddresses returns some of the cells if there are more than a few and none
// has an "@", or "" if there may be addresses.
func notAddresses(cells []string) string {
	var shown []string
	for _, cell := range cells {
		switch cleaned := address.Clean(cell); {
		case strings.ContainsAny(cell, "@\uFF20\uFE6B") || strings.Contains(cell, "%40"):
			return ""
		case cleaned.Several || cleaned.Address != "":
			shown = append(shown, shownCell(cell))
		}
	}
	if len(shown) <= fewCells {
		return ""
	}
	return strings.Join(shown[:fewCells+1], ", ")
}

// maxQuoted is how many characters of a cell an error quotes.
const maxQuoted = 40

func shownCell(cell string) string {
	if runes := []rune(cell); len(runes) > maxQuoted {
		cell = string(runes[:maxQuoted]) + "…"
	}
	return strconv.Quote(cell)
}

// isHeader reports whether the first row names the columns: it holds no address
// while others do, or it holds a known name.
func isHeader(rows [][]string, wanted []string) bool {
	first := rows[0]
	if slices.ContainsFunc(wanted, func(name string) bool { return slices.Contains(first, name) }) {
		return true
	}
	if slices.ContainsFunc(first, looksLikeAddress) {
		return false
	}
	return slices.ContainsFunc(first, isAddressName) ||
		slices.ContainsFunc(rows[1:], func(row []string) bool { return slices.ContainsFunc(row, looksLikeAddress) })
}

func isAddressName(name string) bool { return slices.Contains(addressNames, plainName(name)) }

// wanted finds a column by its exact name, its plain name or its number.
func (l layout) wanted(column string) (int, error) {
	for _, same := range []func(a, b string) bool{
		func(a, b string) bool { return a == b },
		func(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) },
	} {
		if found := l.columns(func(i int) bool { return same(l.name(i), column) }); len(found) == 1 {
			return found[0], nil
		} else if len(found) > 1 {
			return 0, formatError("more than one column is named %q: write --column NUMBER; %s", column, l.list())
		}
	}
	if number, err := strconv.Atoi(column); err == nil && number >= 1 && number <= l.width {
		return number - 1, nil
	}
	return 0, formatError("there is no column %q; %s", column, l.list())
}

// guess returns the column with a known name, or else the one with most
// addresses. It fails if several columns are as likely.
func (l layout) guess(held []int, rows [][]string) (int, error) {
	if l.width == 1 {
		return 0, nil
	}
	most := slices.Max(held)
	named := l.columns(func(i int) bool { return isAddressName(l.name(i)) })
	if len(named) > 1 {
		named = slices.DeleteFunc(named, func(i int) bool { return held[i] == 0 })
	}
	holding := l.columns(func(i int) bool { return held[i] > 0 && held[i] > most/2 })
	switch {
	case len(named) == 1 && (held[named[0]] > 0 || most == 0):
		return named[0], nil
	case len(named) == 0 && len(holding) == 1:
		return holding[0], nil
	case most == 0 && len(named) == 0:
		return 0, formatError("no column holds addresses in the first rows: write --column NAME or NUMBER; %s",
			l.listOr(rows))
	}
	return 0, formatError("more than one column may hold the addresses: write --column NAME or NUMBER; %s", l.list())
}

// addressesHeld counts per column the cells that look like addresses. Columns
// of an earlier run do not count.
func (l layout) addressesHeld(rows [][]string) []int {
	held := make([]int, l.width)
	for _, row := range rows {
		for i, cell := range row[:min(len(row), l.width)] {
			if looksLikeAddress(cell) {
				held[i]++
			}
		}
	}
	for _, i := range l.earlier {
		held[i] = 0
	}
	return held
}

func (l layout) columns(match func(int) bool) []int {
	var found []int
	for i := range l.width {
		if match(i) {
			found = append(found, i)
		}
	}
	return found
}

// name returns the name of a column, or "" without a header.
func (l layout) name(i int) string {
	if i < len(l.names) {
		return l.names[i]
	}
	return ""
}

// maxListed bounds how many columns an error lists.
const maxListed = 50

// list lists the columns for an error.
func (l layout) list() string {
	if !l.header {
		return fmt.Sprintf("the file has no header and %d columns", l.width)
	}
	return "the columns are " + listed(l.names)
}

// listOr lists the columns, or without a header the cells of the first row.
func (l layout) listOr(rows [][]string) string {
	if l.header {
		return l.list()
	}
	return "the first row is " + listed(rows[0])
}

func listed(cells []string) string {
	var shown []string
	for i, cell := range cells[:min(len(cells), maxListed)] {
		shown = append(shown, fmt.Sprintf("%d %s", i+1, shownCell(cell)))
	}
	return strings.Join(shown, ", ")
}

// nameOf returns the number of a column, and its name if it has one.
func (l layout) nameOf(i int) string {
	if name := l.name(i); name != "" {
		return fmt.Sprintf("%d %s", i+1, shownCell(name))
	}
	return strconv.Itoa(i + 1)
}

// readNames returns the names of the columns that are read, for the names of
// their results and for JSON.
func (l layout) readNames() []string {
	var names []string
	for _, i := range l.read {
		name := strings.TrimSpace(l.name(i))
		if name == "" {
			name = "column_" + strconv.Itoa(i+1)
		}
		names = append(names, name)
	}
	return names
}
