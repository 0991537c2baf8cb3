package tabular

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Format is a form of a list.
type Format string

// The formats.
const (
	CSV       Format = "CSV"
	Lines     Format = "lines" // one address a line
	JSONLines Format = "JSON lines"
	JSON      Format = "JSON" // an array of objects or strings, or objects that go over several lines; it is read as JSON lines
)

// FormatOf tells a format from the extension of a file's name; "" if that says nothing.
func FormatOf(path string) Format {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".tsv":
		return CSV
	case ".jsonl", ".ndjson":
		return JSONLines
	case ".json":
		return JSON
	}
	return ""
}

// DelimiterOf tells the delimiter from the extension of a file's name; 0 if that says nothing.
func DelimiterOf(path string) byte {
	if strings.EqualFold(filepath.Ext(path), ".tsv") {
		return '\t'
	}
	return 0
}

// FormatError says why a list cannot be taken as it is, and what to do about it.
type FormatError struct{ text string }

func (e *FormatError) Error() string { return e.text }

func formatError(format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...)}
}
