package main

import (
	"cmp"
	"os"
	"os/user"

	"github.com/rcpt/rcpt/internal/service/store"
)

// operator is who runs the command, for the events of what it changes: the user
// of the operating system, and behind sudo the one who called it.
func operator() store.Actor {
	name := os.Getenv("SUDO_USER")
	if current, err := user.Current(); err == nil {
		name = cmp.Or(name, current.Username)
	}
	return store.ByCommand(name)
}
