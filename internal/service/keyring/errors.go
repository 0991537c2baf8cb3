package keyring

import (
	"errors"
	"fmt"
	"time"
)

// Why a request is not admitted; beside a [LimitError], and the error of a
// context that ended while a quota was reserved.
var (
	// ErrUnauthorized: the key is unknown, expired or revoked. Clients do not
	// learn which.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrNetwork: the key is valid, but not from this network. ErrScope: it is
	// valid, but lacks the scope.
	ErrNetwork = errors.New("the key may not be used from this network")
	ErrScope   = errors.New("the key lacks the scope")
	// ErrQuota: the quota of the month is used up.
	ErrQuota = errors.New("the quota of the month is used up")
	// ErrUnavailable: the quota cannot be reserved, because the store cannot be
	// reached.
	ErrUnavailable = errors.New("the quota cannot be looked up at the moment")
)

// TooManyError reports a request about more addresses than its key allows at
// once.
type TooManyError struct {
	Most int64 // addresses
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("the rate of the key allows %d addresses at once", e.Most)
}

// Limit is a kind of limit that ends after a wait.
type Limit string

// The limits.
const (
	RateLimit        Limit = "rate"
	ConcurrencyLimit Limit = "concurrency"
)

// LimitError reports that a request came too early.
type LimitError struct {
	Kind       Limit
	RetryAfter time.Duration
	Rate       Rate
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the limit of the key's %s is reached, try again in %v", e.Kind, e.RetryAfter)
}
