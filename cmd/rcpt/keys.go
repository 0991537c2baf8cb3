package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

// keysCommand is "rcpt keys".
type keysCommand struct {
	Create keysCreateCommand `cmd:"" help:"Make an API key and print it, this once."`
	List   keysListCommand   `cmd:"" help:"Print the API keys and what they may do."`
	Revoke keysRevokeCommand `cmd:"" help:"Make API keys unusable for good."`
}

// keysFlags are common to the commands for keys.
type keysFlags struct {
	dataFlag
	databaseFlag
	JSON bool `name:"json" env:"-" help:"Print JSON."`
}

// withStore opens the database, which a server may be using, for as long as f runs.
func (c keysFlags) withStore(ctx context.Context, std terminal, logs *logFlags, mustExist bool, f func(*store.Store) error) (err error) {
	where, err := stateIn(c.dataFlag, c.databaseFlag)
	if err != nil {
		return err
	}
	where.Beside, where.MustExist, where.Log = true, mustExist, logs.logger(std.err, slog.LevelWarn)
	opened, err := store.Open(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return f(opened)
}

// keyRecord is a key as JSON. Of limits and times, what is absent is none.
type keyRecord struct {
	ID            string        `json:"id"`
	Key           string        `json:"key,omitempty"` // its text, when it is made
	Name          string        `json:"name"`
	State         string        `json:"state"`
	Account       string        `json:"account,omitempty"`
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
		ID: k.ID, Name: k.Name, State: keyState(k, now), Account: k.Account, Scopes: k.Scopes, RatePerSecond: k.RatePerSecond, Burst: keyring.BurstOf(k),
		Concurrency: k.Concurrency, Quota: k.MonthlyQuota, Created: k.Created, LastUsed: k.LastUsed, Expires: k.Expires, Revoked: k.Revoked,
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
	}
	return "active"
}
