package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/service"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// forgetCommand is "rcpt forget".
type forgetCommand struct {
	keysFlags
	Addresses []string `arg:"" name:"address" help:"Addresses to erase; or - to read them from standard input, an address or a JSON object with \"email\" per line."`
}

// forgetKinds are the kinds of what is erased, in the order in which they are
// printed.
var forgetKinds = []struct{ name, text string }{
	{"rows", "rows of lists emptied"},
	{"cells", "cells emptied in other rows of lists"},
	{"results", "results in lists, or suggestions in those of others"},
	{"not_asked", "addresses of lists that will not be asked about"},
	{"drafts", "lists deleted that waited to be started"},
	{"verdicts", "remembered results"},
	{"rechecks", "re-checks of greylisted addresses"},
	{"webhooks", "webhooks deleted"},
	{"webhook_tries", "answers to webhooks"},
	{"webhook_urls", "URLs for webhooks"},
	{"list_names", "names of lists"},
	{"list_mails", "addresses for mail about the end of a list"},
}

// Run erases addresses and prints how much of them there was.
func (c *forgetCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	addresses, err := c.given(std.in)
	if err != nil {
		return err
	}
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		said := store.Event{What: rows.AddressesForgotten, Detail: fmt.Sprint(len(addresses))}
		if err := s.RecordEvent(ctx, operator(), said); err != nil {
			return err
		}
		done, err := service.Forget(ctx, s, addresses)
		if err != nil {
			return fmt.Errorf("not everything is forgotten, run the command again: %w", err)
		}
		if err := c.print(std.out, done); err != nil {
			return err
		}
		return leftError(done)
	})
}

// given are the addresses as they are in lists.
func (c *forgetCommand) given(stdin io.Reader) (all []string, err error) {
	lines, err := linesOf(c.Addresses, stdin)
	if err != nil {
		return nil, err
	}
	for line := range lines {
		one := address.Clean(line.Address).Address
		if _, err := address.Read(one); line.Err != nil || err != nil {
			return nil, usage(fmt.Errorf("%q is no address: %w", line.Address, errors.Join(line.Err, err)))
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, usage(errors.New("there is no address"))
	}
	return all, nil
}

// forgottenRecord is what was erased as JSON.
type forgottenRecord struct {
	Erased   map[string]int64 `json:"erased"`
	Lists    int64            `json:"lists"`
	Left     []store.Mention  `json:"left,omitempty"`
	Arriving []string         `json:"arriving,omitempty"`
	Unread   []string         `json:"unread,omitempty"`
}

func (c *forgetCommand) print(w io.Writer, f service.Forgotten) error {
	if c.JSON {
		r := forgottenRecord{f.Erased, f.Lists, f.Left, f.Arriving, nil}
		for id := range f.Unread {
			r.Unread = append(r.Unread, id)
		}
		slices.Sort(r.Unread)
		return newEncoder(w).Encode(r)
	}
	var text strings.Builder
	for _, kind := range forgetKinds {
		if n := f.Erased[kind.name]; n > 0 {
			fmt.Fprintf(&text, "%8d  %s\n", n, kind.text)
		}
	}
	if text.Len() == 0 {
		text.WriteString("Nothing was stored.\n")
	}
	text.WriteString("The files of the database are written anew. Backups are not changed.\n")
	_, err := io.WriteString(w, text.String())
	return err
}

// leftAdvice says how people change what a table has.
var leftAdvice = map[string]string{
	"accounts":    "rcpt accounts remove, or leave it, if the account is needed",
	"invitations": "it is deleted when it expires",
	"api_keys":    "rcpt keys edit --name",
	"settings":    "it is kept for --mail-from",
}

// leftError says what is left, and what to do about it.
func leftError(f service.Forgotten) error {
	var errs []error
	for _, m := range f.Left {
		const format = "the %s of %s in the table %s mentions it still: %s"
		advice := cmp.Or(leftAdvice[m.Table], "change it")
		errs = append(errs, fmt.Errorf(format, m.Column, cmp.Or(m.ID, "a row"), m.Table, advice))
	}
	for _, id := range f.Arriving {
		errs = append(errs, fmt.Errorf("the list %s was arriving: run the command again", id))
	}
	for id, err := range f.Unread {
		const format = "the list %[1]s cannot be searched, delete it (rcpt jobs delete %[1]s): %[2]w"
		errs = append(errs, fmt.Errorf(format, id, err))
	}
	return errors.Join(errs...)
}
