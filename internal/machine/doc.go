// Package machine tells the engine about the machine that it runs on: its own
// addresses, and how many files may be open and how they are divided.
package machine
