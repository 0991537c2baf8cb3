// Package listupdate keeps the lists up to date: it reads an edition and the
// user's own files, watches them for changes, and downloads, checks and
// installs a later edition. Package lists knows their contents and how they
// match.
package listupdate
