// Package signed reads editions of the lists with the check of their signature,
// for programs that update their lists while they run. It downloads nothing:
// get the files as you get others, and bound their size and time.
//
// Experimental: this package may change in any minor version.
package signed

import (
	_ "embed" // the key of the releases
	"errors"
	"fmt"
	"strings"

	"aead.dev/minisign"

	"github.com/rcpt/rcpt/lists"
)

// Feed is the URL of the edition of the latest release. Its redirects lead to
// the file.
const Feed = "https://github.com/rcpt/rcpt/releases/latest/download/lists.bundle"

// Suffix ends the name of the file with the signature of an edition, which is
// beside it. It is minisign's.
const Suffix = ".minisig"

const (
	// MaxBundle bounds an edition in bytes. The embedded one has 3.4 MB; one of
	// twenty times that size is not valid.
	MaxBundle = 64 << 20
	// MaxSignature bounds a file with a signature in bytes. One has 300 and
	// comments.
	MaxSignature = 4 << 10
)

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

// Read returns the edition in bundle, which must not be changed afterwards, if
// signature is one of it by one of the keys: see [Check] and
// [lists.ReadBundle]. An older edition is signed, too: compare
// [lists.Bundle.Date] with that of the edition in use.
func Read(bundle, signature []byte, keys ...Key) (*lists.Bundle, error) {
	if err := Check(bundle, signature, keys...); err != nil {
		return nil, err
	}
	return lists.ReadBundle(bundle)
}

// Check fails unless signature is one of data by one of the keys.
func Check(data, signature []byte, keys ...Key) error {
	if len(keys) == 0 {
		return errors.New("there is no key to check the signature with")
	}
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
