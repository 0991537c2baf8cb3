// Package replies reads SMTP replies: a [Classifier] tells what a reply to a
// command proves about the mailbox, the domain or the client. It reads those to
// a verification, and those that bounces quote. [smtp.ParseReply] makes a Reply
// of text.
//
// The rules are data: rules.yaml, whose head describes its fields. Programs may
// add rules that are tried first ([NewClassifier]). README.md in this folder
// explains the algorithm with a worked example.
//
// A classifier sees one reply. What several replies prove together, such as an
// accepted mailbox beside an accepted random one, is decided by package engine.
package replies
