// Package licences has the licence texts of everything in the binary: of rcpt,
// of the modules that it is linked with, of Go and of the embedded lists. Most
// of them ask for their text to accompany every copy.
package licences

import _ "embed"

//go:generate sh -c "go run -C ../../../../lab ./licences >licences.txt.new && mv licences.txt.new licences.txt"

// Text is all of them, each under the names of what it is for.
//
//go:embed licences.txt
var Text string
