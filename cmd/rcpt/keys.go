package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
)

// keysCommand is "rcpt keys".
type keysCommand struct {
	Create keysCreateCommand `cmd:"" help:"Create an API key and print it."`
	List   keysListCommand   `cmd:"" help:"List the API keys with their limits."`
	Edit   keysEditCommand   `cmd:"" help:"Change the name, scopes, limits or expiry of an API key."`
	Rotate keysRotateCommand `cmd:"" help:"Create a new API key in place of another, which then expires."`
	Revoke keysRevokeCommand `cmd:"" help:"Revoke API keys permanently."`
}

// keysFlags are common to the commands for keys.
type keysFlags struct {
	settings.DataFlag
	settings.DatabaseFlag
	JSON bool `name:"json" env:"-" help:"Print JSON."`
}

// withStore calls f with the database open. A server may be using it.
func (c keysFlags) withStore(ctx context.Context, std terminal, logs *settings.LogFlags, mustExist bool,
	f func(*store.Store) error) (err error) {
	where, err := settings.StateIn(c.DataFlag, c.DatabaseFlag)
	if err != nil {
		return err
	}
	where.Beside, where.MustExist, where.Log = true, mustExist, logs.Logger(std.err, slog.LevelWarn)
	opened, err := store.Open(ctx, where)
	if err != nil {
		return databaseError(err, where)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return f(opened)
}

// place names the database, without a password.
func (c keysFlags) place() string {
	if c.Database == "" {
		return filepath.Join(c.Folder(), "rcpt.db")
	}
	address, err := url.Parse(c.Database)
	if err != nil {
		return "PostgreSQL"
	}
	return "postgres://" + address.Host + address.Path
}

// keyRecord is a key as JSON. An absent limit or time means none.
type keyRecord struct {
	ID            string        `json:"id"`
	Key           string        `json:"key,omitempty"` // only when it is created
	Name          string        `json:"name"`
	State         string        `json:"state"`
	Test          bool          `json:"test,omitempty"` // a test key
	Account       string        `json:"account,omitempty"`
	Replaces      string        `json:"replaces,omitempty"` // ID of the key that this one replaces
	Scopes        []store.Scope `json:"scopes"`
	RatePerSecond float64       `json:"rate_per_second,omitempty"`
	Burst         int           `json:"burst,omitempty"`
	Concurrency   int           `json:"concurrency,omitempty"`
	Quota         int64         `json:"quota,omitempty"`
	QuotaUsed     *int64        `json:"quota_used,omitempty"` // this month, or reserved
	Networks      []string      `json:"networks,omitempty"`
	Created       time.Time     `json:"created"`
	LastUsed      time.Time     `json:"last_used,omitzero"`
	Expires       time.Time     `json:"expires,omitzero"`
	Revoked       time.Time     `json:"revoked,omitzero"`
}

func recordOf(k store.Key, now time.Time) keyRecord {
	r := keyRecord{
		ID: k.ID, Name: k.Name, State: keyState(k, now), Test: k.Test, Account: k.Account,
		Replaces: k.Replaces, Scopes: k.Scopes,
		RatePerSecond: k.RatePerSecond, Burst: keyring.BurstOf(k), Concurrency: k.Concurrency, Quota: k.MonthlyQuota,
		Created: k.Created, LastUsed: k.LastUsed, Expires: k.Expires, Revoked: k.Revoked,
	}
	for _, network := range k.Networks {
		r.Networks = append(r.Networks, network.String())
	}
	return r
}

func keyState(k store.Key, now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked"
	case !k.Usable(now):
		return "expired"
	case k.Idle:
		return "idle"
	}
	return "active"
}

// keysListCommand is "rcpt keys list".
type keysListCommand struct{ keysFlags }

// Run prints the keys, the oldest first.
func (c *keysListCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		records, err := keyRecords(ctx, s, time.Now())
		if err != nil {
			return err
		}
		if !c.JSON {
			return writeKeys(std.out, records)
		}
		encoder := newEncoder(std.out)
		for _, record := range records {
			if err := encoder.Encode(record); err != nil {
				return err
			}
		}
		return nil
	})
}

func keyRecords(ctx context.Context, s *store.Store, now time.Time) ([]keyRecord, error) {
	keys, err := s.Keys(ctx)
	if err != nil {
		return nil, err
	}
	records := make([]keyRecord, 0, len(keys))
	for _, key := range keys {
		record, err := recordWithQuota(ctx, s, key, now)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}

// recordWithQuota is recordOf with the part of the quota used this month.
func recordWithQuota(ctx context.Context, s *store.Store, key store.Key, now time.Time) (keyRecord, error) {
	record := recordOf(key, now)
	if key.MonthlyQuota == 0 {
		return record, nil
	}
	used, err := s.QuotaUsed(ctx, key.ID, now)
	record.QuotaUsed = &used
	return record, err
}

// Widths of the text that writeKeys prints.
const (
	longestName = 24 // a longer name is cut; --json shows all of it
	limitsWidth = 92
)

// writeKeys prints keys as text of at most 100 columns: a line for each key,
// and indented below it what the key allows.
func writeKeys(w io.Writer, records []keyRecord) error {
	if len(records) == 0 {
		_, err := fmt.Fprintln(w, "There are no keys. Create one with: rcpt keys create --name NAME")
		return err
	}
	width, idWidth := len("NAME"), len("key_")+20
	for _, r := range records {
		idWidth = max(idWidth, len(r.ID))
		width = max(width, utf8.RuneCountInString(shortName(r.Name)))
	}
	var text strings.Builder
	row := func(id, name, state, used, expires string) {
		fmt.Fprintf(&text, "%-*s  %-*s  %-7s  %-16s  %s\n", idWidth, id, width, name, state, used, expires)
	}
	row("ID", "NAME", "STATE", "LAST USED", "EXPIRES")
	for _, r := range records {
		row(r.ID, shortName(r.Name), r.State, orDash(minuteOf(r.LastUsed)), orDash(minuteOf(r.Expires)))
		for line := range wrapped(r.allows(), limitsWidth) {
			fmt.Fprintf(&text, "    %s\n", line)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func shortName(name string) string {
	runes := []rune(orDash(name))
	if len(runes) > longestName {
		return string(runes[:longestName-1]) + "…"
	}
	return string(runes)
}

// allows returns what is known of a key and its limits as text.
func (r keyRecord) allows() []string {
	parts := make([]string, 0, len(r.Scopes))
	for _, scope := range r.Scopes {
		parts = append(parts, string(scope))
	}
	parts = []string{strings.Join(parts, ", ")}
	if r.Test {
		parts = append(parts, "test key: asks nobody")
	}
	if r.RatePerSecond > 0 {
		parts = append(parts, keyring.RateText(r.RatePerSecond)+", "+strconv.Itoa(r.Burst)+" at once")
	}
	if r.Concurrency > 0 {
		parts = append(parts, strconv.Itoa(r.Concurrency)+" at a time")
	}
	if r.QuotaUsed != nil {
		parts = append(parts, fmt.Sprintf("%d of %d this month", *r.QuotaUsed, r.Quota))
	}
	for _, network := range r.Networks {
		parts = append(parts, "from "+network)
	}
	parts = append(parts, "created "+r.Created.Format(time.DateOnly))
	if r.Replaces != "" {
		parts = append(parts, "replaces "+r.Replaces)
	}
	return parts
}

// wrapped yields lines of parts with semicolons between them. A line is longer
// than width only if one part is.
func wrapped(parts []string, width int) iter.Seq[string] {
	return func(yield func(string) bool) {
		line := ""
		for i, part := range parts {
			if i < len(parts)-1 {
				part += ";"
			}
			if line != "" && len(line)+len(" ")+len(part) > width {
				if !yield(line) {
					return
				}
				line = ""
			}
			line = strings.TrimPrefix(line+" "+part, " ")
		}
		yield(line)
	}
}

func minuteOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02 15:04")
}
