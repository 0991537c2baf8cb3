package dnsresolve

import "net/netip"

// Status says how a question to the DNS ended.
type Status string

// The outcomes of a look-up. NODATA and NXDOMAIN are answers; what
// [Status.Temporary] names is the absence of one.
const (
	StatusOK       Status = "ok"       // records were found
	StatusNoData   Status = "nodata"   // the name exists and has no record of the type (RFC 2308 §2.2)
	StatusNXDomain Status = "nxdomain" // the name does not exist (RFC 2308 §2.1, RFC 8020)
	StatusServFail Status = "servfail" // the resolver failed
	StatusRefused  Status = "refused"  // the resolver refused to answer
	StatusTimeout  Status = "timeout"  // no server answered in time
	// an unusable answer (FORMERR, NOTIMP, a CNAME loop, a forged or broken
	// message), or an invalid name
	StatusMalformed Status = "malformed"
	StatusError     Status = "error" // no resolver could be reached
)

// Temporary reports whether nothing was learned, so that a later look-up may
// have an answer.
func (s Status) Temporary() bool {
	switch s {
	case StatusOK, StatusNoData, StatusNXDomain:
		return false
	}
	return true
}

// Findings is what the DNS says about where mail for a domain goes: facts only,
// without a verdict.
type Findings struct {
	// Domain is the name that was asked about, in lower-case A-labels.
	Domain string `json:"domain"`
	// Status is the outcome: StatusOK if Hosts is filled or NullMX is set,
	// StatusNXDomain if the domain does not exist, StatusNoData if it has no
	// MX, A or AAAA records, and a temporary status if that is unknown.
	Status Status `json:"status"`
	// NullMX is set when the domain says it takes no mail (RFC 7505).
	NullMX bool `json:"null_mx,omitempty"`
	// Implicit is set when there is no MX and the domain's own addresses serve
	// (RFC 5321 §5.1).
	Implicit bool `json:"implicit,omitempty"`
	// Hosts are the mail exchangers in the order to try them.
	Hosts []Host `json:"hosts,omitempty"`
	// Omitted counts mail exchangers beyond the limit, which were not looked
	// up.
	Omitted int `json:"omitted,omitempty"`
	// Lookups are the questions asked and how each ended, in a stable order.
	Lookups []Lookup `json:"lookups,omitempty"`
}

// Host is one mail exchanger.
type Host struct {
	// Name is lower-case without the trailing dot, in visible ASCII: other
	// octets are escaped. It may be an IP address, which needs no look-up
	// ([Host.NamesAddress]). Other names than those of hosts
	// ("http://mx.example.org") are looked up, too. One that the DNS cannot be
	// asked about is made printable, and Status is StatusMalformed.
	Name       string `json:"name"`
	Preference uint16 `json:"preference"`
	// Status is StatusOK if Addrs is filled; otherwise it says why it is empty.
	Status Status `json:"status"`
	// Addrs are the addresses, IPv4 first: mail hosts require more of IPv6
	// clients (reverse DNS, SPF), so an answer is more likely over IPv4. If
	// there are more than the limit, public ones are kept rather than reserved
	// ones.
	Addrs []Addr `json:"addrs,omitempty"`
	// Incomplete is set if one of the address look-ups failed: there may be
	// more addresses.
	Incomplete bool `json:"incomplete,omitempty"`
	// IPv6Unasked is set if the host's IPv6 addresses were not asked for
	// because its IPv4 addresses suffice ([Config.SkipIPv6]).
	IPv6Unasked bool `json:"ipv6_unasked,omitempty"`
	// Omitted counts addresses beyond the limit. If Addrs has a reserved one,
	// they are reserved, too.
	Omitted int `json:"omitted,omitempty"`
}

// Addr is an address of a mail exchanger.
type Addr struct {
	IP netip.Addr `json:"ip"`
	// Reserved names the special-purpose block that IP is in ("loopback",
	// "private", "nat64" …); empty for a public address. Package engine marks
	// those of its own machine "own".
	Reserved string `json:"reserved,omitempty"`
}

// Lookup is one question to the DNS and its outcome.
type Lookup struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"` // MX, A, AAAA
	Status Status   `json:"status"`
	Server string   `json:"server,omitempty"` // the resolver that answered, HOST:PORT
	TTL    uint32   `json:"ttl"`              // seconds that the answer may still be kept
	AD     bool     `json:"ad,omitempty"`     // the resolver says it validated the answer (RFC 4035 §3.2.3)
	Cached bool     `json:"cached,omitempty"`
	CNAMEs []string `json:"cnames,omitempty"` // the aliases followed, in order
	Error  string   `json:"error,omitempty"`
}
