//go:build race

package main

// raced says that this test, and so the command that it is, was built with the race detector.
const raced = true
