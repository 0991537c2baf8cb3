package xlsx

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxFormats bounds the formats of a workbook; Excel allows 65,490.
const maxFormats = 1 << 16

// readStyles finds out which cell formats are those of dates.
func (b *Book) readStyles(main string) error {
	found, err := b.related(main, "/styles")
	for _, part := range found {
		own := make(map[string]bool) // formats of the workbook, by their numbers
		inCells := false             // and not among the named styles
		err = b.elements(part, func(e xml.StartElement) error {
			switch e.Name.Local {
			case "numFmt":
				own[attribute(e, "numFmtId")] = isDateFormat(attribute(e, "formatCode"))
			case "cellXfs", "cellStyleXfs", "cellStyles", "dxfs":
				inCells = e.Name.Local == "cellXfs"
			case "xf":
				if number := attribute(e, "numFmtId"); inCells {
					b.dates = append(b.dates, own[number] || isBuiltInDate(number))
				}
			}
			if len(own) > maxFormats || len(b.dates) > maxFormats {
				return fmt.Errorf("it has more than %d formats", maxFormats)
			}
			return nil
		})
	}
	return err
}

// isBuiltInDate knows the formats that have only a number (ECMA-376 part 1
// §18.8.30): dates, and those of East Asian languages. Times of the day are
// none.
func isBuiltInDate(number string) bool {
	n, err := strconv.Atoi(number)
	return err == nil && (n >= 14 && n <= 17 || n == 22 || n >= 27 && n <= 31 || n == 36 || n >= 50 && n <= 58)
}

// notShown are the parts of a format's code that stand for themselves.
var notShown = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.|\[[^\]]*\]`)

// isDateFormat reports whether a format shows years or days. One that shows
// only hours and minutes is a duration or a time of the day.
func isDateFormat(code string) bool {
	code, _, _ = strings.Cut(notShown.ReplaceAllString(strings.ToLower(code), ""), ";")
	return code != "general" && strings.ContainsAny(code, "yd")
}
