package listupdate

import (
	_ "embed" // the key of the releases
	"errors"
	"fmt"
	"strings"

	"aead.dev/minisign"
)

// SignatureSuffix ends the name of the file with the signature of an edition,
// which is beside it. It is minisign's.
const SignatureSuffix = ".minisig"

// MaxSignature bounds a file with a signature. One has 300 octets and comments.
const MaxSignature = 4 << 10

// DefaultFeed is the edition of the latest release. Its redirects lead to the
// file.
const DefaultFeed = "https://github.com/rcpt/rcpt/releases/latest/download/lists.bundle"

// releaseKey is the public key of the releases, in the form of minisign. It is
// empty before the first release: RELEASING.md says how the key is made.
//
//go:embed release.pub
var releaseKey string

// Key is a public key of minisign: an Ed25519 key with an ID.
type Key struct{ public minisign.PublicKey }

// UnmarshalText reads a key, as minisign prints it or as its file has it.
func (k *Key) UnmarshalText(text []byte) error {
	if err := k.public.UnmarshalText(text); err != nil {
		const format = "%q is not a public key of minisign: write the line of its .pub file that begins with RW"
		return fmt.Errorf(format, text)
	}
	return nil
}

// ReleaseKeys returns the key of the releases, or nothing in a build without
// one.
func ReleaseKeys() ([]Key, error) {
	if strings.TrimSpace(releaseKey) == "" {
		return nil, nil
	}
	var key Key
	err := key.UnmarshalText([]byte(releaseKey))
	return []Key{key}, err
}

// CheckSignature fails unless signature is one of data by one of the keys.
func CheckSignature(data, signature []byte, keys []Key) error {
	var parsed minisign.Signature
	if err := parsed.UnmarshalText(signature); err != nil {
		return errors.New("the signature is not one of minisign")
	}
	for _, key := range keys {
		if key.public.ID() != parsed.KeyID {
			continue
		}
		if minisign.Verify(key.public, data, signature) {
			return nil
		}
		return errors.New("the signature is not one of this file: one of them was changed; do not use it")
	}
	return fmt.Errorf("the signature is by another key, %016X", parsed.KeyID)
}
