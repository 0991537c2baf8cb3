package keyring

import (
	"crypto/rand"
	"hash/crc32"
	"math/big"
	"strings"
)

// TextPrefix begins the text of a key: secret scanners look for it.
const TextPrefix = "rcpt_"

// The prefix is followed by a random number, and a checksum of prefix and
// number that detects typing errors.
const (
	randomOctets   = 32 // 256 bits cannot be guessed
	randomDigits   = 43 // 62^43 > 2^256
	checksumDigits = 6  // 62^6 > 2^32
	textLength     = len(TextPrefix) + randomDigits + checksumDigits
	base           = 62
)

// NewText returns the text of a new key.
func NewText() string {
	random := make([]byte, randomOctets)
	rand.Read(random) // never fails
	text := TextPrefix + digits(new(big.Int).SetBytes(random), randomDigits)
	return text + checksum(text)
}

// IsText reports whether the text has the form of a key, its checksum included.
// It says nothing about whether the key exists; a fixed key may have any form.
func IsText(text string) bool {
	if len(text) != textLength || !strings.HasPrefix(text, TextPrefix) {
		return false
	}
	for _, c := range []byte(text[len(TextPrefix):]) {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return false
		}
	}
	body := text[:textLength-checksumDigits]
	return text[len(body):] == checksum(body)
}

func checksum(text string) string {
	return digits(big.NewInt(int64(crc32.ChecksumIEEE([]byte(text)))), checksumDigits)
}

// digits writes n to base 62 in a fixed width.
func digits(n *big.Int, width int) string {
	text := n.Text(base)
	return strings.Repeat("0", width-len(text)) + text
}
