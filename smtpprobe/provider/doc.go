// Package provider tells who runs a mail host, from the host's name, and what an
// accepted recipient is worth there.
//
// The data is providers.yaml, whose head describes its fields. A new provider is
// a line in that file.
package provider
