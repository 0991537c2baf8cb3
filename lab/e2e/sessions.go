//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// session is what a server's log says about one SMTP session with a client.
// Servers see what is inside TLS, too.
type session struct {
	server string
	line   string // of the log
	data   bool   // the client said DATA or BDAT
	left   bool   // the client went away without QUIT, although it had a greeting and the server was there to listen
}

// sessions reads the logs of all servers.
func (w *world) sessions() ([]session, error) {
	var all []session
	for _, source := range []struct {
		file string
		read func(line string) (session, bool)
	}{
		{w.postfix.path("var/log/postfix.log"), readPostfix},
		{w.exim.path("var/log/exim4/mainlog"), readExim},
		{w.exim.path("var/log/exim4-situations/mainlog"), readExim},
		{filepath.Join(w.dir, "logs", "opensmtpd.log"), readOpenSMTPD},
	} {
		log, err := os.ReadFile(source.file)
		if err != nil {
			return nil, fmt.Errorf("read sessions: %w", err)
		}
		for line := range strings.Lines(string(log)) {
			if s, ok := source.read(strings.TrimSpace(line)); ok {
				all = append(all, s)
			}
		}
	}
	return all, nil
}

var (
	// "disconnect from client[127.0.0.1] ehlo=2 starttls=1 mail=1 rcpt=1/2
	// quit=1 commands=6/7" (smtpd(8), since Postfix 3.0)
	postfixEnd = regexp.MustCompile(`postfix/smtpd\[\d+\]: disconnect from \S+ (.*)`)
	// "lost connection after RCPT from …": the client was expected to say more.
	postfixLost = regexp.MustCompile(`postfix/smtpd\[\d+\]: (?:lost connection|timeout) after (\S+)`)
	// A client that hangs up on postscreen itself; one that says QUIT is a
	// DISCONNECT.
	postscreenLost = regexp.MustCompile(`postfix/postscreen\[\d+\]: HANGUP`)
	postscreenEnd  = regexp.MustCompile(`postfix/postscreen\[\d+\]: DISCONNECT`)
)

func readPostfix(line string) (session, bool) {
	s := session{server: "postfix", line: line}
	if end := postfixEnd.FindStringSubmatch(line); end != nil {
		s.data = slices.ContainsFunc(strings.Fields(end[1]), func(count string) bool {
			return strings.HasPrefix(count, "data=") || strings.HasPrefix(count, "bdat=")
		})
		return s, true
	}
	if lost := postfixLost.FindStringSubmatch(line); lost != nil {
		s.left = lost[1] != "STARTTLS" // after a failed handshake there is nothing to say QUIT over
		return s, s.left
	}
	s.left = postscreenLost.MatchString(line)
	return s, s.left || postscreenEnd.MatchString(line)
}

// eximEnd is the line that the configuration's quit and notquit access control
// lists write.
var eximEnd = regexp.MustCompile(` session host=\S* commands=(\S*) end=(\S+)`)

func readExim(line string) (session, bool) {
	end := eximEnd.FindStringSubmatch(line)
	if end == nil {
		return session{}, false
	}
	commands, how := strings.Split(end[1], ","), end[2]
	return session{
		server: "exim",
		line:   line,
		data:   slices.Contains(commands, "DATA") || slices.Contains(commands, "BDAT"),
		left:   how == "connection-lost" || how == "command-timeout",
	}, true
}

// "… smtp disconnected reason=quit" and, in the trace, "smtp: 0x55…: <<< DATA".
var (
	opensmtpdEnd  = regexp.MustCompile(` smtp disconnected reason=(.+)`)
	opensmtpdData = regexp.MustCompile(`^smtp: \S+: <<< (?i:DATA|BDAT)`)
)

func readOpenSMTPD(line string) (session, bool) {
	s := session{server: "opensmtpd", line: line}
	if end := opensmtpdEnd.FindStringSubmatch(line); end != nil {
		s.left = end[1] == "disconnect" || end[1] == "timeout"
		return s, true
	}
	s.data = opensmtpdData.MatchString(line)
	return s, s.data
}
