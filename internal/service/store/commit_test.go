//go:build unix

package store

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

func counted(t *testing.T, s *Store) (answers int64) {
	t.Helper()
	rows, err := s.Usage(t.Context(), UsageQuery{})
	check(t, err)
	for _, row := range rows {
		answers += row.Count
	}
	return answers
}

// TestBatchIsWrittenOnce commits a batch whose commit is reported as failed, as
// happens when the connection dies within it, and adds more uses.
func TestBatchIsWrittenOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		use := Use{Key: "key", At: time.Now(), Result: "deliverable"}
		for range 3 {
			s.queue.commit.Lock() // the routine in the background waits
			s.RecordUse(use)
			b, _ := s.queue.take()
			check(t, s.write(ctx, "test", func(ctx context.Context, tx *sql.Tx) error { return s.insert(ctx, tx, b) }))
			s.queue.settle(0, false)
			s.RecordUse(use)
			s.queue.commit.Unlock()
			check(t, s.Flush(ctx))
		}
		if got := counted(t, s); got != 6 {
			t.Errorf("%d uses are counted, want 6", got)
		}
		if stats := s.Stats(); stats.Queued != 0 || stats.Dropped != 0 {
			t.Errorf("%+v", stats)
		}
	})
}

// TestConnectionDiesWithinCommit has a proxy drop the server's answer to COMMIT
// and close the connection.
func TestConnectionDiesWithinCommit(t *testing.T) {
	o := postgresEngine.empty(t)
	proxy := newCommitCutter(t, o.DatabaseURL)
	o.DatabaseURL = proxy.url
	s := open(t, o)
	const uses = 8
	for range uses {
		s.queue.commit.Lock()
		s.RecordUse(Use{Key: "key", At: time.Now(), Result: "deliverable"})
		proxy.cuts.Store(1)
		s.queue.commit.Unlock()
		for s.Flush(t.Context()) != nil || proxy.cuts.Load() > 0 {
			if t.Context().Err() != nil {
				t.FailNow()
			}
		}
	}
	if got := counted(t, s); got != uses {
		t.Errorf("%d uses are counted, want %d", got, uses)
	}
	if proxy.done.Load() != uses {
		t.Errorf("%d connections were cut, want %d", proxy.done.Load(), uses)
	}
}

// commitCutter is a proxy before PostgreSQL's socket.
type commitCutter struct {
	url    string
	server string
	cuts   atomic.Int64 // how many commits are still to be cut
	done   atomic.Int64
}

func newCommitCutter(t *testing.T, databaseURL string) *commitCutter {
	t.Helper()
	const socket = ".s.PGSQL.5432"
	address, err := url.Parse(databaseURL)
	check(t, err)
	query := address.Query()
	c := &commitCutter{server: filepath.Join(query.Get("host"), socket)}
	folder := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(folder, socket))
	check(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	query.Set("host", folder)
	address.RawQuery = query.Encode()
	c.url = address.String()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go c.pass(conn)
		}
	}()
	return c
}

// pass copies in both directions until either side closes.
func (c *commitCutter) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", c.server)
	if err != nil {
		return
	}
	defer server.Close()
	var cut atomic.Bool
	go func() {
		defer client.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil || cut.Load() {
				return // after the server has committed
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		if bytes.Contains(buffer[:n], []byte("commit\x00")) && c.cuts.Add(-1) >= 0 {
			c.done.Add(1)
			cut.Store(true)
		}
		if _, err := io.Copy(server, bytes.NewReader(buffer[:n])); err != nil {
			return
		}
	}
}
