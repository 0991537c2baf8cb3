package tabular

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// layout is how the columns of a CSV file are laid out.
type layout struct {
	header bool // the first row is one
	width  int  // columns, those of the header if there is one
	column int  // of the addresses, from 0
	names  []string
}

// addressNames are names of the column of addresses in some languages, as [plainName] writes them.
var addressNames = []string{
	"email", "emailaddress", "mail", "mailaddress", "emailaddresses", "emails", // English
	"emailadresse", "mailadresse", // German, Danish, Norwegian
	"courriel", "adressemail", "adresseemail", "adressecourriel", "adresseelectronique", "adresseélectronique", "mél", // French
	"correo", "correoelectronico", "correoelectrónico", "direcciondecorreo", // Spanish
	"correio", "correioeletronico", "correioeletrônico", "endereçodeemail", // Portuguese
	"posta", "postaelettronica", "indirizzoemail", "indirizzomail", // Italian
	"emailadres", "mailadres", // Dutch
	"epost", "epostadress", "mejl", "epostadresse", "sähköposti", // Swedish, Norwegian, Finnish
	"adresemail", "adresemailowy", "poczta", "emailcím", "eposta", // Polish, Hungarian, Turkish
	"почта", "электроннаяпочта", "емейл", "имейл", // Russian, Bulgarian
	"メール", "メールアドレス", "邮箱", "电子邮件", "电子邮箱", "電子郵件", "이메일", // Japanese, Chinese, Korean
}

// plainName writes the name of a column without case, blanks and punctuation: "E-Mail" is "email".
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// layoutOf finds out the layout from the first rows. The column of the addresses may be wanted by name or number.
func layoutOf(rows [][]string, wanted string) (layout, error) {
	if len(rows) == 0 {
		return layout{width: 1}, nil
	}
	l := layout{header: isHeader(rows, wanted)}
	for _, row := range rows {
		l.width = max(l.width, len(row))
	}
	if l.header {
		l.width, l.names, rows = len(rows[0]), rows[0], rows[1:]
	}
	var err error
	if wanted != "" {
		l.column, err = l.wanted(wanted)
	} else {
		l.column, err = l.guess(rows)
	}
	return l, err
}

// isHeader says whether the first row names the columns: it holds no address, and others do, or it holds a name that is known.
func isHeader(rows [][]string, wanted string) bool {
	first := rows[0]
	if wanted != "" && slices.Contains(first, wanted) {
		return true
	}
	if slices.ContainsFunc(first, looksLikeAddress) {
		return false
	}
	return slices.ContainsFunc(first, isAddressName) ||
		slices.ContainsFunc(rows[1:], func(row []string) bool { return slices.ContainsFunc(row, looksLikeAddress) })
}

func isAddressName(name string) bool { return slices.Contains(addressNames, plainName(name)) }

// wanted finds a column by its name, letter by letter first, or by its number.
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

// guess takes the column with a known name, or else the one that holds most addresses. A second one that could be meant is an error.
func (l layout) guess(rows [][]string) (int, error) {
	if l.width == 1 {
		return 0, nil
	}
	held := l.addressesHeld(rows)
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
		return 0, formatError("no column holds addresses in the first rows: write --column NAME or NUMBER; %s", l.list())
	}
	return 0, formatError("more than one column may hold the addresses: write --column NAME or NUMBER; %s", l.list())
}

// addressesHeld counts per column the cells that look like addresses.
func (l layout) addressesHeld(rows [][]string) []int {
	held := make([]int, l.width)
	for _, row := range rows {
		for i, cell := range row[:min(len(row), l.width)] {
			if looksLikeAddress(cell) {
				held[i]++
			}
		}
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

// name of a column; "" where there is no header.
func (l layout) name(i int) string {
	if i < len(l.names) {
		return l.names[i]
	}
	return ""
}

// maxListed bounds how many columns an error lists.
const maxListed = 50

// list shows the columns for an error.
func (l layout) list() string {
	if !l.header {
		return fmt.Sprintf("the file has no header and %d columns", l.width)
	}
	var shown []string
	for i := range min(l.width, maxListed) {
		shown = append(shown, fmt.Sprintf("%d %q", i+1, l.names[i]))
	}
	return "the columns are " + strings.Join(shown, ", ")
}
