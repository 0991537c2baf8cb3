// Package list reads lists of addresses and writes every row back with its
// result. The formats are CSV with any delimiter (RFC 4180 and its common
// deviations), one address per line, JSON, spreadsheets (.xlsx), the tables of
// HTML pages, and address books (vCard, LDIF). A list may be compressed with
// gzip or zstd, or be the one file of a ZIP archive.
//
// # From octets to rows
//
// [PlainText] unpacks a list, and makes CSV of what has a table: a sheet, a
// page, an address book. [Describe] judges the beginning of that text, in this
// order: its encoding (encoding.go, guess.go), its format (formats.go: each is
// a row there and a file of its own), the row that names the columns
// (header.go), the columns with addresses (column.go), and whether it is a list
// of addresses at all (flaw.go). The [Description] says what was found and why.
// A [Reader] goes by nothing else.
//
// A [Row] has a cell for each column that is read. [Row.Held] tells what that
// cell holds: an address, or a [Kind] that has an [rcpt.Result] of its own,
// since a cell that was not understood is never undeliverable. What
// looksLikeAddress says is for guesses only.
//
// # From results to rows
//
// A row keeps the octets that were read, so that a CSV file is written
// unchanged with columns added. A [Writer] needs only the row, so rows can be
// stored between a [Reader] and a Writer; one of a sheet is stored as CSV.
// Memory is bounded by [MaxRow], and what a list may unpack to by its size.
//
// A list may have results already, in columns that a Writer or another
// [Service] added: [Reader.EarlierResults] reads them.
//
// The package does not read comments in CSV.
package list
