package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/demo"
)

// process is a running command. Tests wait for it by reading its output.
type process struct {
	t              *testing.T
	command        *exec.Cmd
	stdin          io.WriteCloser
	stdoutPipe     io.Closer
	stdout, stderr *bufio.Reader
}

// start runs the command with environment added to the tests' own.
func start(t *testing.T, environment []string, args ...string) *process {
	t.Helper()
	hearHangups()
	command := exec.CommandContext(t.Context(), "rcpt", args...)
	command.Env = append(append(os.Environ(), "XDG_DATA_HOME="+t.TempDir()), environment...)
	stdin, err := command.StdinPipe()
	check(t, err)
	stdout, err := command.StdoutPipe()
	check(t, err)
	stderr, err := command.StderrPipe()
	check(t, err)
	check(t, command.Start())
	return &process{t: t, command: command, stdin: stdin, stdoutPipe: stdout, stdout: bufio.NewReader(stdout), stderr: bufio.NewReader(stderr)}
}

// hearHangups has commands hear SIGHUP that the tests start, although the tests
// may ignore it, as they do under nohup.
var hearHangups = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) })

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// await reads until a line matches, and returns its submatches.
func (p *process) await(from *bufio.Reader, pattern string) []string {
	p.t.Helper()
	return p.awaitAll(from, pattern)[0]
}

// awaitTimeout is the time for lines to come. It is long, because it only ends
// what would wait for ever.
const awaitTimeout = 5 * time.Minute

// awaitAll reads until each pattern has matched a line, in any order, and
// returns the submatches of each.
func (p *process) awaitAll(from *bufio.Reader, patterns ...string) [][]string {
	p.t.Helper()
	ended := time.AfterFunc(awaitTimeout, func() { _ = p.command.Process.Kill() })
	defer ended.Stop()
	matches, missing := make([][]string, len(patterns)), len(patterns)
	var seen strings.Builder
	for missing > 0 {
		line, err := from.ReadString('\n')
		seen.WriteString(line)
		for i, pattern := range patterns {
			if matches[i] != nil {
				continue
			}
			if matches[i] = regexp.MustCompile(pattern).FindStringSubmatch(strings.TrimSuffix(line, "\n")); matches[i] != nil {
				missing--
			}
		}
		if err != nil && missing > 0 {
			p.t.Fatalf("not all of the lines %q: %v in\n%s", patterns, err, seen.String())
		}
	}
	return matches
}

// end sends a signal and returns the exit code and the rest of the output.
func (p *process) end(signal os.Signal) (code int, stdout, stderr string) {
	p.t.Helper()
	check(p.t, p.command.Process.Signal(signal))
	return p.wait()
}

// wait returns the exit code and the rest of the output.
func (p *process) wait() (code int, stdout, stderr string) {
	p.t.Helper()
	out, err := io.ReadAll(p.stdout)
	check(p.t, err)
	log, err := io.ReadAll(p.stderr)
	check(p.t, err)
	_ = p.command.Wait()
	return p.command.ProcessState.ExitCode(), string(out), string(log)
}

// get requests a URL with a key.
func get(t *testing.T, url, key string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check(t, err)
	request.Header.Set("X-API-Key", key)
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(t, err)
	return response.StatusCode, string(text)
}

func TestServe(t *testing.T) {
	p := start(t, startWorld(t), "serve", "--listen", "127.0.0.1:0")
	url := p.await(p.stderr, `^rcpt listens on (http://127\.0\.0\.1:\d+)$`)[1]
	key := p.await(p.stderr, `^The key for this run is (rcpt_\w{49}) `)[1]
	p.await(p.stderr, regexp.QuoteMeta(`Try: curl -H "X-API-Key: `+key+`" '`+url+`/api/v1/verify?email=`))

	if status, body := get(t, url+"/api/v1/verify?email=alice@acme.example&details=1", key); status != 200 || !strings.Contains(body, `"result":"deliverable"`) {
		t.Errorf("status %d, body %s", status, body)
	}
	if status, body := get(t, url+"/api/v1/verify?email=alice@acme.example", "wrong"); status != 401 {
		t.Errorf("status %d, body %s", status, body)
	}
	code, stdout, log := p.end(os.Interrupt)
	if code != exitDone || stdout != "" {
		t.Errorf("exit code %d, standard output %q", code, stdout)
	}
	for _, secret := range []string{key, "alice"} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log:\n%s", secret, log)
		}
	}
	if strings.Count(log, "domain=acme.example") != 1 || strings.Contains(log, "status=401") {
		t.Errorf("want one line for the verification and none for the wrong key:\n%s", log)
	}
}

// TestNoPortCheck: the older flag for --network-check off, also in the
// environment and in a file.
func TestNoPortCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rcpt.yaml")
	check(t, os.WriteFile(file, []byte("no-port-check: true\n"), 0o600))
	for _, c := range []struct {
		name, variable, value string
		args                  []string
		want                  bool
	}{
		{"not set", "RCPT_HELO", "tests.example", []string{"serve"}, false},
		{"flag", "RCPT_HELO", "tests.example", []string{"serve", "--no-port-check"}, true},
		{"environment", "RCPT_NO_PORT_CHECK", "true", []string{"serve"}, true},
		{"file", "RCPT_CONFIG", file, []string{"serve"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			var commands commandLine
			parser, err := newParser(t.Context(), &commands, terminal{})
			check(t, err)
			_, err = parser.Parse(c.args)
			check(t, err)
			if got := commands.Serve.NoPortCheck; got != c.want {
				t.Errorf("no-port-check is %t, want %t", got, c.want)
			}
		})
	}
}

func TestServeWithKey(t *testing.T) {
	const key = "a-key-of-the-user"
	p := start(t, append(startWorld(t), "RCPT_API_KEY= "+key+"\n"), "serve", "--listen", "127.0.0.1:0", "--level", "syntax", "--details")
	url := p.await(p.stderr, `^rcpt listens on (http://.*)$`)[1]
	p.await(p.stderr, `^Try: curl -H "X-API-Key: \$RCPT_API_KEY" `)
	if status, body := get(t, url+"/api/v1/verify?email=alice@acme.example", key); status != 200 || !strings.Contains(body, `"reason":"level_reached"`) {
		t.Errorf("status %d, body %s", status, body)
	}
	if code, _, log := p.end(syscall.SIGTERM); code != exitDone || strings.Contains(log, key) {
		t.Errorf("exit code %d, log:\n%s", code, log)
	}
}

func TestServeCannotListen(t *testing.T) {
	first := start(t, nil, "demo", "--listen", "127.0.0.1:0")
	taken := first.await(first.stderr, `^rcpt listens on http://(.*)$`)[1]
	second := start(t, startWorld(t), "serve", "--listen", taken)
	if second.await(second.stderr, "address already in use"); second.command.Wait() == nil || second.command.ProcessState.ExitCode() != exitFailed {
		t.Errorf("exit code %d", second.command.ProcessState.ExitCode())
	}
	first.end(os.Interrupt)
}

// TestDemo: the server gives the results that the table lists.
func TestDemo(t *testing.T) {
	p := start(t, nil, "demo", "--listen", "127.0.0.1:0")
	for _, c := range demo.Cases() {
		p.await(p.stdout, "^"+regexp.QuoteMeta(c.Address)+" +"+string(c.Verdict)+" +"+string(c.Reason)+" +"+regexp.QuoteMeta(c.About)+"$")
	}
	if runtime.GOOS == "linux" {
		usesDemo(t, p.await(p.stdout, `^  export (RCPT_CONFIG=.*)$`)[1], p.await(p.stdout, `^  rcpt bulk (\S+) `)[1])
		settings := strings.Fields(p.await(p.stdout, `^    (--resolver .*)$`)[1])
		wantFirst(t, start(t, nil, append([]string{"verify", "alice@acme.example"}, settings...)...), `^\{"email":"alice@acme.example".*"deliverable"`)
	}
	url := p.await(p.stderr, `^rcpt listens on (http://.*)$`)[1]
	key := p.await(p.stderr, `^The key for this run is (\S+) `)[1]
	if status, body := get(t, url+"/api/v1/verify?email=josé@intl.example&details=1", key); status != 200 || !strings.Contains(body, `"result":"deliverable"`) {
		t.Errorf("status %d, body %s", status, body)
	}
	if code, _, log := p.end(os.Interrupt); code != exitDone {
		t.Errorf("exit code %d, log:\n%s", code, log)
	}
}

// usesDemo runs other commands with the mail hosts of a demo, by its file of
// settings.
func usesDemo(t *testing.T, settings, sample string) {
	t.Helper()
	verify := start(t, []string{settings}, "verify", "trap@acme.example", "alice@intl.example")
	wantFirst(t, verify, `"spamtrap":1`)
	list := start(t, []string{settings}, "bulk", sample, "--retry-window", "0s", "--level", "dns")
	list.await(list.stdout, `^1000,Ada Adler,ada.adler@orbit.example,`)
	list.await(list.stdout, `,alice@dead.example,.*,unknown,level_reached,`)
	if code, _, log := list.wait(); code != exitDone {
		t.Errorf("exit code %d, log:\n%s", code, log)
	}
}

// wantFirst waits for a line and the success of a command.
func wantFirst(t *testing.T, p *process, line string) {
	t.Helper()
	p.await(p.stdout, line)
	if code, _, log := p.wait(); code != exitDone {
		t.Errorf("exit code %d, log:\n%s", code, log)
	}
}

// TestInterruptedVerify: results are printed while standard input is open; an
// interrupt ends the rest with exit code 1.
func TestInterruptedVerify(t *testing.T) {
	p := start(t, startWorld(t), "verify", "--json", "-")
	_, err := io.WriteString(p.stdin, "alice@acme.example\nghost@acme.example\n")
	check(t, err)
	p.await(p.stdout, `^\{"email":"alice@acme\.example".*"deliverable"`)
	p.await(p.stdout, `^\{"email":"ghost@acme\.example".*"undeliverable"`)
	if code, stdout, stderr := p.end(os.Interrupt); code != exitFailed || stdout != "" || !strings.Contains(stderr, "interrupted") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// TestClosedOutput: when the reader of standard output closes it, as head does,
// the command ends without a message.
func TestClosedOutput(t *testing.T) {
	p := start(t, nil, "verify", "--level", "syntax", "-")
	check(t, p.stdoutPipe.Close())
	_, err := io.WriteString(p.stdin, "alice@acme.example\n")
	check(t, err)
	said, err := io.ReadAll(p.stderr)
	check(t, err)
	_ = p.command.Wait()
	if code := p.command.ProcessState.ExitCode(); code != exitDone || len(said) > 0 {
		t.Errorf("exit code %d, standard error %q", code, said)
	}
}

func TestSiteURL(t *testing.T) {
	for text, want := range map[string]siteURL{
		"https://verify.example.com": "https://verify.example.com", "http://127.0.0.1:8080/": "http://127.0.0.1:8080",
		"verify.example.com": "", "https://": "", "ftp://verify.example.com": "", "https://verify.example.com/path": "",
		"https://user:password@verify.example.com": "", "https://verify.example.com?q": "", "https://verify.example.com/#f": "", "": "",
	} {
		var u siteURL
		if err := u.UnmarshalText([]byte(text)); (err == nil) != (want != "") || u != want {
			t.Errorf("%q: %q, %v; want %q", text, u, err, want)
		}
	}
}
