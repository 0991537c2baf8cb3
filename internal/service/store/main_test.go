//go:build unix

package store

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
		return
	}
	goleak.VerifyTestMain(tests{m})
}

// tests ends the cluster after them.
type tests struct{ *testing.M }

func (t tests) Run() int {
	code := t.M.Run()
	if shared.Cluster != nil {
		shared.Close()
	}
	return code
}

// shared is the cluster of all tests that do not harm it.
var shared struct {
	once sync.Once
	*storetest.Cluster
	err error
}

// engine makes empty databases.
type engine struct {
	name  string
	empty func(t testing.TB) Options
}

var sqliteEngine = engine{"sqlite", func(t testing.TB) Options { return Options{DataDir: t.TempDir()} }}

var postgresEngine = engine{"postgresql", func(t testing.TB) Options {
	t.Helper()
	shared.once.Do(func() { shared.Cluster, shared.err = storetest.New() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	if shared.Cluster == nil {
		t.Skip("SKIPPED: PostgreSQL is not installed (apt-get install postgresql)")
	}
	return Options{DatabaseURL: shared.Database(t)}
}}

// onEngines runs a test on each engine.
func onEngines(t *testing.T, test func(t *testing.T, o Options)) {
	for _, engine := range []engine{sqliteEngine, postgresEngine} {
		t.Run(engine.name, func(t *testing.T) { test(t, engine.empty(t)) })
	}
}

// open opens a store that is closed with the test.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), o)
	check(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t testing.TB, err, want error) {
	t.Helper()
	if err == nil || !isKind(err, want) {
		t.Fatalf("got error %v, want one that is %q", err, want)
	}
}

func newClock() *testkit.Clock {
	return testkit.NewClock(time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC))
}

// someKey stores a key.
func someKey(t testing.TB, s *Store, secret string) Key {
	t.Helper()
	key, err := s.CreateKey(t.Context(), ByCommand("test"), Key{Hash: HashOf(secret), Name: "a key", Scopes: []Scope{ScopeVerify}})
	check(t, err)
	return key
}

// together calls f in n goroutines and returns their errors.
func together(n int, f func(i int) error) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return errs
}

func noErrors(t testing.TB, errs []error) {
	t.Helper()
	for i, err := range errs {
		if err != nil {
			t.Fatal(fmt.Sprint(i), err)
		}
	}
}
