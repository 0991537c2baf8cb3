package keyring

import (
	"crypto/rand"
	"hash/crc32"
	"math/big"
	"strings"
)

// TextPrefix begins the text of a key: secret scanners look for it. That of a
// test key, which needs no scanner, begins with TestPrefix.
const (
	TextPrefix = "rcpt_"
	TestPrefix = TextPrefix + "test_"
)

// The prefix is followed by a random number, and a checksum of both: secret
// scanners tell a key by it from what only looks like one.
const (
	randomOctets   = 32 // 256 bits cannot be guessed
	randomDigits   = 43 // 62^43 > 2^256
	checksumDigits = 6  // 62^6 > 2^32
	base           = 62
)

// NewText returns the text of a new key, which may be a test key.
func NewText(test bool) string {
	random := make([]byte, randomOctets)
	rand.Read(random) // never fails
	prefix := TextPrefix
	if test {
		prefix = TestPrefix
	}
	text := prefix + digits(new(big.Int).SetBytes(random), randomDigits)
	return text + checksum(text)
}

func checksum(text string) string {
	return digits(big.NewInt(int64(crc32.ChecksumIEEE([]byte(text)))), checksumDigits)
}

// digits writes n to base 62 in a fixed width.
func digits(n *big.Int, width int) string {
	text := n.Text(base)
	return strings.Repeat("0", width-len(text)) + text
}
