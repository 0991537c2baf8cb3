//go:build race

package main

// The other scripts start some two hundred commands, one after the other, and
// would spend most of their time on the race detector.
func init() {
	scripts = []string{"bulk", "bulkhostile", "bulkusage", "bulkresume", "verify"}
}
