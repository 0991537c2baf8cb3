// Package tabular reads lists of addresses in the forms people have them in, and writes every row back with what was found out about its
// address: CSV with any delimiter (RFC 4180 and what goes by that name), one address a line, and JSON lines.
//
// A row is kept as the octets it was read as, so that a CSV file comes out as it went in, with columns added. Rows stand for themselves:
// a [Writer] needs nothing but the row, so rows can wait anywhere between a [Reader] and it. Memory is bounded by [MaxRow].
//
// It does not read spreadsheets (.xlsx), nested quotes of other dialects (backslashes), or comments in CSV.
package tabular
