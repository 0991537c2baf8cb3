// Package listfile is the format of the embedded lists: a header that says what the list is and where it comes from, a blank line, then one
// entry a line in byte order, with a tab and a note behind it.
//
//	# rcpt list: disposable
//	# about: domains of services that hand out mailboxes to throw away
//	# date: 2026-11-20
//	# count: 1
//	# license: MIT
//	# source a: disposable-domains 2.0.1
//
//	mailinator.com	a
//
// The note holds the letters of the sources that have the entry. A list that declares no lettered sources is kept by hand: its notes are
// the reasons for the entries.
//
// The generator writes files, package lists reads them. Reading looks at the header alone: the entries are searched where they stand.
package listfile
