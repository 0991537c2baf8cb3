//go:build unix

package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// childVariable has the options of a store, for a process that writes to it
// until it is killed.
const childVariable = "RCPT_STORE_TEST_CHILD"

// acknowledged is what a process was told is stored.
type acknowledged struct {
	created  map[string]bool
	revoked  map[string]bool
	reserved int64
	used     int64 // uses that it has recorded, which it is not told are stored
	stored   int64 // uses that it has read
}

// child creates keys, revokes some, reserves quota and counts uses, and prints
// a line for each after it was acknowledged.
func child() {
	var o Options
	if err := json.Unmarshal([]byte(os.Getenv(childVariable)), &o); err != nil {
		panic(err)
	}
	s, err := Open(context.Background(), o)
	if err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	var mu sync.Mutex
	say := func(what string, value any, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			fmt.Println(what, value)
		}
	}
	ctx := context.Background()
	for caller := range 3 {
		go func() {
			for i := 0; ; i++ {
				key, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf(fmt.Sprint(os.Getpid(), caller, i))})
				say("created", key.ID, err)
				if i%2 == 0 && err == nil {
					say("revoked", key.ID, s.RevokeKey(ctx, ByCommand("test"), key.ID))
				}
			}
		}()
	}
	go func() {
		for {
			s.RecordUse(Use{Key: "used", At: time.Now()})
			say("used", 1, nil)
			time.Sleep(time.Millisecond)
		}
	}()
	go func() {
		for {
			stored, err := usesStored(ctx, s)
			say("stored", stored, err)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	for {
		r, err := s.ReserveQuota(ctx, "quota", time.UnixMilli(0), 3, 1<<40)
		say("reserved", r.Units, err)
	}
}

// startChild starts a process that writes to a store without a pause. It tells
// what it has acknowledged.
func startChild(t *testing.T, o Options) (cmd *exec.Cmd, acknowledged *bufio.Scanner) {
	t.Helper()
	options, err := json.Marshal(map[string]any{"DataDir": o.DataDir, "DatabaseURL": o.DatabaseURL})
	check(t, err)
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(options))
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

// usesStored counts the uses that are stored.
func usesStored(ctx context.Context, s *Store) (count int64, err error) {
	all, err := s.Usage(ctx, UsageQuery{})
	for _, row := range all {
		count += row.Count
	}
	return count, err
}

// lateUses are as many as a child records in ten seconds at least.
const lateUses = 10_000

// killed runs a child and kills it after it has acknowledged so many things
// and, if it is to store uses, has read some that were not there before.
func killed(t *testing.T, o Options, after int, stores bool, a *acknowledged) {
	t.Helper()
	cmd, lines := startChild(t, o)
	stored, used, done := a.stored, a.used, false
	for n := 0; lines.Scan(); n++ {
		a.note(t, lines.Text())
		late := a.used-used > lateUses
		if n >= after && !done && (!stores || a.stored > stored || late) {
			if done = true; stores && late {
				t.Errorf("of %d uses none is stored", a.used-used)
			}
			check(t, cmd.Process.Kill())
		}
	}
	_ = cmd.Wait()
	if !done {
		t.Fatal("the process ended before it was killed")
	}
}

func (a *acknowledged) note(t *testing.T, line string) {
	what, value, whole := strings.Cut(line, " ")
	if !whole {
		return // cut off by the kill
	}
	number, _ := strconv.ParseInt(value, 10, 64)
	switch what {
	case "created":
		a.created[value] = true
	case "revoked":
		a.revoked[value] = true
	case "reserved":
		a.reserved += number
	case "used":
		a.used++
	case "stored":
		a.stored = max(a.stored, number)
	default:
		t.Fatal(line)
	}
}

// TestKill kills a process that writes, several times, and looks whether what
// it had acknowledged is there, and the uses that it had read.
func TestKill(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		a := acknowledged{created: map[string]bool{}, revoked: map[string]bool{}}
		rounds := []bool{false, false, false, true}
		if os.Getenv("TEST_CRASH") == "large" {
			rounds = slices.Repeat(rounds, 5)
		}
		for round, stores := range rounds {
			killed(t, o, 50+round%4*130, stores, &a)
		}
		s := open(t, o)
		keys, err := s.Keys(t.Context())
		check(t, err)
		revoked := map[string]bool{}
		for _, key := range keys {
			delete(a.created, key.ID)
			revoked[key.ID] = !key.Revoked.IsZero()
		}
		for id := range a.revoked {
			if !revoked[id] {
				t.Errorf("the revocation of %s is lost", id)
			}
		}
		used, err := s.QuotaUsed(t.Context(), "quota", time.UnixMilli(0))
		check(t, err)
		counted, err := usesStored(t.Context(), s)
		check(t, err)
		t.Logf("%d keys, %d revocations, %d units of %d acknowledged, %d uses of %d, %d of them seen",
			len(keys), len(a.revoked), used, a.reserved, counted, a.used, a.stored)
		checkEvents(t, s, keys)
		if len(a.created) > 0 || used < a.reserved || counted < a.stored || counted > a.used+4 { // the last of each round may be unsaid
			t.Errorf("lost: keys %v, units %d, uses %d", a.created, a.reserved-used, a.stored-counted)
		}
	})
}

// checkEvents demands one event for each key that was made and each that was
// revoked, and no other.
func checkEvents(t *testing.T, s *Store, keys []Key) {
	t.Helper()
	left := map[string]int{}
	for _, e := range allEvents(t, s) {
		left[string(e.What)+" "+e.Object]++
	}
	for _, key := range keys {
		left["key.created "+key.ID]--
		if !key.Revoked.IsZero() {
			left["key.revoked "+key.ID]--
		}
	}
	for what, n := range left {
		if n != 0 {
			t.Errorf("%s: %+d events", what, n)
		}
	}
}

// patientKey is someKey for a machine on which a process that writes without a
// pause leaves others no turn for ten seconds: the error says that trying again
// may help.
func patientKey(t *testing.T, s *Store, secret string) Key {
	t.Helper()
	for {
		key, err := s.CreateKey(t.Context(), ByCommand("test"), Key{Hash: HashOf(secret), Name: "a key", Scopes: []Scope{ScopeVerify}})
		if errors.Is(err, ErrUnavailable) {
			continue
		}
		check(t, err)
		return key
	}
}

// TestBesideAnotherProcess makes keys and a backup while another process writes
// all the time.
func TestBesideAnotherProcess(t *testing.T) {
	o := sqliteEngine.empty(t)
	cmd, lines := startChild(t, o)
	began, drained := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(drained)
		for n := 0; lines.Scan(); n++ {
			if n == 5 {
				close(began)
			}
		}
	}()
	<-began
	_, err := Open(t.Context(), o)
	wantError(t, err, ErrLocked)
	if !strings.Contains(err.Error(), fmt.Sprintf("process %d", cmd.Process.Pid)) {
		t.Errorf("the error does not name the process: %v", err)
	}
	o.Beside = true
	s := open(t, o)
	slowest := time.Duration(0)
	var made []Key
	for i := range 20 {
		start := time.Now()
		made = append(made, patientKey(t, s, fmt.Sprint("beside", i)))
		slowest = max(slowest, time.Since(start))
	}
	t.Logf("slowest key beside a busy process: %v", slowest)
	folder := t.TempDir()
	check(t, Backup(t.Context(), Options{DataDir: o.DataDir}, folder+"/"+databaseName))
	check(t, s.Close())
	check(t, cmd.Process.Kill())
	<-drained
	_ = cmd.Wait()
	for _, where := range []string{o.DataDir, folder} {
		restored := open(t, Options{DataDir: where})
		for _, key := range made {
			if _, err := restored.Key(t.Context(), key.ID); err != nil {
				t.Errorf("%s: %v", where, err)
			}
		}
	}
}
