package rows

import (
	"crypto/sha256"
	"net/netip"
	"strings"
	"time"
)

// Scope is something that a key may be used for.
type Scope string

// The scopes.
const (
	ScopeVerify Scope = "verify"
	ScopeBulk   Scope = "bulk"
	ScopeUsage  Scope = "usage"
)

// Key is an API key without its text. A limit of zero means none.
type Key struct {
	ID      string // made by CreateKey; no secret
	Hash    Hash   // of the text of the key
	Name    string // for people
	Account string // the ID of the account that it belongs to; empty: the operator's
	// Test: it asks nobody, and is not counted ([TestID]). It stays so.
	Test bool
	// Idle: its account is a viewer's, who may do less than any scope allows.
	// The key does nothing until the account has another role.
	Idle bool
	// Lists is the ID of the account whose lists it sees; empty: Account. A key
	// that was handed over sees those of whom it was made for, and no others.
	Lists string

	Replaces string // the ID of the key that it was made to replace; empty: none

	Scopes        []Scope        // empty: none
	RatePerSecond float64        // requests
	Burst         int            // requests at once; zero: as many as the rate allows in a second
	Concurrency   int            // requests at a time
	MonthlyQuota  int64          // verifications in a calendar month of UTC
	Networks      []netip.Prefix // that clients may come from; empty: anywhere

	Created  time.Time
	LastUsed time.Time // to within a second; zero: never
	Expires  time.Time // zero: never
	Revoked  time.Time // zero: not
}

// testPrefix begins the ID of a test key, so that whatever has the ID of a key,
// such as a list or a line of the log, tells which kind it is.
const testPrefix = "testkey"

// TestID tells whether the ID is that of a test key.
func TestID(id string) bool { return strings.HasPrefix(id, testPrefix+"_") }

// KindOfID is how the ID of a new key begins.
func KindOfID(test bool) string {
	if test {
		return testPrefix
	}
	return "key"
}

// Usable tells whether the key is neither revoked nor expired.
func (k *Key) Usable(now time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || now.Before(k.Expires))
}

// May tells whether the key may be used for the scope now.
func (k *Key) May(scope Scope) bool { return !k.Idle && k.Has(scope) }

// Has tells whether the key has the scope.
func (k *Key) Has(scope Scope) bool {
	for _, has := range k.Scopes {
		if has == scope {
			return true
		}
	}
	return false
}

// Hash is the SHA-256 of a secret, which is all that the store knows of it.
type Hash [sha256.Size]byte

// HashOf returns the hash of a key, a session cookie or a token. These are
// random and long; a password needs a different hash.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }
