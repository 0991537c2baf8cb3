package smtptest

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Session is what was said on one connection.
type Session struct {
	Addr     string   // the host's address, with port
	Client   string   // everything the client sent, in clear
	Server   string   // everything the server sent, in clear
	Commands []string // the client's command lines without line ends; not the lines of a message
	TLS      bool     // a TLS handshake succeeded
	QUIT     bool     // the client sent QUIT
	DATA     bool     // the client sent DATA or BDAT
	Err      error    // the first thing the client did that it should not have done; nil: none
}

// record gathers a Session while it happens; nil gathers nothing.
type record struct {
	mu       sync.Mutex
	session  Session
	client   strings.Builder
	server   strings.Builder
	line     []byte // the client's unfinished line
	message  bool   // the client's lines are those of a message
	bdatLeft int    // octets of a BDAT chunk still to come
}

func newRecord(addr string) *record {
	return &record{session: Session{Addr: addr}}
}

func (r *record) snapshot() Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.session
	s.Client, s.Server = r.client.String(), r.server.String()
	s.Commands = slices.Clone(s.Commands)
	return s
}

// fail keeps err if it is the session's first.
func (r *record) fail(err error) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session.Err == nil {
		r.session.Err = err
	}
}

func (r *record) startedTLS() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session.TLS = true
}

func (r *record) fromServer(b []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.server.Write(b)
	last := bytes.LastIndexByte(bytes.TrimRight(b, "\r\n"), '\n') + 1
	if bytes.HasPrefix(b[last:], []byte("354")) {
		r.message = true
	}
}

func (r *record) fromClient(b []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.client.Write(b)
	for _, c := range b {
		if r.bdatLeft > 0 {
			r.bdatLeft--
			continue
		}
		r.line = append(r.line, c)
		if c == '\n' {
			r.endLine(strings.TrimRight(string(r.line), "\r\n"))
			r.line = r.line[:0]
		}
	}
}

func (r *record) endLine(line string) {
	if r.message {
		r.message = line != "."
		return
	}
	r.session.Commands = append(r.session.Commands, line)
	switch verbOf(line) {
	case "QUIT":
		r.session.QUIT = true
	case "DATA":
		r.session.DATA = true
	case "BDAT":
		r.session.DATA = true
		r.bdatLeft = chunkSize(line)
	}
}

// chunkSize is the number of octets that follow a BDAT command (RFC 3030 §2).
func chunkSize(line string) int {
	args := strings.Fields(line)
	if len(args) < 2 {
		return 0
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return 0
	}
	return n
}

// verbOf is the first word of a command line, upper-case.
func verbOf(line string) string {
	verb, _, _ := strings.Cut(line, " ")
	return strings.ToUpper(strings.TrimSpace(verb))
}
