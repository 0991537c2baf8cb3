package list

import (
	"fmt"
	"path/filepath"
	"strings"
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
)

// FormatOf returns the format for the extension of a file's name, before that
// of its packing, or "" if it is not known.
func FormatOf(path string) Format {
	_, path = PackingOf(path)
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".tsv":
		return CSV
	case ".jsonl", ".ndjson":
		return JSONLines
	case ".json":
		return JSON
	case ".xlsx":
		return XLSX
	}
	return ""
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

// FormatError says why a list cannot be read, and what to do about it.
type FormatError struct{ text string }

func (e *FormatError) Error() string { return e.text }

func formatError(format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...)}
}
