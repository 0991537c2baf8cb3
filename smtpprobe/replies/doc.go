// Package replies reads SMTP replies: a [Classifier] tells what a reply to a
// command of ours proves about the mailbox, the domain or ourselves.
//
// The rules are data: rules.yaml, whose head describes its fields. Programs may
// put rules of their own before them ([NewClassifier]). README.md beside this
// file explains the algorithm with a worked example.
//
// A classifier sees one reply. What several replies prove together, such as an
// accepted mailbox beside an accepted random one, is decided by package engine.
package replies
