package world_test

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/world"
	"github.com/rcpt/rcpt/testdata"
)

// TestRead: a world has the records, faults, hosts and questions of its text.
func TestRead(t *testing.T) {
	w, err := world.Read(`box a
== one: with two domains
mx mx.one.test 192.0.2.1 one.test other.test
? a@one.test -> deliverable

== two: says nothing
mx mx.two.test 192.0.2.2 two.test
silent

== three
zone three.test. MX 5 mx.one.test.
fails broken.test
? b@three.test once -> unknown dns_temporary # not so
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Asked) != 2 || w.Asked[1].About != "not so" {
		t.Errorf("asked %v", w.Asked)
	}
	synctest.Test(t, func(t *testing.T) {
		network := w.Network()
		defer network.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		conn, err := network.DialContext(ctx, "tcp", "192.0.2.1:25")
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		if _, err := network.DialContext(ctx, "tcp", "192.0.2.3:25"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("where nobody is: %v", err)
		}
		if _, err := network.DialContext(ctx, "tcp", "192.0.2.2:25"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the silent one: %v", err)
		}
	})
	if _, err := world.Read("== x\nnonsense"); err == nil {
		t.Error("nonsense is read")
	}
}

// TestFiles: every world of testdata can be read.
func TestFiles(t *testing.T) {
	files, err := fs.Glob(testdata.Files, "worlds/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".txt")
		if w, err := world.Open(name); err != nil || len(w.Asked) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := world.Open("nowhere"); err == nil {
		t.Error("a world that is not there is read")
	}
}
