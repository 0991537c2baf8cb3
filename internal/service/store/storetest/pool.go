//go:build unix

package storetest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Pool starts PgBouncer before a database that [Cluster.Database] made and
// returns its address there. Each transaction gets any of the pool's
// connections. The test is skipped if PgBouncer is not installed.
func (c *Cluster) Pool(t testing.TB, database string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("SKIPPED: PgBouncer is not installed (Debian: pgbouncer)")
	}
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "pgbouncer-") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	config := filepath.Join(folder, "pgbouncer.ini")
	text := fmt.Sprintf(poolSettings, c.folder, folder)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if c.owner != nil {
		if err := os.Chown(folder, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	pool := exec.Command(program, "-q", config)
	pool.SysProcAttr = dyingWithUs(c.owner)
	if err := pool.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Process.Signal(syscall.SIGTERM); _ = pool.Wait() })
	waitForSocket(t, filepath.Join(folder, ".s.PGSQL.6432"))
	query := url.Values{"host": {folder}, "port": {"6432"}, "sslmode": {"disable"}}
	return "postgres://rcpt@" + at.Path + "?" + query.Encode()
}

// poolSettings are those of PgBouncer, for the folders of the sockets of the
// database and of the pool.
const poolSettings = `[databases]
* = host=%[1]s user=rcpt
[pgbouncer]
pool_mode = transaction
default_pool_size = 5
auth_type = any
listen_addr =
unix_socket_dir = %[2]s
logfile = %[2]s/log
`

// waitForSocket returns when something listens at a path.
func waitForSocket(t testing.TB, path string) {
	t.Helper()
	for end := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("unix", path)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
