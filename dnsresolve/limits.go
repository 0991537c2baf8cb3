package dnsresolve

import "time"

// Defaults of Config.
const (
	defaultTryTimeout = 3 * time.Second  // long enough for a resolver that walks down from the root
	defaultTimeout    = 10 * time.Second // three tries of a silent resolver
	defaultMaxHosts   = 5
	defaultMaxAddrs   = 4
	defaultCacheBytes = 16 << 20
	defaultMaxQueries = 512
)

// Limits on what strangers' answers can make us do.
const (
	maxRounds  = 3  // times a silent server is asked one question; UDP loses packets
	maxAliases = 10 // CNAMEs followed; public resolvers stop at 8 to 16 (RFC 1034 §3.6.2 names no number)

	// maxDeadHosts is the number of mail exchangers that are looked up if the
	// first ones have no public address, regardless of MaxHosts.
	maxDeadHosts = 20

	// udpSize is the UDP payload size we offer: it fits in one IPv6 packet of
	// the minimum MTU (RFC 6891 §6.2.5, DNS flag day 2020).
	udpSize = 1232
	// readSize is the largest UDP answer we read: some servers send up to 4096
	// octets whatever was offered.
	readSize = 4096

	headerSize    = 12   // octets of a message's header (RFC 1035 §4.1.1)
	flagsOffset   = 2    // of its flags
	flagTruncated = 0x02 // TC

	// How long a UDP socket, and so a port, is used: see udpSocket. Networks
	// change, too, and an old socket has an old source address.
	socketQueries = 32
	socketAge     = 5 * time.Second

	maxLabel    = 63  // octets (RFC 1035 §2.3.4)
	maxHostName = 253 // octets in text without the trailing dot: 255 on the wire (RFC 1035 §2.3.4)

	maxErrorText = 200 // octets kept of a server's explanation or of an invalid name
)

// How long answers are kept, in seconds.
const (
	// TTL 0 means "do not cache" (RFC 2181 §8), but a list of addresses of one
	// domain must not hammer its servers
	minTTL         = 10
	maxTTL         = 3600 // an hour: mail exchangers move, and a lie must not last (RFC 2181 §8 allows 68 years)
	maxNegativeTTL = 300  // a domain that is set up just now is soon seen; RFC 2308 §5 allows up to three hours
	// failures, and denials without a SOA, which RFC 2308 §5 says should not be
	// cached (RFC 9520 §3.2: 1 s to 5 min)
	failureTTL = 5
)
