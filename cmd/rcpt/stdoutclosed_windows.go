package main

import "os"

// isClosed is false: there is no standard output that is closed.
func isClosed(*os.File) bool { return false }
