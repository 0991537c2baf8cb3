// Package machine says how many files this process may have open, and how the
// engine divides them.
package machine
