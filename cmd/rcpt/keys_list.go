package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

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
