//go:build race

package main

// raced reports whether this test, which scripts run as the command, was built
// with the race detector.
const raced = true
