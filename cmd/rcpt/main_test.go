package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// quickExit keeps a command with the race detector from sleeping for a second
// when it ends. It is too late for this process, but not for the commands that
// it starts.
const quickExit = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	name, value, _ := strings.Cut(quickExit, "=")
	os.Setenv(name, strings.TrimSpace(os.Getenv(name)+" "+value))
	testscript.Main(m, map[string]func(){"rcpt": main})
}

// scripts are the scripts to run: all, but with the race detector only those
// whose command works on many addresses at a time.
var scripts = []string{"*"}

// takesLong leaves a test out of make test. make test-long, which CI runs, has
// them.
func takesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: takes long: make test-long runs it")
	}
}

// TestScripts runs the command as users do, in a world on loopback addresses.
func TestScripts(t *testing.T) {
	settings := startWorld(t)
	sign, key := signer(t)
	var files []string
	for _, name := range scripts {
		found, err := filepath.Glob("testdata/script/" + name + ".txtar")
		check(t, err)
		if found == nil {
			t.Fatalf("there is no script %s", name)
		}
		files = append(files, found...)
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(append(env.Vars, quickExit), settings...)
			env.Vars = append(env.Vars, "RCPT_DATA="+filepath.Join(env.WorkDir, "data"), "FEED_KEY="+key)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "edition": makeEdition, "sign": sign},
	})
}

// exits is the command "exits CODE COMMAND...": COMMAND ends with this exit
// code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		code = ended.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// zone is the DNS of the tests. At the address of dead.example there is no mail
// host. That of mute.example has as many addresses as are tried: each is given
// up after 20 seconds, so that the last is after two minutes.
const zone = `
acme.example.     MX 10 mx.acme.example.
mx.acme.example.  A  127.0.0.1
dead.example.     MX 10 mx.dead.example.
mx.dead.example.  A  127.0.0.2
rude.example.     MX 10 mx.rude.example.
mx.rude.example.  A  127.0.0.3
slow.example.     MX 10 mx.slow.example.
mx.slow.example.  A  127.0.0.4
mute.example.     MX 10 mx.mute.example.
mx.mute.example.  A  127.0.0.5
mx.mute.example.  A  127.0.0.7
mx.mute.example.  A  127.0.0.8
mx.mute.example.  A  127.0.0.9
mx.mute.example.  A  127.0.0.10
mx.mute.example.  A  127.0.0.11
box.example.      MX 10 mx.box.example.
mx.box.example.   A  127.0.0.6
grey.example.     MX 10 mx.grey.example.
mx.grey.example.  A  127.0.0.12
nomail.example.   MX 0  .

acme.example.dbl.example.  A  127.0.1.2
`

// startWorld starts DNS and mail hosts, and returns the environment with which
// the command uses them.
func startWorld(t *testing.T) []string {
	t.Helper()
	names := dnstest.New(zone)
	resolver, err := names.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(names.Close)

	mailboxes := map[string]smtptest.Mailbox{"alice": smtptest.Accepts, "info": smtptest.Accepts}
	acme := smtptest.Start(&smtptest.Host{Name: "mx.acme.example", Mailboxes: mailboxes})
	t.Cleanup(acme.Close)
	_, port, err := net.SplitHostPort(acme.Addr)
	if err != nil {
		t.Fatal(err)
	}
	mute := &smtptest.Host{Name: "mx.mute.example", RCPT: smtptest.Hangs}
	for ip, host := range map[string]*smtptest.Host{
		"127.0.0.3": {Name: "mx.rude.example", RCPT: "554 5.7.1 Client blocked \x1b[31mred\x07"},
		"127.0.0.4": {Name: "mx.slow.example", ReplyDelay: 200 * time.Millisecond, CatchAll: true},
		"127.0.0.5": mute, "127.0.0.7": mute, "127.0.0.8": mute, "127.0.0.9": mute, "127.0.0.10": mute, "127.0.0.11": mute,
		"127.0.0.6":  {Name: "mx.box.example", RCPTFunc: boxes()},
		"127.0.0.12": {Name: "mx.grey.example", Mailboxes: mailboxes, Greylist: time.Nanosecond},
	} {
		server, err := smtptest.StartAt(net.JoinHostPort(ip, port), host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Close)
	}
	proxy := smtptest.Start(&smtptest.Proxy{Dialer: &net.Dialer{}, Username: "user", Password: "hunter,2"})
	t.Cleanup(proxy.Close)
	return []string{"PROXY=" + proxy.Addr, "RCPT_RESOLVER=" + resolver, "RCPT_SMTP_PORT=" + port, "RCPT_ALLOW_NET=127.0.0.0/8", "RCPT_HELO=tests.example", "NO_COLOR=1",
		"RCPT_DATA=" + t.TempDir()}
}
