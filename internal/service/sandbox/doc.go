// Package sandbox answers the requests of test keys. It asks nobody: the
// local-part of an address says what the answer is, at any domain, by one table
// ([Rows]). Most answers are made as real ones are, from [engine.Evidence] by
// [engine.Decide], so that messages, details and flags are those of real
// answers.
//
// The name of a row stands before the "@", alone, or before or behind a "+", so
// that a test can have as many addresses as it wants:
// greylisted@a.example, greylisted+17@a.example and jane+greylisted@a.example.
// An address that names no row is deliverable. A text that cannot be put to a
// mail host gets its real answer.
//
// What an answer shows of a mail host is [MailHost], which does not exist (RFC
// 2606), so that nobody takes it for a real one.
package sandbox
