//go:build unix

package store

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestStolenFolder reads the files of a data folder, and a backup of it, as a
// thief would: no secret is in them, and no address that nobody waits for.
func TestStolenFolder(t *testing.T) {
	folder, now := t.TempDir(), newClock()
	s, ctx := open(t, Options{DataDir: folder, Now: now.Now}), t.Context()
	const key, cookie, link = "rcpt_the-text-of-a-key", "the-text-of-a-session", "the-text-of-a-link"
	const remembered, waiting, settled = "remembered@acme.example", "waiting@acme.example", "settled@acme.example"

	check(t, s.CreateSetupToken(ctx, HashOf(link), now.Now().Add(time.Hour)))
	account, err := s.SetUp(ctx, HashOf(link), Account{Login: "ada", Password: "$argon2id$"})
	check(t, err)
	check(t, s.CreateSession(ctx, ByCommand("test"), Session{Hash: HashOf(cookie), Account: account.ID, Expires: now.Now().Add(time.Hour)}))
	_, err = s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf(key), Name: "shop"})
	check(t, err)
	s.PutVerdict(remembered, Verdict{Result: []byte("{}"), Checked: now.Now(), Expires: now.Now().Add(time.Hour)})
	s.ScheduleRecheck(Recheck{Address: settled, Egress: "direct", RunAfter: now.Now(), GiveUp: now.Now().Add(time.Hour)})
	check(t, s.Flush(ctx))
	claimed, err := s.ClaimRechecks(ctx, "direct", 1, time.Minute)
	check(t, err)
	check(t, s.FinishRecheck(ctx, claimed[0]))
	s.ScheduleRecheck(Recheck{Address: waiting, Egress: "direct", RunAfter: now.Now(), GiveUp: now.Now().Add(time.Hour)})
	check(t, s.Flush(ctx))
	check(t, s.Purge(ctx))
	check(t, s.Backup(ctx, filepath.Join(folder, "backup.db")))

	all := everythingIn(t, folder)
	for _, secret := range []string{key, cookie, link, remembered, settled} {
		if bytes.Contains(all, []byte(secret)) {
			t.Errorf("%q can be read", secret)
		}
	}
	if !bytes.Contains(all, []byte(waiting)) {
		t.Error("what waits cannot be read: does this test look in the right place?")
	}
}

// everythingIn is what the files of a folder hold.
func everythingIn(t *testing.T, folder string) (all []byte) {
	t.Helper()
	check(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(all, text...)
		return err
	}))
	return all
}
