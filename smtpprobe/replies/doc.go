// Package replies reads SMTP replies: a [Classifier] tells what a reply to one
// of our commands proves about the mailbox, the domain or the client.
//
// The rules are data: rules.yaml, whose head describes its fields. Programs may
// add rules that are tried first ([NewClassifier]). README.md in this folder
// explains the algorithm with a worked example.
//
// A classifier sees one reply. What several replies prove together, such as an
// accepted mailbox beside an accepted random one, is decided by package engine.
package replies
