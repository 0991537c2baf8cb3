package lists

import (
	"errors"
	"fmt"
)

// canaries are names that every edition must have, or must never have.
var canaries = []struct {
	list Kind
	name string
	want bool
}{
	{Disposable, "mailinator.com", true},
	{Disposable, "guerrillamail.com", true},
	{Disposable, "yopmail.com", true},
	{Disposable, "gmail.com", false},
	{Disposable, "outlook.com", false},
	{Disposable, "yahoo.com", false},
	{Disposable, "icloud.com", false},
	{Disposable, "google.com", false},
	{Disposable, "co.uk", false},
	{Free, "gmail.com", true},
	{Free, "google.com", false},
}

// checkCanaries refuses an edition in which something has gone badly wrong.
func (b *Bundle) checkCanaries() error {
	s := b.set()
	for _, c := range canaries {
		if got := s.lists(s.domains, c.name, c.list); got != c.want {
			const text = "bundle of lists is not to be trusted: %s in %s: %t, should be %t"
			return fmt.Errorf(text, c.name, c.list, got, c.want)
		}
	}
	if !s.words.Has("postmaster") {
		return errors.New("bundle of lists cannot be trusted: postmaster is not in role")
	}
	return nil
}
