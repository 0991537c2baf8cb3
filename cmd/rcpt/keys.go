package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

// keysCommand is "rcpt keys".
type keysCommand struct {
	Create keysCreateCommand `cmd:"" help:"Create an API key and print it once."`
	List   keysListCommand   `cmd:"" help:"List the API keys with their limits."`
	Edit   keysEditCommand   `cmd:"" help:"Change the name, scopes, limits or expiry of an API key."`
	Rotate keysRotateCommand `cmd:"" help:"Create an API key in place of one that ends by itself after a while."`
	Revoke keysRevokeCommand `cmd:"" help:"Revoke API keys for good."`
}

// keysFlags are common to the commands for keys.
type keysFlags struct {
	dataFlag
	databaseFlag
	JSON bool `name:"json" env:"-" help:"Print JSON."`
}

// withStore opens the database, which a server may be using, for as long as f
// runs.
func (c keysFlags) withStore(ctx context.Context, std terminal, logs *logFlags, mustExist bool, f func(*store.Store) error) (err error) {
	where, err := stateIn(c.dataFlag, c.databaseFlag)
	if err != nil {
		return err
	}
	where.Beside, where.MustExist, where.Log = true, mustExist, logs.logger(std.err, slog.LevelWarn)
	opened, err := store.Open(ctx, where)
	if mustExist && errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%s %w: name the folder of the server with --data DIR or RCPT_DATA (%s under systemd), "+
			"or run this command in its container (docker exec)", where.DataDir, errNoDatabase, systemdData)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return f(opened)
}

// errNoDatabase is the error of a folder in which there are no keys.
var errNoDatabase = errors.New("has no database (rcpt.db)")

// place names the database, without a password.
func (c keysFlags) place() string {
	if c.Database == "" {
		return filepath.Join(c.folder(), "rcpt.db")
	}
	address, err := url.Parse(c.Database)
	if err != nil {
		return "PostgreSQL"
	}
	return "postgres://" + address.Host + address.Path
}

// systemdData is the data folder of deploy/systemd/rcpt.service.
const systemdData = "/var/lib/rcpt"

// keyRecord is a key as JSON. Of limits and times, what is absent is none.
type keyRecord struct {
	ID            string        `json:"id"`
	Key           string        `json:"key,omitempty"` // its text, when it is made
	Name          string        `json:"name"`
	State         string        `json:"state"`
	Account       string        `json:"account,omitempty"`
	Replaces      string        `json:"replaces,omitempty"` // the ID of the key that it was made to replace
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
		ID: k.ID, Name: k.Name, State: keyState(k, now), Account: k.Account, Replaces: k.Replaces, Scopes: k.Scopes, RatePerSecond: k.RatePerSecond, Burst: keyring.BurstOf(k),
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

// keysListCommand is "rcpt keys list".
type keysListCommand struct{ keysFlags }

// Run prints the keys, the oldest first.
func (c *keysListCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
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

// recordWithQuota is the key with what is used of its quota this month.
func recordWithQuota(ctx context.Context, s *store.Store, key store.Key, now time.Time) (keyRecord, error) {
	record := recordOf(key, now)
	if key.MonthlyQuota == 0 {
		return record, nil
	}
	used, err := s.QuotaUsed(ctx, key.ID, now)
	record.QuotaUsed = &used
	return record, err
}

// writeKeys shows keys to a person.
func writeKeys(w io.Writer, records []keyRecord) error {
	if len(records) == 0 {
		_, err := fmt.Fprintln(w, "There are no keys. Make one with: rcpt keys create --name NAME")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tSTATE\tSCOPES\tLIMITS\tQUOTA\tLAST USED\tEXPIRES")
	for _, r := range records {
		scopes := make([]string, len(r.Scopes))
		for i, scope := range r.Scopes {
			scopes[i] = string(scope)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, orDash(r.Name), r.State, orDash(strings.Join(scopes, ",")), orDash(r.limits()),
			orDash(r.quota()), orDash(minuteOf(r.LastUsed)), orDash(minuteOf(r.Expires)))
	}
	return table.Flush()
}

func (r keyRecord) limits() string {
	var limits []string
	if r.RatePerSecond > 0 {
		limits = append(limits, keyring.RateText(r.RatePerSecond)+", "+strconv.Itoa(r.Burst)+" at once")
	}
	if r.Concurrency > 0 {
		limits = append(limits, strconv.Itoa(r.Concurrency)+" at a time")
	}
	if len(r.Networks) > 0 {
		limits = append(limits, "from "+strings.Join(r.Networks, " "))
	}
	return strings.Join(limits, ", ")
}

func (r keyRecord) quota() string {
	if r.QuotaUsed == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d", *r.QuotaUsed, r.Quota)
}

func minuteOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02 15:04")
}
