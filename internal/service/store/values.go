package store

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// octets is a hash as it is stored.
type octets Hash

// Value stores the hash as octets.
func (o octets) Value() (driver.Value, error) { return o[:], nil }

// Scan reads what Value wrote.
func (o *octets) Scan(value any) error {
	stored, ok := value.([]byte)
	if !ok || len(stored) != len(o) {
		return fmt.Errorf("a stored hash is not %d octets", len(o))
	}
	copy(o[:], stored)
	return nil
}

// addressHash returns the hash under which a normalised address is stored:
// salted, so that two installations have nothing in common.
func (s *Store) addressHash(address string) Hash {
	mac := hmac.New(sha256.New, s.salt)
	mac.Write([]byte(address))
	return Hash(mac.Sum(nil))
}

// Secret returns the secret of the installation for a purpose. All nodes have
// the same.
func (s *Store) Secret(purpose string) []byte {
	mac := hmac.New(sha256.New, s.salt)
	mac.Write([]byte("\x00" + purpose)) // no address begins so
	return mac.Sum(nil)
}

// newID returns a random name for a row, which is no secret.
func newID(kind string) string {
	const letters = 20 // of 5 bits each
	return kind + "_" + strings.ToLower(rand.Text()[:letters])
}

// millis is a time as it is stored; never is zero.
type millis int64

func millisOf(t time.Time) millis {
	if t.IsZero() {
		return 0
	}
	return millis(t.UnixMilli())
}

// Value stores the time as a whole number.
func (m millis) Value() (driver.Value, error) { return int64(m), nil }

func (m millis) time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// dayOf and monthOf are the beginning of a day and of a month in UTC.
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

func monthOf(t time.Time) time.Time {
	year, month, _ := t.UTC().Date()
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

// maxText limits names, logins and the like, in octets: far beyond any sensible
// one, and short enough for an index.
const maxText = 500

// checkText refuses what one of the engines cannot store, or people cannot
// read.
func checkText(what, text string) error {
	switch {
	case len(text) > maxText:
		return fmt.Errorf("%w: the %s is longer than %d octets", ErrInvalid, what, maxText)
	case !utf8.ValidString(text):
		return fmt.Errorf("%w: the %s is not UTF-8", ErrInvalid, what)
	case strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("%w: the %s has control characters", ErrInvalid, what)
	}
	return nil
}

// storable returns a text that both engines store: PostgreSQL requires UTF-8
// without NUL.
func storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
