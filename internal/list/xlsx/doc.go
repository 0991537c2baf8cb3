// Package xlsx reads and writes the sheets of Office Open XML workbooks
// (ECMA-376), row by row. It knows values, not how they look: of formats it
// keeps only which numbers are dates, and of formulas their last result.
//
// Workbooks come from strangers. Memory is bounded by [MaxRow]: what is larger
// waits in temporary files. What a file may unpack to is bounded by its size.
package xlsx
