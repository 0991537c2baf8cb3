// Package listupdate brings the lists up to date: it reads an edition and the
// user's own files, sees when they change, and fetches, checks and installs a
// later edition. What the lists hold and how they match is in package lists.
package listupdate
