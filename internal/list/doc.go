// Package list reads lists of addresses and writes every row back with its
// result. The formats are CSV with any delimiter (RFC 4180 and its common
// deviations), one address per line, JSON, spreadsheets (.xlsx), the tables of
// HTML pages, and address books (vCard, LDIF). A list may be compressed with
// gzip or zstd, or be the one file of a ZIP archive.
//
// [Describe] judges the beginning of a list, and a [Reader] goes by what it
// says. A format is a row of the table in formats.go and a file of its own.
//
// A row keeps the octets that were read, so that a CSV file is written
// unchanged with columns added. A [Writer] needs only the row, so rows can be
// stored between a [Reader] and a Writer; one of a sheet is stored as CSV.
// Memory is bounded by [MaxRow], and what a list may unpack to by its size.
//
// The package does not read quotes escaped by backslashes, or comments in CSV.
package list
