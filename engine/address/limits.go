package address

// Limits in octets, of the form that is sent: after IDNA conversion and with
// the least quoting.
const (
	// maxLocal is that of RFC 5321 §4.5.3.1.1, of which §4.5.3.1 says that
	// implementations should have none: a longer one is irregular.
	maxLocal = 64
	maxLabel = 63 // RFC 1035 §2.3.4

	// maxDomain is what fits into the 255 octets of RFC 5321 §4.5.3.1.2 and RFC
	// 1035 §2.3.4: the wire form of a name has a length octet before the first
	// label and a root label after the last, so 253 are left for the text.
	maxDomain = 253

	// maxLabels is how many labels fit in there.
	maxLabels = 127

	// maxMailbox is the 256 octets of a path (RFC 5321 §4.5.3.1.3, RFC 3696
	// erratum 1690) less its angle brackets.
	maxMailbox = 254
)

// Limits in bytes of what is looked at before anything expensive is done.
const (
	// maxRawLocal leaves room for a local-part in which every octet has a
	// needless backslash, and two quotes.
	maxRawLocal = 2*maxMailbox + 2

	// maxInput and maxRawLabel are sixteen bytes for each octet that may be
	// sent. Full-width text takes three, mathematical letters four and
	// decomposed Hangul under five; only a flood of code points that UTS #46
	// drops could need more.
	maxInput    = 16 * 256
	maxRawLabel = 16 * maxLabel
)
