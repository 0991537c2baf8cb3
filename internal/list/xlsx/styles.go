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

// readStyles finds out which cell formats are those of dates and times.
func (b *Book) readStyles(main string) error {
	found, err := b.related(main, "/styles")
	for _, part := range found {
		own := make(map[string]Kind) // formats of the workbook, by their numbers
		inCells := false             // and not among the named styles
		err = b.elements(part, func(e xml.StartElement) error {
			switch e.Name.Local {
			case "numFmt":
				own[attribute(e, "numFmtId")] = kindOfFormat(attribute(e, "formatCode"))
			case "cellXfs", "cellStyleXfs", "cellStyles", "dxfs":
				inCells = e.Name.Local == "cellXfs"
			case "xf":
				if number := attribute(e, "numFmtId"); inCells {
					kind, is := own[number]
					if !is {
						kind = builtIn(number)
					}
					b.formats = append(b.formats, kind)
				}
			}
			if len(own) > maxFormats || len(b.formats) > maxFormats {
				return fmt.Errorf("it has more than %d formats", maxFormats)
			}
			return nil
		})
	}
	return err
}

// builtIn knows the formats that have only a number (ECMA-376 part 1 §18.8.30):
// dates and times, and those of East Asian languages.
func builtIn(number string) Kind {
	n, err := strconv.Atoi(number)
	switch {
	case err != nil:
		return Number
	case n >= 14 && n <= 17, n == 22, n >= 27 && n <= 31, n == 36, n >= 50 && n <= 58:
		return Date
	case n >= 18 && n <= 21, n >= 32 && n <= 35, n >= 45 && n <= 47:
		return Time
	}
	return Number
}

// notShown are the parts of a format's code that stand for themselves.
var notShown = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.|\[[^\]]*\]`)

// elapsed are hours, minutes or seconds of a duration.
var elapsed = regexp.MustCompile(`\[(h+|m+|s+)\]`)

// kindOfFormat returns Date for a format that shows years or days, Time for one
// that shows only hours, minutes or seconds, and else Number.
func kindOfFormat(code string) Kind {
	code, _, _ = strings.Cut(strings.ToLower(code), ";")
	shown := notShown.ReplaceAllString(code, "")
	switch {
	case shown == "general":
		return Number
	case strings.ContainsAny(shown, "yd"):
		return Date
	case strings.ContainsAny(shown, "hs"), elapsed.MatchString(code):
		return Time
	}
	return Number
}
