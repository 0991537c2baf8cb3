package smtpprobe

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// Parts of the names that ControlMailbox makes up. 32 consonants times 8 vowels make a syllable worth eight bits, and no two rows of
// syllables read the same, because each part is made of its own letters.
var (
	onsets = [32]string{
		"b", "br", "c", "ch", "d", "dr", "f", "fr", "g", "gl", "gr", "h", "j", "k", "kr", "l",
		"m", "n", "p", "pr", "r", "s", "sh", "sl", "st", "t", "th", "tr", "v", "w", "y", "z",
	}
	vowels     = [8]string{"a", "e", "i", "o", "u", "ai", "ea", "io"}
	endings    = [4]string{"", "n", "r", "s"}
	separators = [4]string{".", ".", "_", "-"}
)

// syllablesPerName makes 2*4*8 = 64 bits of two names: nobody guesses one, and nobody has one.
const syllablesPerName = 4

// controlBytes are those of the syllables, and two for the rest of the shape.
const controlBytes = 2*syllablesPerName + 2

// ControlMailbox returns a random mailbox in domain: long, unguessable, and looking like somebody's. Its local-part has at least 64 bits of
// randomness, at most 64 octets (RFC 5321 §4.5.3.1.1), and nothing by which a server could tell it from a long name.
func ControlMailbox(domain string) string {
	var random [controlBytes]byte
	_, _ = rand.Read(random[:]) // crypto/rand never returns an error
	return controlMailbox(random, domain)
}

// Controls names control mailboxes as [ControlMailbox] does, the same one of a domain for a day. A host that greylists before it looks at the mailbox
// lets only those recipients pass that it has put off before: a new one each time would never get an answer.
type Controls struct {
	secret [sha256.Size]byte // makes the mailboxes unguessable
}

// NewControls returns Controls whose mailboxes nobody else names.
func NewControls() *Controls {
	c := &Controls{}
	_, _ = rand.Read(c.secret[:])
	return c
}

// controlDay is how long a domain keeps its control: beyond the day that greylisting may take (RFC 6647 §4.5) in most cases, and not so long that
// anybody would come to know it.
const controlDay = 24 * time.Hour

// Mailbox returns the control mailbox of domain at that time.
func (c *Controls) Mailbox(domain string, at time.Time) string {
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
