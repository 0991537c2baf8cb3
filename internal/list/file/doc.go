// Package file reads the list of a bulk run from a file and writes it back
// with its results. [Input] is a [bulk.Source], [Output] a [bulk.Sink]; package
// list knows the formats.
//
// Not every row needs a verification: a row may be unreadable, its cell may
// hold no address or several, or an output of an earlier run has its result.
// Such rows pass through package bulk with the result that is known.
//
// The package writes each row whole, so that an output is usable at any moment,
// and locks it against other runs.
package file
