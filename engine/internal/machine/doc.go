// Package machine tells what package engine must know about the machine that it
// runs on: its own addresses, and how many files may be open.
package machine
