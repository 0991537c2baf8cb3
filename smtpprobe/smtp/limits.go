package smtp

// Bounds on what is kept of a reply.
//
// Experimental: it may change in any minor version.
const (
	// MaxReplyLines is the number of lines of one reply. The longest honest
	// replies, to EHLO or with legal notices, have about forty.
	MaxReplyLines = 100
	// MaxText is the number of bytes kept of a reply line's text: twice what
	// RFC 5321 §4.5.3.1.5 allows.
	MaxText = 1024
	// MaxReplyText is the number of bytes kept of a whole reply; the longest
	// honest ones have about three thousand. A thousand open sessions keep a
	// few such replies each.
	MaxReplyText = 4 << 10
)
