package soak

import (
	"errors"
	"fmt"
	"sync"
)

// maxFaults is how many faults are printed: one cause often makes thousands.
const maxFaults = 40

// faults collects what went wrong.
type faults struct {
	mu    sync.Mutex
	list  []error
	count int
}

func (f *faults) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count++; len(f.list) < maxFaults {
		f.list = append(f.list, fmt.Errorf(format, args...))
	}
}

// err is all that went wrong; nil: nothing.
func (f *faults) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if more := f.count - len(f.list); more > 0 {
		return errors.Join(append(f.list, fmt.Errorf("and %d faults more", more))...)
	}
	return errors.Join(f.list...)
}
