package xlsx

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of a sheet (ECMA-376 part 1 §18.3.1.73, and the specification of
// Excel).
const (
	MaxRows    = 1 << 20
	MaxColumns = 1 << 14
	maxText    = 32767 // UTF-16 code units in a cell
)

// MaxRow bounds the text of a row, and so of a cell.
const MaxRow = 1 << 20

// Kind is what a cell holds.
type Kind byte

// The kinds.
const (
	Text Kind = iota
	Number
	Date    // "2006-01-02", or "2006-01-02 15:04:05"
	Bool    // "TRUE" or "FALSE"
	Time    // "15:04:05", of the day or how long; the hours may be more than 24
	Formula // "=A1", whose result was never stored
)

// Cell is a cell of a sheet. The empty text is an empty cell.
type Cell struct {
	Kind Kind
	Text string
	Link string // where a text leads, if that is an address: "mailto:a@b.example"
}

// The forms of a [Date].
const (
	dateForm     = time.DateOnly
	dateTimeForm = time.DateTime
)

// KindOf returns what a text would be as a cell that is not a [Text], or Text.
func KindOf(text string) Kind {
	if text == "TRUE" || text == "FALSE" {
		return Bool
	}
	if _, err := dateOf(text); err == nil {
		return Date
	}
	if isNumber(text) {
		return Number
	}
	if _, is := secondsOf(text); is {
		return Time
	}
	return Text
}

var plainTime = regexp.MustCompile(`^([0-9]{2,8}):([0-5][0-9]):([0-5][0-9])$`)

// secondsOf is how many seconds a [Time] has; it undoes [timeCell].
func secondsOf(text string) (seconds int64, is bool) {
	parts := plainTime.FindStringSubmatch(text)
	for i := 1; i < len(parts); i++ {
		part, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			return 0, false
		}
		seconds = 60*seconds + part
	}
	return seconds, parts != nil
}

// timeCell returns the time for a number of days. A number out of range it
// returns as it is.
func timeCell(number string) Cell {
	days, err := strconv.ParseFloat(number, 64)
	if err != nil || !(days >= 0) || days > lastDay {
		return numberCell(number)
	}
	seconds := int64(math.Round(days * secondsOfDay))
	return Cell{Kind: Time, Text: fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)}
}

const secondsOfDay = 24 * 60 * 60

// isNumber reports whether a text is a number to XML Schema and JSON, and one
// that a double can hold.
func isNumber(text string) bool {
	if !plainNumber.MatchString(text) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$`)

func dateOf(text string) (time.Time, error) {
	if len(text) == len(dateForm) {
		return time.Parse(dateForm, text)
	}
	return time.Parse(dateTimeForm, text)
}

// Days are counted from one of two dates (ECMA-376 part 1 §18.17.4.1). The
// first counts a day too many before March 1900; such dates are off by a day.
var (
	epoch1900 = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	epoch1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)

// lastDay is 9999-12-31, the last date of a sheet.
const lastDay = 2958465

// dateCell returns the date for a number of days. A number that is a time of
// the day, or out of range, it returns as it is.
func dateCell(number string, epoch time.Time) Cell {
	days, err := strconv.ParseFloat(number, 64)
	if err != nil || !(days >= 1) || days > lastDay {
		return numberCell(number)
	}
	whole, part := math.Modf(days)
	date := epoch.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*secondsOfDay)) * time.Second)
	if part == 0 {
		return Cell{Kind: Date, Text: date.Format(dateForm)}
	}
	return Cell{Kind: Date, Text: date.Format(dateTimeForm)}
}

// isoCell returns the date for one in the form of ISO 8601, as in workbooks of
// the strict edition of the standard. A time of the day it returns as it is.
func isoCell(text string) Cell {
	for _, form := range []string{dateForm, "2006-01-02T15:04:05", time.RFC3339} {
		date, err := time.Parse(form, text)
		switch {
		case err != nil:
		case date.Hour() == 0 && date.Minute() == 0 && date.Second() == 0:
			return Cell{Kind: Date, Text: date.Format(dateForm)}
		default:
			return Cell{Kind: Date, Text: date.Format(dateTimeForm)}
		}
	}
	return Cell{Kind: Text, Text: text}
}

// CellOf returns the cell for a value of a spreadsheet of Excel 2003 in XML, by
// the name of its type. A time of the day is one on the first day of all.
func CellOf(kind, text string) Cell {
	value := strings.TrimSpace(text)
	switch clock, isClock := strings.CutPrefix(value, "1899-12-31T"); {
	case kind == "Number":
		return numberCell(value)
	case kind == "DateTime" && isClock && KindOf(clock[:min(len(clock), len(time.TimeOnly))]) == Time:
		return Cell{Kind: Time, Text: clock[:len(time.TimeOnly)]}
	case kind == "DateTime":
		return isoCell(value)
	case kind == "Boolean" && value == "1":
		return Cell{Kind: Bool, Text: "TRUE"}
	case kind == "Boolean":
		return Cell{Kind: Bool, Text: "FALSE"}
	}
	return Cell{Kind: Text, Text: text}
}

// daysOf is the number of days for a date; it undoes [dateCell].
func daysOf(date time.Time) string {
	return strconv.FormatFloat(date.Sub(epoch1900).Hours()/24, 'f', -1, 64)
}

// numberCell writes a number without exponent where it has at most 17 digits,
// as people know telephone numbers.
func numberCell(text string) Cell {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
		return Cell{Kind: Text, Text: text}
	}
	switch size := math.Abs(number); {
	case !isNumber(text), strings.ContainsAny(text, "eE") && (size >= 1e17 || size <= 1e-7):
		text = strconv.FormatFloat(number, 'G', -1, 64)
	case strings.ContainsAny(text, "eE"):
		text = strconv.FormatFloat(number, 'f', -1, 64)
	}
	return Cell{Kind: Number, Text: text}
}

// escaped finds characters that XML cannot hold, and texts that look like one
// (ECMA-376 part 1 §22.9.2.19).
var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// unescape replaces _x000D_ and the like by the characters they stand for.
func unescape(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	return escaped.ReplaceAllStringFunc(text, func(found string) string {
		code, err := strconv.ParseUint(found[2:6], 16, 16)
		if err != nil || code == 0 || utf16.IsSurrogate(rune(code)) {
			return found
		}
		return string(rune(code))
	})
}

// appendText appends a text as XML. What a cell cannot hold is cut off.
func appendText(out []byte, text string) []byte {
	units := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if units += max(1, utf16.RuneLen(r)); units > maxText {
			break
		}
		switch {
		case r == '_' && escaped.MatchString(text[i:min(len(text), i+7)]):
			out = append(out, "_x005F_"...)
		case r == '&':
			out = append(out, "&amp;"...)
		case r == '<':
			out = append(out, "&lt;"...)
		case r == '>':
			out = append(out, "&gt;"...)
		case r == '\r': // as itself it would become a line feed; few programs know _x000D_
			out = append(out, "&#13;"...)
		case r < ' ' && r != '\t' && r != '\n', r == 0xFFFE, r == 0xFFFF, r == utf8.RuneError:
			out = append(out, "\uFFFD"...)
		default:
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return out
}
