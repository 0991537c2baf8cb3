// Package promise has the list of what is promised, promised.txt, and tests
// that it is whole and that STABILITY.md says the same. .ci/apidiff reads it.
package promise
