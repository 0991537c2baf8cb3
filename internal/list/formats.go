package list

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
)

// Format is the format of a list.
type Format string

// The formats.
const (
	CSV       Format = "CSV"
	Lines     Format = "lines" // one address per line
	JSONLines Format = "JSON lines"
	JSON      Format = "JSON" // an array of objects or strings, or objects of several lines; read as JSON lines
	XLSX      Format = "spreadsheet"
	HTML      Format = "HTML"  // pages, whose tables are read as spreadsheets are
	OldXML    Format = "XML"   // spreadsheets of Excel 2003
	VCard     Format = "vCard" // address books are read as a table of their addresses
	LDIF      Format = "LDIF"
	JSONRows  Format = "JSON arrays" // each is a row
)

// formats are the formats in the order in which a text is tried. All that is
// known of one of them is its row here and its file.
var formats = []*format{
	{Format: JSON, unit: "element", extensions: []string{".json"}, mediaTypes: []string{"application/json"},
		kind: arrayKind{}},
	{Format: JSONLines, unit: "line", extensions: []string{".jsonl", ".ndjson"},
		mediaTypes: []string{"application/x-ndjson", "application/jsonl"}, kind: jsonKind{}, output: jsonOutput{}},
	{Format: CSV, unit: "line", extensions: []string{".csv", ".tsv"}, mediaTypes: []string{"text/csv"},
		parameters: "; charset=utf-8", kind: csvKind{}, output: csvOutput{}},
	{Format: XLSX, unit: "row", extensions: []string{".xlsx"}, mediaTypes: []string{sheetType},
		kind: sheetKind{}, output: sheetOutput{}},
	{Format: HTML, unit: "row", extensions: []string{".html", ".htm", ".xls"}, mediaTypes: []string{"text/html"},
		kind: sheetKind{}, table: &htmlTables},
	{Format: OldXML, unit: "row", extensions: []string{".xml"}, kind: sheetKind{}, table: &oldWorkbooks},
	{Format: VCard, unit: "row", extensions: []string{".vcf"}, mediaTypes: []string{"text/vcard", "text/x-vcard"},
		kind: sheetKind{}, table: &vCards},
	{Format: LDIF, unit: "row", extensions: []string{".ldif", ".ldi"}, mediaTypes: []string{"text/x-ldif"},
		kind: sheetKind{}, table: &directories},
	{Format: JSONRows, unit: "row", extensions: []string{".json"}, kind: sheetKind{}, table: &jsonTables},
	{Format: Lines, unit: "line", extensions: []string{".txt"}, mediaTypes: []string{"text/plain"}, kind: lineKind{}},
}

// format is a row of formats.
type format struct {
	Format
	unit       string   // what a row is called
	extensions []string // of the names of files; the first is that of results
	mediaTypes []string // the first is that of results
	parameters string   // of the media type of results
	kind
	output output // nil: it is not written
	table  *table // nil: it has no table of its own
}

// kind reads a format.
type kind interface {
	// recognise reports whether a text without a name is of this format.
	recognise(b *beginning) bool
	// describe finds the columns and chooses those that are read.
	describe(b *beginning, d *Description) error
	// shape returns what knows the rows.
	shape(d *Description) shape
}

// converter is a [kind] whose text is read as that of another.
type converter interface {
	convert(text *bufio.Reader, d *Description) io.Reader
}

// shape knows the rows of a list.
type shape interface {
	// addresses finds the addresses in a row.
	addresses(row string) ([]string, error)
	// cells returns the cells of a row, for people, in the order of names.
	cells(row string) []string
	// replaced returns a row with cells replaced.
	replaced(row string, by func(cell string) string) string
	// names returns the names of all columns, for people.
	names() []string
	// earlierResults returns the results of an earlier run for a row, or nil.
	earlierResults(row string) []*rcpt.Result
	// csvHead returns the beginning of a CSV output with added columns.
	csvHead(columns []string, o Output) []byte
	// appendCSV writes a row with cells added.
	appendCSV(out []byte, row string, added []string, o Output) []byte
	// appendJSON writes a row as a JSON object with a verification record
	// added.
	appendJSON(out []byte, row string, record []byte) []byte
	// taken returns the names of the list's own columns or fields.
	taken() []string
}

// output writes a format.
type output interface {
	// head returns the text before the first row.
	head(w *Writer) []byte
	// append appends a row with its results.
	append(out []byte, w *Writer, raw string, results []rcpt.Result) []byte
	// pack begins a file with the head.
	pack(to io.Writer, head []byte, packing Packing) (Packer, error)
}

// of returns the row of a format.
func of(f Format) *format {
	return formats[slices.IndexFunc(formats, func(row *format) bool { return row.Format == f })]
}

// FormatOf returns the format for the extension of a file's name, before that
// of its packing, or "" if it is not known.
func FormatOf(path string) Format {
	_, path = PackingOf(path)
	extension := strings.ToLower(filepath.Ext(path))
	for _, f := range formats {
		if slices.Contains(f.extensions, extension) {
			return f.hint()
		}
	}
	return ""
}

// hint is what a name or a media type says of the format. One of text says
// nothing: text may be anything.
func (f *format) hint() Format {
	if f.Format == Lines {
		return ""
	}
	return f.Format
}

// Extensions returns the extensions of all files that can be read.
func Extensions() []string {
	var all []string
	for _, f := range formats {
		for _, extension := range f.extensions {
			if !slices.Contains(all, extension) {
				all = append(all, extension)
			}
		}
	}
	for _, p := range packings {
		all = append(all, p.extension)
	}
	return append(all, ".zip")
}

// DelimiterOf returns the delimiter for the extension of a file's name, or 0 if
// it is not known.
func DelimiterOf(path string) byte {
	_, path = PackingOf(path)
	if strings.EqualFold(filepath.Ext(path), ".tsv") {
		return '\t'
	}
	return 0
}

// FormatOfMediaType returns the format of a list that is sent with a media
// type; "" is guessed.
func FormatOfMediaType(mediaType string) (f Format, known bool) {
	for _, f := range formats {
		if slices.Contains(f.mediaTypes, mediaType) {
			return f.hint(), true
		}
	}
	return "", mediaType == "application/octet-stream" || mediaType == "application/zip" ||
		slices.ContainsFunc(packings, func(p packingRow) bool { return p.mediaType == mediaType })
}

// Result is a format in which results are written.
type Result struct {
	Format    Format
	Name      string // and, after a dot, the extension of its files
	MediaType string
}

// MediaTypeIn returns the media type of results whose text has an encoding.
func (r Result) MediaTypeIn(e Encoding) string {
	return strings.Replace(r.MediaType, "charset=utf-8", "charset="+strings.ToLower(string(e)), 1)
}

// Results returns the formats of results.
func Results() []Result {
	var all []Result
	for _, name := range []Format{CSV, JSONLines, XLSX} {
		f := of(name)
		all = append(all, Result{name, strings.TrimPrefix(f.extensions[0], "."), f.mediaTypes[0] + f.parameters})
	}
	return all
}

// ResultNamed returns the format of results with a name.
func ResultNamed(name string) (r Result, known bool) {
	all := Results()
	at := slices.IndexFunc(all, func(r Result) bool { return r.Name == name })
	if at < 0 {
		return r, false
	}
	return all[at], true
}

// Name is what the format is called in the extension of a file's name.
func (f Format) Name() string { return strings.TrimPrefix(of(f).extensions[0], ".") }

// FormatError says why a list cannot be read, and what to do about it.
type FormatError struct {
	text string
	// Choice is the flag of rcpt bulk whose value is none of this list, such
	// as "column" for a column that it lacks; empty: it is something else.
	Choice string
}

func (e *FormatError) Error() string { return e.text }

// WithoutFlags returns the error without its advice for the command line.
func (e *FormatError) WithoutFlags() string {
	text := e.text
	for _, advice := range []string{"; for another sheet write --", ": write --", "; write --", ": leave --"} {
		text, _, _ = strings.Cut(text, advice)
	}
	return text
}

func formatError(format string, args ...any) error {
	return &FormatError{text: fmt.Sprintf(format, args...)}
}

// The choices of a [FormatError].
const (
	columnChoice   = "column"
	sheetChoice    = "sheet"
	headerChoice   = "header-row"
	encodingChoice = "encoding"
)

// choiceError is a [FormatError] for a choice that does not fit.
func choiceError(choice, format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...), choice}
}
