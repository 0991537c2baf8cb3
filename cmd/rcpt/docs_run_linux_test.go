package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestBlocksRun runs the commands of README.md and docs/, in the world of rcpt
// demo and with a server of the page's own, and compares what they print with
// what the page shows. A line "…" stands for any lines, and … within a line for
// any text.
func TestBlocksRun(t *testing.T) {
	takesLong(t)
	for _, needed := range []string{"sh", "curl", "setsid"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skipf("SKIPPED: %s is not installed", needed)
		}
	}
	byPage := map[string][]pageBlock{}
	for _, b := range blocksOfPages(t) {
		if b.notRun == "" && (b.language == "console" || b.language == "sh") {
			byPage[b.page] = append(byPage[b.page], b)
		}
	}
	world := startDemo(t)
	for page, blocks := range byPage {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			r := newPageReader(t, page, world)
			for _, b := range blocks {
				r.run(b)
			}
		})
	}
}

// demoWorld is where a running demo has its files, and how other commands use
// its mail hosts.
type demoWorld struct{ folder, flags string }

func startDemo(t *testing.T) demoWorld {
	t.Helper()
	demo := exec.CommandContext(t.Context(), "rcpt", "demo", "--listen", "127.0.0.1:0")
	demo.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "RCPT_API_KEY=rcpt_demo-of-the-pages")
	out, err := demo.StdoutPipe()
	check(t, err)
	check(t, demo.Start())
	t.Cleanup(func() { _ = demo.Process.Signal(os.Interrupt); _ = demo.Wait() })
	var text strings.Builder
	found := regexp.MustCompile(`(?s)RCPT_CONFIG=(\S+)/demo\.yaml.*(--resolver [^\n]+)\n`)
	for buffer := make([]byte, 4096); ; {
		n, err := out.Read(buffer)
		text.Write(buffer[:n])
		if m := found.FindStringSubmatch(text.String()); m != nil {
			return demoWorld{m[1], m[2]}
		}
		if err != nil {
			t.Skipf("SKIPPED: the mail hosts of the demo cannot be reached: %v\n%s", err, &text)
		}
	}
}

// pageReader does what a page says, in folders of its own.
type pageReader struct {
	t           *testing.T
	dir         string
	environment []string
	instead     []string // of what is in the page: pairs for strings.NewReplacer
}

// Instead of these programs the page gets scripts: nothing is root's here, and
// the service is a process of the test.
var standIns = map[string]string{
	"sudo": `[ "$1" = -u ] && shift 2
exec "$@"`,
	"systemctl": `if [ -s "$PAGE/pid" ]; then
	kill "$(cat "$PAGE/pid")"
	while kill -0 "$(cat "$PAGE/pid")" 2>/dev/null; do sleep 0.05; done
	rm "$PAGE/pid"
fi
[ "$1" = stop ] && exit
set -a; . "$PAGE/etc/rcpt.env"; set +a
setsid rcpt serve --debug-listen "$DEBUG" </dev/null >"$PAGE/log" 2>&1 &
echo $! >"$PAGE/pid"
while ! rcpt health >/dev/null 2>&1; do kill -0 $! || { cat "$PAGE/log"; exit 1; }; sleep 0.05; done`,
	"journalctl": `cat "$PAGE/log"`,
}

func newPageReader(t *testing.T, page string, world demoWorld) *pageReader {
	t.Helper()
	r := &pageReader{t: t, dir: t.TempDir()}
	check(t, os.Mkdir(filepath.Join(r.dir, "bin"), 0o700))
	for name, script := range standIns {
		check(t, os.WriteFile(filepath.Join(r.dir, "bin", name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	check(t, os.Mkdir(filepath.Join(r.dir, "etc"), 0o700))
	check(t, os.WriteFile(filepath.Join(r.dir, "state"), nil, 0o600))
	listen, metrics, debug := freePort(t), freePort(t), freePort(t)
	r.configure(page, listen, metrics)
	r.environment = append(os.Environ(), "PAGE="+r.dir, "HOME="+r.dir, "XDG_DATA_HOME=", "NO_COLOR=1", "TERM=dumb",
		"PATH="+filepath.Join(r.dir, "bin")+":"+os.Getenv("PATH"), "GOFLAGS=", "GOCACHE="+goCache(t),
		"RCPT_CONFIG="+world.folder+"/demo.yaml", "RCPT_LISTEN="+listen, "DEBUG="+debug)
	data := filepath.Join(r.dir, ".local", "share", "rcpt")
	r.instead = []string{
		"https://verify.example.com", "http://" + listen, "127.0.0.1:8080", listen, "127.0.0.1:9464", metrics,
		"127.0.0.1:6060", debug, "/etc/rcpt/", r.dir + "/etc/", "/var/lib/rcpt", data,
		"/tmp/rcpt-demo-2193177619", world.folder, "--retry-window 2m", "--retry-window 0s",
		"--resolver 127.0.0.1:41441 --smtp-port 46257 --allow-net 127.0.2.0/24 --helo demo.example", world.flags,
		"postmaster@example.com", "alice@acme.example",
	}
	if out, err := r.shell(r.dir, "systemctl start rcpt", false); err != nil {
		t.Fatalf("no server: %v\n%s", err, out)
	}
	t.Cleanup(func() { _, _ = r.shell(r.dir, "systemctl stop rcpt", false) })
	log, err := os.ReadFile(filepath.Join(r.dir, "log"))
	check(t, err)
	key := regexp.MustCompile(`The key for this run is (\S+)`).FindSubmatch(log)
	if key == nil {
		t.Fatalf("the server has no key:\n%s", log)
	}
	r.environment = append(r.environment, "RCPT_API_KEY="+string(key[1]), "KEY="+string(key[1]))
	return r
}

// configure writes the settings of the service: those of the packages for the
// page that installs one and the page that needs the metrics, else none.
func (r *pageReader) configure(page, listen, metrics string) {
	var settings []byte
	if page == "deploy.md" || page == "monitoring.md" {
		var err error
		settings, err = os.ReadFile(filepath.Join("..", "..", "deploy", "systemd", "rcpt.env"))
		check(r.t, err)
		settings = []byte(strings.NewReplacer("127.0.0.1:8080", listen, "127.0.0.1:9464", metrics).Replace(string(settings)))
	}
	check(r.t, os.WriteFile(filepath.Join(r.dir, "etc", "rcpt.env"), settings, 0o600))
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	check(t, err)
	return strings.TrimSpace(string(out))
}

// files are in the folder of each block.
var files = map[string]string{
	"customers.csv":      "Name;E-Mail;City\n\"Doe, Jane\";alice@acme.example;Köln\nRoe;nobody@acme.example;Bonn\n",
	"customers-june.csv": "Name;E-Mail;City\n\"Doe, Jane\";alice@acme.example;Köln\nRoe;nobody@acme.example;Bonn\nPoe;info@acme.example;Ulm\n",
	"people.csv":         "email\nalice@acme.example\nnobody@acme.example\n",
	"rcpt.yaml":          "level: dns\ntimeout: 20s\n",
}

// preparations are run before the blocks that contain the text.
var preparations = map[string]string{
	"--since checked-may.csv": "rcpt bulk customers.csv -o checked-may.csv",
	"max-sesions":             `printf 'level: deep\nmax-sesions: 5\n' >rcpt.yaml`,
	"rcpt keys edit shop":     "rcpt keys create --name shop --expires 90d",
	"rcpt webhooks secret":    "rcpt keys create --name newsletter && rcpt webhooks secret newsletter >first.secret",
}

// states is what is stored, while no server runs, before the blocks that
// contain the text.
var states = map[string]func(*testing.T, *store.Store){
	"rcpt accounts list": func(t *testing.T, s *store.Store) {
		_, err := s.CreateAccount(t.Context(), store.ByCommand("test"), store.Account{Login: "ada@acme.example", Role: store.RoleAdmin, Password: "forgotten"})
		check(t, err)
	},
	"rcpt jobs cancel": func(t *testing.T, s *store.Store) {
		key, err := s.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Hash: store.HashOf("a secret"), Name: "shop", Scopes: []store.Scope{store.ScopeBulk}})
		check(t, err)
		j, err := s.BeginJob(t.Context(), "node", store.Job{Owner: key.ID, Key: key.ID, Name: "customers.csv", Format: "csv"}, 0, nil)
		check(t, err)
		_, err = s.StartJob(t.Context(), store.ByCommand("test"), j.ID, store.JobTotals{Rows: 50000, Addresses: 48444}, nil)
		check(t, err)
		check(t, s.RevokeKey(t.Context(), store.ByCommand("test"), key.ID))
		_, err = s.PauseOrphans(t.Context())
		check(t, err)
	},
	"rcpt forget": func(t *testing.T, s *store.Store) {
		m, err := jobs.New(jobs.Config{Store: s, Verifier: struct{ bulk.Verifier }{}, TempDir: t.TempDir()})
		check(t, err)
		check(t, m.Join(t.Context()))
		list, err := m.Receive(t.Context(), strings.NewReader("name,email,contact\nZoe,zoe.quill@example.com,\n"+
			"Ben,ben@a.example,zoe.quill@example.com\nZoe,zoe.quill@example.com,\n"))
		check(t, err)
		defer list.Close()
		j, err := m.Create(t.Context(), list, jobs.Request{By: store.ByCommand("test"), Owner: "shop", Key: "shop", Name: "customers.csv"})
		check(t, err)
		_, err = s.PauseJob(t.Context(), store.ByCommand("test"), j.ID) // nobody is asked
		check(t, err)
		s.PutVerdict("zoe.quill@example.com", store.Verdict{Checked: time.Now(), Expires: time.Now().Add(time.Hour)})
	},
	"rcpt webhooks show": func(t *testing.T, s *store.Store) {
		w := store.Webhook{Key: "fixed", Event: "job.completed", URL: "https://receiver.example/hook", Body: []byte(`{"type":"job.completed"}`)}
		_, err := s.AddWebhook(t.Context(), store.ByCommand("test"), w)
		check(t, err)
		for n, last := 1, 10; n <= last; n++ {
			claimed, err := s.ClaimWebhooks(t.Context(), 1, 1, 1, time.Minute)
			check(t, err)
			if len(claimed) != 1 {
				t.Fatalf("try %d has %d webhooks", n, len(claimed))
			}
			state := store.WebhookPending
			if n == last {
				state = store.WebhookFailed
			}
			try := store.WebhookTry{Number: n, At: time.Now(), Status: 503, Duration: 31 * time.Millisecond, Answer: "out of order"}
			check(t, s.SettleWebhook(t.Context(), claimed[0], try, state, time.Now()))
		}
	},
}

// run runs the commands of a block, those of a console one by one.
func (r *pageReader) run(b pageBlock) {
	r.t.Helper()
	dir := r.t.TempDir()
	for name, content := range files {
		check(r.t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	for text, command := range preparations {
		if strings.Contains(b.text, text) {
			if out, err := r.shell(dir, command, false); err != nil {
				r.t.Fatalf("%s: %v\n%s", command, err, out)
			}
		}
	}
	for text, change := range states {
		if strings.Contains(b.text, text) {
			r.store(change)
		}
	}
	if b.language == "sh" {
		if out, err := r.shell(dir, "set -e\n"+r.here(b.text), false); err != nil {
			r.t.Errorf("%s:%d: %v\n%s%s", b.page, b.line, err, b.text, out)
		}
		return
	}
	for _, shown := range strings.Split("\n"+b.text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(shown, "\n")
		for strings.HasSuffix(command, "\\") {
			var more string
			more, want, _ = strings.Cut(want, "\n")
			command += "\n" + more
		}
		out, err := r.shell(dir, r.here(command), true)
		if failing := regexp.MustCompile(`(?m)^rcpt: `).MatchString(want); (err != nil) != failing {
			r.t.Errorf("%s:%d: %s: %v\n%s", b.page, b.line, command, err, out)
			continue
		}
		if want = strings.TrimSpace(want); want == "" {
			continue
		}
		if !matches(want, out) {
			r.t.Errorf("%s:%d: %s prints otherwise:\n%s", b.page, b.line, command, out)
		}
		r.learn(want, out)
	}
}

// store changes what the server of the page has stored.
func (r *pageReader) store(change func(*testing.T, *store.Store)) {
	r.t.Helper()
	_, err := r.shell(r.dir, "systemctl stop rcpt", false)
	check(r.t, err)
	s, err := store.Open(r.t.Context(), store.Options{DataDir: filepath.Join(r.dir, ".local", "share", "rcpt")})
	check(r.t, err)
	change(r.t, s)
	check(r.t, s.Close())
	_, err = r.shell(r.dir, "systemctl start rcpt", false)
	check(r.t, err)
}

func (r *pageReader) here(text string) string { return strings.NewReplacer(r.instead...).Replace(text) }

// shell runs a command line, on a terminal or not, with what was exported
// before.
func (r *pageReader) shell(dir, line string, onTerminal bool) (string, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	if r.t.Context().Err() != nil { // at the end of the test
		ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
	}
	defer cancel()
	if line == "rcpt serve" { // it runs already
		line = "grep -v '^Runtime figures' $PAGE/log"
	}
	command := exec.CommandContext(ctx, "sh", "-c", `. "$PAGE/state"`+"\n"+line+"\nstatus=$?\nexport -p >\"$PAGE/state\"\nexit $status")
	command.Dir, command.Env = dir, r.environment
	if !onTerminal {
		out, err := command.CombinedOutput()
		return string(out), err
	}
	return onPseudoTerminal(r.t, command)
}

// onPseudoTerminal runs a command as people do, and returns what they see.
func onPseudoTerminal(t *testing.T, command *exec.Cmd) (string, error) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: there are no terminals: %v", err)
	}
	defer ours.Close()
	check(t, unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	check(t, err)
	theirs, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	check(t, err)
	command.Stdout, command.Stderr = theirs, theirs
	err = command.Start()
	theirs.Close()
	check(t, err)
	var seen bytes.Buffer
	_, _ = seen.ReadFrom(ours) // it ends with EIO when the last program has gone
	return strings.ReplaceAll(seen.String(), "\r\n", "\n"), command.Wait()
}

// changing is what differs from run to run, and from machine to machine.
var changing = regexp.MustCompile(strings.Join([]string{
	`\b(?:(?:test)?key|job|msg|acc)_[a-z0-9]{20}\b`, `\brcpt_(?:test_)?\w{49}\b`, `\bwhsec_[\w+/=]+`, `\btoken=[\w-]+`,
	`\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?)?`, `\b127\.0\.0\.1:\d+`, `\b\d+(?:\.\d+)? ?[mµn]?s\b`,
	`/\S*/\.local/share/rcpt`, `(?m)^[a-z0-9]{26}$`, `\b[\d,]+ (?:rows|results?)\b`, `"(?:goroutines|heap_live_bytes|memory_bytes)":\d+`,
}, "|"))

var (
	blanks    = regexp.MustCompile(` {2,}`)
	changingI = regexp.MustCompile(`\b(?:key|job|msg|acc)_[a-z0-9]{20}\b`)
)

// matches reports whether a page may show want for what was printed.
func matches(want, got string) bool {
	plain := func(text string) string {
		return blanks.ReplaceAllString(changing.ReplaceAllString(strings.TrimSpace(text), "CHANGES"), "  ")
	}
	pattern := regexp.QuoteMeta(plain(want))
	pattern = regexp.MustCompile(`(?m)^[ \t]*…\n?`).ReplaceAllString(pattern, `(?:.*\n)*?`)
	pattern = regexp.MustCompile(` ?…`).ReplaceAllString(pattern, ".*")
	return regexp.MustCompile(`^` + pattern + `\n?$`).MatchString(plain(got) + "\n")
}

// learn takes the IDs that were printed for those in the page.
func (r *pageReader) learn(want, got string) {
	theirs, ours := changingI.FindAllString(want, -1), changingI.FindAllString(got, -1)
	for i := range min(len(theirs), len(ours)) {
		if !slices.Contains(r.instead, theirs[i]) {
			r.instead = append(r.instead, theirs[i], ours[i])
		}
	}
}
