package wire

import "time"

// Bounds on what a stranger's server can make us read and keep.
const (
	// maxLine is the longest reply line read, line end included. RFC 5321
	// §4.5.3.1.5 allows 512 octets; real hosts send more.
	maxLine = 4096
	// maxBytes is the number of bytes read in one transaction, seven replies
	// of a talkative host several times over.
	maxBytes = 64 << 10

	// maxLineText, maxTranscriptLines and maxTranscript bound the transcript;
	// the last counts bytes.
	maxLineText        = 512
	maxTranscriptLines = 256
	maxTranscript      = 12 << 10

	// Each recipient of a transaction beyond the first few adds to what may be
	// read and written down: its command and a reply of some lines.
	fewRecipients       = 10
	recipientBytes      = 1 << 10
	recipientLines      = 6
	recipientTranscript = 512

	// maxKeyword is the longest EHLO keyword that counts as one; those that are
	// registered have at most twenty octets.
	maxKeyword = 64

	// maxDomain is the longest domain name or address literal (RFC 5321
	// §4.5.3.1.2).
	maxDomain = 255
)

const (
	// leastShare is the time that is left to each address that may still be
	// tried: for a SYN, one more after a second, and the answer to it.
	leastShare = 1500 * time.Millisecond
	// alreadyThere is how long one listens for what has arrived already.
	alreadyThere = 10 * time.Microsecond
)
