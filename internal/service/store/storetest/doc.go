// Package storetest starts a PostgreSQL of its own for tests that want one: a
// throw-away cluster in a temporary folder, reached through a Unix socket,
// without durability. It skips the test, aloud, where PostgreSQL's programs are
// not found.
package storetest
