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
	{KindDisposable, "mailinator.com", true},
	{KindDisposable, "guerrillamail.com", true},
	{KindDisposable, "yopmail.com", true},
	{KindDisposable, "gmail.com", false},
	{KindDisposable, "outlook.com", false},
	{KindDisposable, "yahoo.com", false},
	{KindDisposable, "icloud.com", false},
	{KindDisposable, "google.com", false},
	{KindDisposable, "co.uk", false},
	{KindFree, "gmail.com", true},
	{KindFree, "google.com", false},
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
