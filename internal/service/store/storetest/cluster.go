//go:build unix

package storetest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// binaries are where Debian, Red Hat and others put the programs that are not
// for users.
var binaries = []string{
	"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin",
}

// startTimeout is for a machine with much else to do.
const startTimeout = time.Minute

// Cluster is a running PostgreSQL.
type Cluster struct {
	programs string
	folder   string // the cluster's files and its socket
	owner    *syscall.Credential
	server   *exec.Cmd
	names    atomic.Int64
}

// Start makes a cluster that ends with the test.
func Start(t testing.TB) *Cluster {
	t.Helper()
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("SKIPPED: PostgreSQL is not installed (apt-get install postgresql)")
	}
	t.Cleanup(c.Close)
	return c
}

// New makes a cluster for the caller to close. It is nil where PostgreSQL is
// not installed.
func New() (*Cluster, error) {
	programs := installed()
	if programs == "" {
		return nil, nil
	}
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "rcpt-pg-") // short, because the path of a socket must be
	if err != nil {
		return nil, err
	}
	c := &Cluster{programs: programs, folder: folder, owner: owner}
	if err := c.initialize(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// installed returns the folder with the programs of the latest version, or an
// empty string.
func installed() string {
	for _, pattern := range binaries {
		found, _ := filepath.Glob(filepath.Join(pattern, "initdb"))
		slices.Sort(found)
		if len(found) > 0 {
			return filepath.Dir(found[len(found)-1])
		}
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

// unprivileged returns whom the server runs as when we are root, which it
// refuses to be.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if account, err := user.Lookup(name); err == nil {
			uid, _ := strconv.ParseUint(account.Uid, 10, 32)
			gid, _ := strconv.ParseUint(account.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, fmt.Errorf("storetest: there is no user postgres or nobody to run PostgreSQL as")
}

func (c *Cluster) initialize() error {
	if c.owner != nil {
		if err := os.Chown(c.folder, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			return err
		}
	}
	initdb := c.command("initdb", "--pgdata", c.data(), "--username", "rcpt", "--auth", "trust",
		"--encoding", "UTF8", "--no-sync")
	out, err := initdb.CombinedOutput()
	if err != nil {
		return fmt.Errorf("storetest: initdb: %w: %s", err, out)
	}
	return c.Resume()
}

// Checkpoint has the server write to its files what it has in memory, and
// remove its log up to there.
func (c *Cluster) Checkpoint(t testing.TB) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range []string{`SELECT pg_switch_wal()`, `CHECKPOINT`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// Files is the folder with all files of the cluster.
func (c *Cluster) Files() string { return c.data() }

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

func (c *Cluster) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.programs, program), args...)
	cmd.Dir = c.folder
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.SysProcAttr = dyingWithUs(c.owner)
	return cmd
}

// Resume starts the server, again after Halt, and waits until it answers.
func (c *Cluster) Resume() error {
	c.server = c.command("postgres", "-D", c.data(), "-k", c.folder, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "shared_buffers=16MB", "-c", "max_connections=100", "-c", "wal_recycle=off",
		"-c", "log_min_messages=panic")
	c.server.Stderr = nil
	if err := c.server.Start(); err != nil {
		return fmt.Errorf("storetest: postgres: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.url("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("storetest: postgres does not start: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Halt ends the server at once, with all its connections; the databases stay.
func (c *Cluster) Halt() {
	if c.server == nil || c.server.Process == nil {
		return
	}
	_ = c.server.Process.Signal(syscall.SIGINT) // "fast shutdown"
	_ = c.server.Wait()
	c.server = nil
}

// Close ends the server and deletes its files.
func (c *Cluster) Close() {
	c.Halt()
	_ = os.RemoveAll(c.folder)
}

func (c *Cluster) url(database string) string {
	query := url.Values{"host": {c.folder}, "sslmode": {"disable"}}
	return "postgres://rcpt@/" + database + "?" + query.Encode()
}

// Database makes an empty database and returns its address.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test%d", c.names.Add(1))
	c.Exec(t, "postgres", "CREATE DATABASE "+name)
	return c.url(name)
}

// Exec carries out statements in a database.
func (c *Cluster) Exec(t testing.TB, database string, statements ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.url(database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, strings.TrimSpace(statement)); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
