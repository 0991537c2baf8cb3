// Package resume says why a journal of package bulk cannot be continued: to the
// command, which explains it in the words of its flags.
package resume

import (
	"errors"
	"fmt"
)

// ErrChanged is bulk.ErrJournalChanged.
var ErrChanged = errors.New("a condition has changed since the journal was begun")

// ChangedError reports the condition that has changed. It wraps [ErrChanged].
type ChangedError struct {
	Condition string // its name
	Then, Now string // empty: there was no such condition
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s has changed since the journal was begun", e.Condition)
}

func (e *ChangedError) Unwrap() error { return ErrChanged }
