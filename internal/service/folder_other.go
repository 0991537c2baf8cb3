//go:build !linux

package service

// volumeOf returns the kind of disk of a folder, where it can be told.
func volumeOf(string) volume { return volume{} }
