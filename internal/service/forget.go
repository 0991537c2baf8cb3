package service

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rcpt/rcpt/internal/mention"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/verdictcache"
)

// Forgotten is what [Forget] has erased, and what is left.
type Forgotten struct {
	Erased map[string]int64 // by kind: see docs/privacy.md
	Lists  int64            // that it was erased from
	// Left are texts that mention an address still, because people have to
	// choose others: logins, names of keys, settings.
	Left []store.Mention
	// Arriving are lists that were not complete yet, and Unread those that are
	// damaged, with the reason.
	Arriving []string
	Unread   map[string]error
}

// forgetAgain is more than the time until a server has heard that it is to drop
// what it remembers, and has committed what it had to write before that.
const forgetAgain = time.Second

// Forget erases addresses from the state of a service, which may be running: on
// other machines, too. It may be repeated; that is how one goes on that was
// interrupted. After it, no file of the database has them, but for what is
// Left, and PostgreSQL's log until it is overwritten.
func Forget(ctx context.Context, s *store.Store, addresses []string) (f Forgotten, err error) {
	who, err := mention.Of(addresses)
	if err != nil {
		return f, err
	}
	if f.Erased, err = s.ForgetTexts(ctx, who, spellings(addresses)); err != nil {
		return f, err
	}
	begun := time.Now()
	lists, err := jobs.Forget(ctx, s, who)
	if err != nil {
		return f, err
	}
	f.Lists, f.Arriving, f.Unread = lists.Lists, lists.Arriving, lists.Failed
	select {
	case <-time.After(time.Until(begun.Add(forgetAgain))):
	case <-ctx.Done():
		return f, ctx.Err()
	}
	more, err := s.ForgetTexts(ctx, who, spellings(slices.AppendSeq(addresses, maps.Keys(lists.Spellings))))
	for kind, n := range more {
		f.Erased[kind] += n
	}
	for kind, n := range map[string]int64{
		"rows": lists.Rows, "cells": lists.Cells, "results": lists.Results, "not_asked": lists.NotAsked,
		"drafts": lists.Drafts,
	} {
		f.Erased[kind] += n
	}
	if err = cmp.Or(err, s.Scrub(ctx)); err != nil {
		return f, err
	}
	f.Left, err = s.Mentioned(ctx, who)
	return f, err
}

// spellings are the forms under which the verdicts of addresses may be
// remembered: their hashes do not say how they were written.
func spellings(addresses []string) (all []string) {
	for _, a := range addresses {
		at := strings.LastIndexByte(a, '@')
		local, domain := a[:at], a[at:]
		_, size := utf8.DecodeRuneInString(local)
		for _, form := range []string{
			local, strings.ToLower(local), strings.ToUpper(local),
			strings.ToUpper(local[:size]) + strings.ToLower(local[size:]),
		} {
			if key, ok := verdictcache.Key(form + domain); ok && !slices.Contains(all, key) {
				all = append(all, key)
			}
		}
	}
	return all
}
