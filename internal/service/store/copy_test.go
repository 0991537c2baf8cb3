//go:build unix

package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// furnish puts something into every table, and returns what can be read of it.
func furnish(t *testing.T, s *Store) func(*Store) map[string]any {
	t.Helper()
	ctx := t.Context()
	account, err := s.CreateAccount(ctx, ByCommand("test"), Account{Login: "ann", Role: RoleAdmin, Password: "$argon2id$x"})
	check(t, err)
	key, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("a"), Account: account.ID, Scopes: []Scope{ScopeBulk}, RatePerSecond: 0.5})
	check(t, err)
	rotated := someKey(t, s, "b")
	_, err = s.RotateKey(ctx, ByCommand("test"), rotated.ID, HashOf("c"), time.Now().Add(time.Hour))
	check(t, err)
	check(t, s.CreateSession(ctx, ByCommand("test"), Session{Hash: HashOf("cookie"), Account: account.ID, Expires: time.Now().Add(time.Hour)}))
	check(t, s.RememberNetwork(ctx, account.ID, "192.0.2.1/32"))
	check(t, s.CreateSetupToken(ctx, HashOf("token"), time.Now().Add(time.Hour)))
	_, err = s.Invite(ctx, ByCommand("test"), Invitation{Hash: HashOf("invited"), Login: "ben", Role: RoleViewer, Expires: time.Now().Add(time.Hour)})
	check(t, err)
	check(t, s.SetSetting(ctx, "keep", json.RawMessage(`"ü"`)))
	_, err = s.ReserveQuota(ctx, key.ID, time.Now(), 7, 100)
	check(t, err)
	webhook, err := s.AddWebhook(ctx, ByCommand("test"), someWebhook(key.ID))
	check(t, err)
	claimed, err := s.ClaimWebhooks(ctx, 1, 1, 1, time.Hour)
	check(t, err)
	check(t, s.SettleWebhook(ctx, claimed[0], WebhookTry{At: time.Now(), Status: 410, Answer: "gone"}, WebhookDisabled, time.Time{}))
	s.TouchKey(key.ID, time.Now())
	s.ScheduleRecheck(Recheck{Address: "r@example.com", RunAfter: time.Now(), GiveUp: time.Now().Add(time.Hour)})
	for i := range 1100 {
		s.PutVerdict(fmt.Sprint(i), Verdict{Result: []byte(`{"a":1}`), Reason: "x", Checked: time.Now(), Expires: time.Now().Add(time.Hour)})
		s.RecordUse(Use{Key: fmt.Sprint(i % 1050), At: time.Now(), Result: "unknown", Duration: time.Second})
	}
	check(t, s.Flush(ctx))
	join(t, s, "node")
	_, _, err = s.ClaimJobRequest(ctx, "node", JobRequest{Owner: "ann"}, time.Now().Add(time.Hour))
	check(t, err)
	job := someJob(t, s, "ann")
	settle(t, s, "node", settled(lease(t, s, BatchQuery{Job: job.ID, Node: "node", Limit: 1})[0]))
	return func(s *Store) map[string]any {
		read := map[string]any{}
		note := func(name string, value any, err error) {
			t.Helper()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			read[name] = value
		}
		keys, err := s.Keys(ctx)
		note("keys", keys, err)
		accounts, err := s.Accounts(ctx)
		note("accounts", accounts, err)
		_, signedIn, err := s.Session(ctx, HashOf("cookie"))
		note("session", signedIn, err)
		known, err := s.KnowsNetwork(ctx, "ann", "192.0.2.1/32")
		note("network", known, err)
		note("token", nil, s.CheckSetupToken(ctx, HashOf("token")))
		jobs, err := s.Jobs(ctx, JobQuery{})
		note("jobs", jobs, err)
		settings, err := s.Settings(ctx)
		note("settings", settings, err)
		used, err := s.QuotaUsed(ctx, key.ID, time.Now())
		note("quota", used, err)
		usage, err := s.Usage(ctx, UsageQuery{})
		note("usage", usage, err)
		verdict, err := s.Verdict(ctx, "1099")
		note("verdict", verdict, err)
		waiting, err := s.Rechecks(ctx)
		note("rechecks", waiting, err)
		sent, tries, err := s.Webhook(ctx, key.ID, webhook.ID)
		note("webhook", []any{sent, tries}, err)
		secret, err := s.WebhookSecret(ctx, key.ID)
		note("webhook secret", secret, err)
		return read
	}
}

func TestCopy(t *testing.T) {
	for _, engines := range [][2]engine{{sqliteEngine, sqliteEngine}, {sqliteEngine, postgresEngine}, {postgresEngine, sqliteEngine}} {
		t.Run(engines[0].name+" to "+engines[1].name, func(t *testing.T) {
			from, to := open(t, engines[0].empty(t)), open(t, engines[1].empty(t))
			read := furnish(t, from)
			done, err := Copy(t.Context(), from, to)
			check(t, err)
			for _, table := range done {
				if table.Rows == 0 {
					t.Errorf("nothing of %s was copied", table.Table)
				}
			}
			if diff := cmp.Diff(read(from), read(to), sameNetworks); diff != "" {
				t.Error("read from the copy:", diff)
			}
			_, err = Copy(t.Context(), from, to)
			wantError(t, err, ErrNotEmpty)
			if diff := cmp.Diff(read(from), read(to), sameNetworks); diff != "" {
				t.Error("after a copy that was refused:", diff)
			}
		})
	}
}

// TestEveryTableIsCopied fails when a migration adds a table that Copy does not
// know.
func TestEveryTableIsCopied(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		tables, err := collect(t.Context(), s.db.reader, func(row scanner) (string, error) {
			var name string
			err := row.Scan(&name)
			return name, err
		}, s.db.tables)
		check(t, err)
		slices.Sort(tables)
		// The schema and the processes that write belong to one database.
		want := append([]string{"migrations", "writers", "job_nodes"}, copied...)
		slices.Sort(want)
		if diff := cmp.Diff(want, tables); diff != "" {
			t.Error(diff)
		}
	})
}

// testBackupOver replaces a backup, and nothing else.
func testBackupOver(t *testing.T, o Options, database string) {
	t.Helper()
	folder := t.TempDir()
	night := filepath.Join(folder, "night.db")
	for range 3 {
		check(t, BackupOver(t.Context(), o, night))
	}
	letter, used, link := filepath.Join(folder, "letter"), filepath.Join(folder, "used.db"), filepath.Join(folder, "link.db")
	check(t, os.WriteFile(letter, []byte("Dear Ann, this is longer than the head of a database."), 0o600))
	check(t, Backup(t.Context(), o, used))
	check(t, os.WriteFile(used+"-wal", nil, 0o600))
	check(t, os.Symlink(night, link))
	for _, file := range []string{letter, used, link, folder, database} {
		before, _ := os.ReadFile(file)
		wantError(t, BackupOver(t.Context(), o, file), ErrExists)
		if after, _ := os.ReadFile(file); file != database && string(after) != string(before) {
			t.Errorf("%s was overwritten", file)
		}
	}
}

func TestBackup(t *testing.T) {
	s := open(t, sqliteEngine.empty(t))
	read := furnish(t, s)
	folder := t.TempDir()
	file := filepath.Join(folder, "rcpt.db")
	ctx, cancel := context.WithCancel(t.Context())
	writing := make(chan struct{})
	go func() { // everything goes on meanwhile
		defer close(writing)
		for i := 0; ctx.Err() == nil; i++ {
			_, _ = s.ReserveQuota(ctx, "busy", time.Now(), 1, 1<<40)
		}
	}()
	err := Backup(t.Context(), Options{DataDir: filepath.Dir(s.db.file)}, file)
	cancel()
	<-writing
	check(t, err)
	check(t, s.Backup(t.Context(), filepath.Join(t.TempDir(), "second")))
	wantError(t, s.Backup(t.Context(), file), ErrExists)
	left, err := os.ReadDir(folder)
	check(t, err)
	info, err := os.Stat(file)
	check(t, err)
	if len(left) != 1 || info.Mode().Perm() != 0o600 {
		t.Errorf("the folder of the backup has %v, mode %v", left, info.Mode())
	}
	if diff := cmp.Diff(read(s), read(open(t, Options{DataDir: folder})), sameNetworks); diff != "" {
		t.Error("read from the backup:", diff)
	}
	wantError(t, s.Backup(t.Context(), filepath.Join(folder, "none", "x")), os.ErrNotExist)
	testBackupOver(t, Options{DataDir: filepath.Dir(s.db.file)}, s.db.file)
	nothing := t.TempDir()
	wantError(t, Backup(t.Context(), Options{DataDir: nothing}, filepath.Join(folder, "x")), ErrNotFound)
	_, err = Open(t.Context(), Options{DataDir: nothing, MustExist: true})
	wantError(t, err, ErrNotFound)
	if left, _ := os.ReadDir(nothing); len(left) != 0 {
		t.Errorf("a folder without a database has %v now", left)
	}
}

func TestBackupOfPostgreSQL(t *testing.T) {
	s := open(t, postgresEngine.empty(t))
	if err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "x")); err == nil || !strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("%v", err)
	}
}
