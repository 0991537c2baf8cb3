// Package listfile reads and writes the format in which lists from packages are
// reviewed: a header that says what the list is and where it comes from, a
// blank line, then one entry a line in byte order, with the letters of its
// sources and, if it has one, its group, separated by tabs.
//
//	# rcpt list: disposable
//	# about: domains of services that hand out mailboxes to throw away
//	# date: 2026-11-20
//	# count: 2
//	# source a: disposable-domains 2.0.1, MIT, bulk
//	# source c: fakefilter 0.1.1476, BSD-3-Clause, curated
//
//	mailinator.com	a
//	webxio.pro	ac	mohmal.com
//
// The generator writes such files and builds the embedded bundle from them.
package listfile
