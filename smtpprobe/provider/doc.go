// Package provider tells which provider runs a mail host, by the host's name,
// and whether an accepted recipient proves anything there.
//
// The data is in providers.yaml, whose head describes the fields. A new
// provider is a line in that file.
//
// Experimental: this package may change in any minor version.
package provider
