package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/list"
)

// readChoices reads how the list is to be read. Every error is a
// [exchange.Fault].
func (u *upload) readChoices(given url.Values) (err error) {
	if len(u.Format.Columns) > 0 { // an object with addresses
		for _, name := range []string{"sheet", "header_row", "encoding"} {
			if given.Get(name) != "" {
				return exchange.BadRequest(exchange.InvalidParameter,
					`"emails" is no file: leave the parameter %q out.`, name)
			}
		}
		return nil
	}
	isEmpty := func(name string) bool { return name == "" }
	u.Format.Columns = slices.DeleteFunc(given[columnField], isEmpty)
	u.Format.Sheet = given.Get("sheet")
	if u.Format.HeaderRow, err = headerRow(given.Get("header_row")); err != nil {
		return err
	}
	u.Format.Encoding, err = u.encoding(given.Get("encoding"))
	return err
}

// headerRow reads [list.Options].HeaderRow; 0 means that no row names the
// columns.
func headerRow(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	row, err := strconv.Atoi(text)
	switch {
	case err != nil || row < 0:
		return 0, exchange.BadRequest(exchange.InvalidParameter,
			`"header_row" must be the number of the row that names the columns, or 0 if none does.`)
	case row == 0:
		return list.NoHeader, nil
	}
	return row, nil
}

// encoding is the one that the parameter or the media type names. Many
// programs send "charset=utf-8" whatever the text is, or "us-ascii", which is
// the default of MIME (RFC 2046 §4.1.2). They say nothing: what is UTF-8 is
// found anyway.
func (u *upload) encoding(parameter string) (string, error) {
	var names []list.Encoding
	charset := u.Charset
	if strings.EqualFold(charset, "us-ascii") {
		charset = ""
	}
	for _, name := range []string{parameter, charset} {
		if name == "" {
			continue
		}
		known, err := list.CharsetNamed(name)
		if err != nil {
			return "", exchange.BadRequest(exchange.InvalidParameter, "%s", sentence(err))
		}
		names = append(names, known)
	}
	switch {
	case len(names) == 2 && names[0] != names[1]:
		return "", exchange.BadRequest(exchange.InvalidParameter,
			`The Content-Type says that the list is %s, and "encoding" that it is %s.`, names[1], names[0])
	case len(names) == 0, parameter == "" && names[0] == list.UTF8:
		return "", nil
	}
	return string(names[0]), nil
}
