package list

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rcpt/rcpt/engine/address"
)

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

// chooseColumns finds the columns in the first rows and chooses those that are
// read: the wanted ones, or else the most likely one.
func (d *Description) chooseColumns(rows [][]string, wanted []string) error {
	if len(rows) == 0 {
		d.Columns, d.Read = make([]Column, 1), []Choice{{0, "column_1", Only}}
		return nil
	}
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	if d.Header != "" {
		width = len(rows[0])
	}
	d.Columns = make([]Column, width)
	if d.Header != "" {
		for i, name := range rows[0] {
			d.Columns[i].Name = name
		}
		for _, i := range earlierColumns(rows[0]) {
			d.Columns[i].Earlier = true
		}
		rows = rows[1:]
	} else {
		d.markByPosition(rows)
	}
	d.tally(rows)
	if len(wanted) == 0 {
		wanted = d.earlierRead()
	}
	if err := d.choose(wanted, rows); err != nil {
		return err
	}
	if len(d.earlier()) > 0 {
		d.Earlier = Ours
	}
	d.findForeign(rows)
	if slices.ContainsFunc(d.Read, func(c Choice) bool { return d.Columns[c.Column].Earlier }) {
		for i := range d.Columns { // they are to be read
			d.Columns[i].Earlier = false
		}
	}
	return d.checkCells(rows)
}

func (d *Description) choose(wanted []string, rows [][]string) error {
	if len(wanted) == 0 {
		column, why, err := d.guess(rows)
		d.read(column, why)
		return err
	}
	for _, name := range wanted {
		column, err := d.wanted(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(d.Read, func(c Choice) bool { return c.Column == column }) {
			return formatError("column %s is given twice", d.nameOf(column))
		}
		d.read(column, Given)
	}
	return nil
}

// read chooses a column. Its name is that of its results, and of its field in
// JSON.
func (d *Description) read(column int, why Why) {
	name := strings.TrimSpace(d.Columns[column].Name)
	if name == "" {
		name = "column_" + strconv.Itoa(column+1)
	}
	d.Read = append(d.Read, Choice{column, name, why})
}

// fewCells is how many cells without an "@" prove nothing about a column.
const fewCells = 2

// apart is the advice for other words beside an address.
const apart = "put the addresses into a column of their own, or into angle brackets"

// checkCells fails for a column in which no cell looks like an address,
// whatever its name, so that not every name or hash of a list becomes
// undeliverable. It also fails for a column with other words beside each
// address.
func (d *Description) checkCells(rows [][]string) error {
	for _, choice := range d.Read {
		i := choice.Column
		var cells []string
		for _, row := range rows {
			if i < len(row) {
				cells = append(cells, row[i])
			}
		}
		if shown := besideWords(cells); shown != "" {
			return formatError("column %s has other words beside the addresses: its first cells are %s: %s",
				d.nameOf(i), shown, apart)
		}
		if shown := notAddresses(cells); shown != "" {
			return formatError("column %s holds no addresses: its first cells are %s; %s", d.nameOf(i), shown, d.list())
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

func isAddressName(name string) bool { return slices.Contains(addressNames, plainName(name)) }

// wanted finds a column by its exact name, its plain name or its number.
func (d *Description) wanted(column string) (int, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, sameName} {
		if found := d.columns(func(i int) bool { return same(d.Columns[i].Name, column) }); len(found) == 1 {
			return found[0], nil
		} else if len(found) > 1 {
			return 0, formatError("more than one column is named %q: write --column NUMBER; %s", column, d.list())
		}
	}
	if number, err := strconv.Atoi(column); err == nil && number >= 1 && number <= len(d.Columns) {
		return number - 1, nil
	}
	return 0, formatError("there is no column %q; %s", column, d.list())
}

// sameName reports whether names differ only in case and blanks around them.
func sameName(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// guess returns the column with a known name, or else the one with most
// addresses. It fails if several columns are as likely.
func (d *Description) guess(rows [][]string) (column int, why Why, err error) {
	if len(d.Columns) == 1 {
		return 0, Only, nil
	}
	most := 0
	for _, column := range d.Columns {
		most = max(most, column.Held)
	}
	named := d.columns(func(i int) bool { return isAddressName(d.Columns[i].Name) })
	if len(named) > 1 {
		named = slices.DeleteFunc(named, func(i int) bool { return d.Columns[i].Held == 0 })
	}
	holding := d.columns(func(i int) bool { return d.Columns[i].Held > most/2 })
	switch {
	case len(named) == 1 && (d.Columns[named[0]].Held > 0 || most == 0):
		return named[0], Named, nil
	case len(named) == 0 && len(holding) == 1:
		return holding[0], Holding, nil
	case most == 0 && len(named) == 0:
		return 0, "", formatError("no column holds addresses in the first rows: write --column NAME or NUMBER; %s",
			d.listOr(rows))
	}
	return 0, "", formatError("more than one column may hold the addresses: write --column NAME or NUMBER; %s",
		d.list())
}

// maxListed bounds how many columns an error lists.
const maxListed = 50

// list lists the columns for an error.
func (d *Description) list() string {
	if d.Header == "" {
		return fmt.Sprintf("the file has no header and %d columns", len(d.Columns))
	}
	return "the columns are " + listed(d.columnNames())
}

// listOr lists the columns, or without a header the cells of the first row.
func (d *Description) listOr(rows [][]string) string {
	if d.Header != "" {
		return d.list()
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
func (d *Description) nameOf(i int) string {
	if name := d.Columns[i].Name; name != "" {
		return fmt.Sprintf("%d %s", i+1, shownCell(name))
	}
	return strconv.Itoa(i + 1)
}
