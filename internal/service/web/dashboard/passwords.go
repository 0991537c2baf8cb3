package dashboard

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// The work for one hash: what the OWASP Password Storage Cheat Sheet gives
// first for argon2id, 19 MiB, two passes, one lane.
const (
	hashMemory = 19 << 10 // KiB
	hashPasses = 2
	hashLanes  = 1
	hashLength = 32
	saltLength = 16
)

// hashesAtOnce limits memory and CPU, and hashesWaiting the requests that wait.
const (
	hashesAtOnce  = 2
	hashesWaiting = 32
)

// minPassword is the least length of a password in characters, maxPassword the
// most in octets: more than password managers generate.
const (
	minPassword = 12
	maxPassword = 1024
)

var (
	errBusy         = errors.New("too many passwords are being checked")
	errPasswordText = errors.New("a stored password is not an argon2id hash of this program")
)

// NewPassword returns a random password and the text that the store keeps of
// it, for a forgotten password.
func NewPassword(ctx context.Context) (password, stored string, err error) {
	password = randomPassword()
	stored, err = newPasswords().hash(ctx, password)
	return password, stored, err
}

func randomPassword() string { return strings.ToLower(rand.Text()) }

// passwords hashes passwords with argon2id (RFC 9106), a few at a time.
type passwords struct {
	slots   chan struct{}
	waiting atomic.Int32
	derive  func(password, salt []byte) []byte
}

func newPasswords() *passwords {
	return &passwords{
		slots: make(chan struct{}, hashesAtOnce),
		derive: func(password, salt []byte) []byte {
			return argon2.IDKey(password, salt, hashPasses, hashMemory, hashLanes, hashLength)
		},
	}
}

// hash returns the text to store for a password, in the usual form
// ($argon2id$…). The password is normalised (NIST SP 800-63B, 3.1.1.2): a
// browser on another system may send its letters as other characters.
func (p *passwords) hash(ctx context.Context, password string) (string, error) {
	password = norm.NFC.String(password)
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt)
	sum, err := p.work(ctx, password, salt)
	return hashText(salt, sum), err
}

func hashText(salt, sum []byte) string {
	return hashPrefix() + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(sum)
}

func hashPrefix() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, hashMemory, hashPasses, hashLanes)
}

// matches reports whether the stored text is that of the password.
func (p *passwords) matches(ctx context.Context, stored, password string) (bool, error) {
	rest, ok := strings.CutPrefix(stored, hashPrefix())
	saltText, sumText, cut := strings.Cut(rest, "$")
	salt, errSalt := base64.RawStdEncoding.DecodeString(saltText)
	want, errSum := base64.RawStdEncoding.DecodeString(sumText)
	if !ok || !cut || errSalt != nil || errSum != nil || len(want) != hashLength {
		return false, errPasswordText
	}
	sum, err := p.work(ctx, norm.NFC.String(password), salt)
	right := err == nil && subtle.ConstantTimeCompare(sum, want) == 1
	if err == nil && !right && !norm.NFC.IsNormalString(password) { // earlier versions stored it as it came
		sum, err = p.work(ctx, password, salt)
		right = err == nil && subtle.ConstantTimeCompare(sum, want) == 1
	}
	return right, err
}

// unguessable is the hash of no known password: it is random.
func (p *passwords) unguessable() string {
	random := make([]byte, saltLength+hashLength)
	_, _ = rand.Read(random)
	return hashText(random[:saltLength], random[saltLength:])
}

// work waits for its turn and hashes.
func (p *passwords) work(ctx context.Context, password string, salt []byte) ([]byte, error) {
	if p.waiting.Add(1) > hashesWaiting {
		p.waiting.Add(-1)
		return nil, errBusy
	}
	defer p.waiting.Add(-1)
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.slots }()
	return p.derive([]byte(password), salt), nil
}

// addPasswordFaults notes what is wrong with a new password and its repetition.
func (f *formFaults) addPasswordFaults(login, password, repeated string) {
	switch {
	case utf8.RuneCountInString(password) < minPassword:
		f.add("password", fmt.Sprintf("The password needs at least %d characters.", minPassword))
	case len(password) > maxPassword:
		f.add("password", fmt.Sprintf("The password is longer than %d octets.", maxPassword))
	case strings.EqualFold(password, strings.TrimSpace(login)):
		f.add("password", "The password must not be the login.")
	}
	if password != repeated {
		f.add("repeated", "This is not the same as the password above.")
	}
}
