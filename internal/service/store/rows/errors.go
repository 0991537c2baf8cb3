package rows

import (
	"errors"
	"fmt"
)

// What a caller may want to tell apart, with [errors.Is].
var (
	ErrNotFound     = errors.New("not found")
	ErrExists       = errors.New("already exists")
	ErrInvalid      = errors.New("cannot be stored")
	ErrLeaseLost    = errors.New("the lease has expired and another node may have the work")
	ErrLocked       = errors.New("in use by another process")
	ErrSchemaTooNew = errors.New("made by a later version of rcpt")
	ErrNotEmpty     = errors.New("not empty")
	ErrState        = errors.New("the state of the job does not allow it")
	ErrInProgress   = errors.New("a request with the same token is in progress")
	ErrKeyEnded     = errors.New("the key may not be used any more")
	ErrTooMany      = errors.New("there are as many as there may be")
	ErrLastAdmin    = errors.New("there must be an admin")
	ErrQuota        = errors.New("the rest of the quota is not sufficient")

	// ErrUnavailable means that the database cannot do it at the moment: it was
	// lost, is overloaded, or its disk is full or read-only. A retry may help;
	// a server answers 503.
	ErrUnavailable = errors.New("the database is not available")
	// ErrFull is the ErrUnavailable of a full disk.
	ErrFull = fmt.Errorf("%w: its disk is full", ErrUnavailable)
)
