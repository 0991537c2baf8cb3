package smtp

// Bounds on what is kept of a reply.
const (
	// maxReplyLines is the number of lines of one reply. The longest honest ones, EHLO replies and legal greetings, have about forty.
	MaxReplyLines = 100
	// maxText is the number of bytes kept of the text of a reply line: all that RFC 5321 §4.5.3.1.5 allows, twice.
	MaxText = 1024
	// maxReplyText is the number of bytes kept of a whole reply: the longest honest ones have some three thousand. It is what a thousand sessions
	// with hosts that talk a lot cost in memory, several times over.
	MaxReplyText = 4 << 10
	// maxWording is the number of bytes by which replies are compared; of each mail host, the wording of one is remembered.
	MaxWording = 256
)
