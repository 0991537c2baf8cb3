// Package dnsfault has the kinds of faults of dnsresolve/dnstest, for the tests
// of this module. Those that programs need in their own tests have a name in
// dnstest as well; its documentation lists them.
package dnsfault

// The kinds, as values of dnstest.Kind.
const (
	None     = iota
	ServFail // answers SERVFAIL
	Refused  // answers REFUSED
	NXDomain // denies the name
	Lose     // never answers
	Truncate // answers over UDP are empty and truncated; over TCP they are complete
	// FormErr answers a query with EDNS0 with FORMERR and no question, as
	// servers older than EDNS0 do
	FormErr
	// Referral answers with the name servers of the root and nothing else, as a
	// server without recursion does
	Referral
	Unreachable     // in memory: connection refused at once; on sockets: never answers
	TruncateForever // answers are empty and truncated over UDP and TCP alike
	ForgeID         // a made-up answer with another message ID arrives before the right one
	ForgeQuestion   // a made-up answer to another question arrives before the right one
	// ForgeSource sends a made-up answer from another port before the right
	// one; in memory it cannot arrive
	ForgeSource
	Malformed // the answer ends in the middle of a record
	// Oversize answers with 20 kB over UDP, too, whatever the client offers
	Oversize
	ChangeCase // names, that of the question too, come back in upper case
	// Strangers adds records of other names beside the right ones, and false
	// addresses of the mail hosts after them
	Strangers
	DenyWithRecords // the answer has its records, and the code of a denial
	// Unfounded denies the name without being recursive or authoritative (no
	// RA, AA, SOA)
	Unfounded
	// Validated sets the AD bit of answers to queries that have it set (RFC
	// 6840 §5.8)
	Validated
	// SingleAlias answers with one alias at a time, so that the client must ask
	// again for the alias's target
	SingleAlias
	// SingleValidated is SingleAlias and Validated
	SingleValidated
)
