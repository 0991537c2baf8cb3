// Package bundle reads and writes the format in which an edition of the lists
// is embedded and distributed: one file, which is searched in place.
//
// A head in text says what the edition holds and where it comes from, a line
// each; a blank line ends it; the sections follow:
//
//	rcpt lists 2
//	date: 2026-11-20
//	list: disposable	165000	65000	domains of services that hand out mailboxes to throw away
//	source: disposable	disposable-domains 2.0.1	MIT	bulk	133604
//	section: listings	4211
//	section: domains	3104233
//	sha256: 9f86d081…
//
// A list has its number of entries, how many of them are curated, and what it
// is about. A source has its list, name, licence, tier and number of entries in
// the list. A section has its length in bytes; the sections lie in the order of
// their lines. The checksum, in hexadecimal, is that of the file without the
// checksum's line.
//
// The generator writes bundles, package lists reads them. Opening one reads
// only its head.
package bundle
