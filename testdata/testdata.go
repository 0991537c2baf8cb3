// Package testdata has the worlds that tests of several packages, "rcpt demo"
// and the lab share; README.md describes them.
package testdata

import "embed"

// Files are worlds/*.txt and lists/*.
//
//go:embed worlds lists
var Files embed.FS
