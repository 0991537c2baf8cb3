package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate/editiontest"
)

// TestServeReadsListsAgain: a running server reloads a changed list, and keeps
// its lists when the file is broken.
func TestServeReadsListsAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.txt")
	check(t, os.WriteFile(file, []byte("first.example\n"), 0o600))
	p := start(t, append(startWorld(t), "RCPT_API_KEY=key"), "serve", "--listen", "127.0.0.1:0", "--level", "syntax", "--list", "disposable="+file)
	url := p.await(p.stderr, `^rcpt listens on (http://.*)$`)[1]
	want := func(flag string) {
		t.Helper()
		if status, body := get(t, url+"/api/v1/verify?email=x@second.example", "key"); status != http.StatusOK || !strings.Contains(body, flag) {
			t.Errorf("want %s: status %d, body %s", flag, status, body)
		}
	}
	want(`"disposable":0`)

	check(t, os.WriteFile(file, []byte("first.example\nsecond.example\n"), 0o600))
	p.await(p.stderr, `level=INFO msg="lists read again"`)
	want(`"disposable":1`)

	check(t, os.WriteFile(file, []byte("first.example\nno domain\n"), 0o600))
	check(t, p.command.Process.Signal(syscall.SIGHUP))
	p.await(p.stderr, `level=ERROR .*mine\.txt:2: `)
	want(`"disposable":1`)
	if code, _, log := p.end(syscall.SIGTERM); code != exitDone {
		t.Errorf("exit code %d, log:\n%s", code, log)
	}
}

// TestServeOutlivesHangup: SIGHUP does not end a server, even one with nothing
// to reload.
func TestServeOutlivesHangup(t *testing.T) {
	p := start(t, append(startWorld(t), "RCPT_API_KEY=key"), "serve", "--listen", "127.0.0.1:0", "--level", "syntax")
	url := p.await(p.stderr, `^rcpt listens on (http://.*)$`)[1]
	check(t, p.command.Process.Signal(syscall.SIGHUP))
	p.await(p.stderr, `level=INFO msg="lists read again"`)
	if status, body := get(t, url+"/api/v1/verify?email=x@mailinator.com", "key"); status != http.StatusOK || !strings.Contains(body, `"disposable":1`) {
		t.Errorf("status %d, body %s", status, body)
	}
	if code, _, log := p.end(syscall.SIGTERM); code != exitDone {
		t.Errorf("exit code %d, log:\n%s", code, log)
	}
}

// TestUpdateFromWeb: the command downloads an edition into the data folder, and
// keeps it when the next download is not an edition.
func TestUpdateFromWeb(t *testing.T) {
	edition := editionFor(t, editiontest.DateLine, editiontest.Late)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/lists.bundle" {
			http.Error(w, "nothing here", http.StatusNotFound)
			return
		}
		w.Write(edition)
	}))
	defer server.Close()
	folder := filepath.Join(t.TempDir(), "new", "folder")
	for _, c := range []struct {
		path       string
		code       int
		out, error string
	}{
		{"/lists.bundle", exitDone, "Lists of 2999-01-01 are now in " + filepath.Join(folder, listupdate.BundleName), ""},
		{"/lists.bundle", exitDone, "The edition of 2999-01-01 is already in use.", ""},
		{"/elsewhere", exitFailed, "", `rcpt: --from ` + server.URL + `/elsewhere: the server answered "404 Not Found"`},
	} {
		p := start(t, nil, "lists", "update", "--data", folder, "--from", server.URL+c.path)
		code, out, log := p.wait()
		if code != c.code || !strings.HasPrefix(out, c.out) || !strings.HasPrefix(log, c.error) {
			t.Errorf("%s: exit code %d, output %q, errors %q", c.path, code, out, log)
		}
	}
	if got, err := os.ReadFile(filepath.Join(folder, listupdate.BundleName)); err != nil || string(got) != string(edition) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
