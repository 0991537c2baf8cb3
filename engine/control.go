package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// Parts of the names that controls makes up. 32 consonants times 8 vowels make
// a syllable worth eight bits. No two sequences of syllables are spelled the
// same, because each part is made of its own letters.
var (
	onsets = [32]string{
		"b", "br", "c", "ch", "d", "dr", "f", "fr", "g", "gl", "gr", "h", "j", "k", "kr", "l",
		"m", "n", "p", "pr", "r", "s", "sh", "sl", "st", "t", "th", "tr", "v", "w", "y", "z",
	}
	vowels     = [8]string{"a", "e", "i", "o", "u", "ai", "ea", "io"}
	endings    = [4]string{"", "n", "r", "s"}
	separators = [4]string{".", ".", "_", "-"}
)

// syllablesPerName makes 2*4*8 = 64 bits of two names, so that nobody can guess
// a control or have it as a mailbox.
const syllablesPerName = 4

// maxMailbox is the longest mailbox: a path of 256 octets without its angle
// brackets (RFC 5321 §4.5.3.1.3).
const maxMailbox = 254

// controlBytes are those of the syllables, and two for the rest of the shape.
const controlBytes = 2*syllablesPerName + 2

// controls names control mailboxes: random ones, beside the mailboxes that are
// verified, which no mail host can have. They are long, unguessable and look
// like somebody's: a local-part has at least 64 bits of randomness, at most 64
// octets (RFC 5321 §4.5.3.1.1), and nothing by which a server could tell it
// from a long name.
//
// A domain keeps its control for a day. A host that greylists before it looks
// at the mailbox accepts only recipients that it has deferred before: a new
// control each time would never get an answer.
//
// Verifiers with the same secret have the same controls, so that this holds
// also for one that takes the place of another.
type controls struct {
	secret [sha256.Size]byte                        // makes the mailboxes unguessable
	local  func(domain string, at time.Time) string // instead; nil: random ones
}

func newControls(config Config) *controls {
	c := &controls{local: config.Control}
	if len(config.ControlSecret) > 0 {
		c.secret = sha256.Sum256(config.ControlSecret)
		return c
	}
	_, _ = rand.Read(c.secret[:]) // crypto/rand never returns an error
	return c
}

// leastControlSecret is as many octets as there are random bits in a control.
const leastControlSecret = 8

// controlDay is how long a domain keeps its control: in most cases longer than
// greylisting lasts (RFC 6647 §4.5), and too short for a mail host to learn it.
const controlDay = 24 * time.Hour

// mailbox returns the control mailbox of domain at that time; empty: there is
// no room for one before so long a domain.
func (c *controls) mailbox(domain string, at time.Time) string {
	var mailbox string
	if c.local != nil {
		mailbox = c.local(domain, at) + "@" + domain
	} else {
		mailbox = c.random(domain, at)
	}
	if len(mailbox) > maxMailbox {
		return ""
	}
	return mailbox
}

func (c *controls) random(domain string, at time.Time) string {
	seed := append(make([]byte, 0, 2*maxMailbox), c.secret[:]...)
	seed = binary.BigEndian.AppendUint64(seed, uint64(at.Unix()/int64(controlDay/time.Second)))
	sum := sha256.Sum256(append(seed, domain...))
	return controlMailbox([controlBytes]byte(sum[:controlBytes]), domain)
}

// controlMailbox spells random bytes as a mailbox.
func controlMailbox(random [controlBytes]byte, domain string) string {
	names, shape := random[:2*syllablesPerName], random[2*syllablesPerName:]

	b := make([]byte, 0, maxMailbox)
	b = appendName(b, names[:syllablesPerName], endings[shape[0]&3])
	b = append(b, separators[shape[0]>>2&3]...)
	b = appendName(b, names[syllablesPerName:], endings[shape[0]>>4&3])
	if shape[0]&0x80 != 0 {
		b = append(b, '0'+shape[1]%10, '0'+shape[1]/10%10)
	}
	b = append(b, '@')
	return string(append(b, domain...))
}

// appendName spells random bytes as syllables.
func appendName(b, random []byte, ending string) []byte {
	for _, r := range random {
		b = append(b, onsets[r>>3]...)
		b = append(b, vowels[r&7]...)
	}
	return append(b, ending...)
}
