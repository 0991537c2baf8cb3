// Package tabular reads lists of addresses and writes every row back with its
// result. The formats are CSV with any delimiter (RFC 4180 and its common
// deviations), one address per line, and JSON lines.
//
// A row keeps the octets that were read, so that a CSV file is written
// unchanged with columns added. A [Writer] needs only the row, so rows can be
// stored between a [Reader] and a Writer. Memory is bounded by [MaxRow].
//
// The package does not read spreadsheets (.xlsx), quotes escaped by
// backslashes, or comments in CSV.
package tabular
