package smtptest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

const dialogue = `
	# a host that answers a flight
	S: 220 mx ready
	C: EHLO *
	S: 250-mx
	S: 250 PIPELINING

	C: MAIL FROM:<>
	C: RCPT TO:<*@example.test>
	S: 250 sender
	S: 550 first
	C: RCPT TO:<*@example.test>
	S: 550 second
`

func TestScriptPlaysFlight(t *testing.T) {
	n, c := connect(t, smtptest.Script(dialogue))
	c.hello()
	c.send("MAIL FROM:<>\r\nRCPT TO:<a@example.test>\r\nRCPT TO:<b@example.test>\r\n")
	for _, want := range []string{"250 sender", "550 first", "550 second"} {
		if got := c.reply(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	c.want("QUIT", "221 ")
	c.wantEOF()
	if s := only(t, n); s.Err != nil || !s.QUIT || n.Err() != nil {
		t.Errorf("session: %+v", s)
	}
}

func TestScriptPlaysAnyNumberOfTimes(t *testing.T) {
	h := smtptest.Script(dialogue)
	for range 2 {
		_, c := connect(t, h)
		c.hello()
	}
}

func TestScriptNotesUnexpectedLines(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		reply string // to the last
		want  string // the session's error
	}{
		{"other command", []string{"NOOP"}, "503 ", `client sent "NOOP" at line 8, "C: MAIL FROM:<>"`},
		{"other case", []string{"mail from:<>"}, "503 ", `client sent "mail from:<>" at line 8, "C: MAIL FROM:<>"`},
		{"only the start", []string{"MAIL FROM:<> SIZE=1"}, "503 ", `client sent "MAIL FROM:<> SIZE=1" at line 8, "C: MAIL FROM:<>"`},
		{"only the end", []string{"XMAIL FROM:<>"}, "503 ", `client sent "XMAIL FROM:<>" at line 8, "C: MAIL FROM:<>"`},
		{"then the right one", []string{"NOOP", "MAIL FROM:<>\r\nRCPT TO:<a@example.test>"}, "250 sender",
			`client sent "NOOP" at line 8, "C: MAIL FROM:<>"`},
		{"quit", []string{"QUIT"}, "221 ", `client quit at line 8, "C: MAIL FROM:<>"`},
		{"left", nil, "", `client left at line 8, "C: MAIL FROM:<>"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, c := connect(t, smtptest.Script(dialogue))
			c.hello()
			var got string
			for _, line := range tt.lines {
				got = c.cmd(line)
			}
			if !strings.HasPrefix(got, tt.reply) {
				t.Errorf("got %q, want %q", got, tt.reply)
			}
			_ = c.conn.Close()
			if err := only(t, n).Err; err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			if want := "session 1, 192.0.2.1:25: " + tt.want; n.Err().Error() != want {
				t.Errorf("Network.Err: %v", n.Err())
			}
		})
	}
}

func TestScriptNotesLinesBehindItsEnd(t *testing.T) {
	n, c := connect(t, smtptest.Script("S: 220 hi"))
	c.reply()
	c.want("DATA", "503 ")
	c.want("QUIT", "221 ")
	if s := only(t, n); !s.DATA || s.Err == nil || s.Err.Error() != `client sent "DATA" at the script's end` {
		t.Errorf("session: %+v", s)
	}
}

func TestScriptSendsRawBytes(t *testing.T) {
	n, c := connect(t, smtptest.Script(`raw: 220 "a\tb"\x00\xff\u00e9\r\n250-x\n`))
	c.send("QUIT\r\n")
	c.reply()
	if line, err := c.r.ReadString('\n'); line != "250-x\n" {
		t.Errorf("got %q, %v", line, err)
	}
	c.reply()
	if s := only(t, n); !strings.HasPrefix(s.Server, "220 \"a\tb\"\x00\xff\u00e9\r\n250-x\n221 ") {
		t.Errorf("sent %q", s.Server)
	}
}

func TestScriptSleepsAndHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := connect(t, smtptest.Script("sleep 4m\nS: 220 late\nhang"))
		begun := time.Now()
		c.reply()
		if took := time.Since(begun); took != 4*time.Minute {
			t.Errorf("greeted after %v, want 4m", took)
		}
		c.send(strings.Repeat("NOOP\r\n", 10_000))
		time.Sleep(time.Hour)
		_ = c.conn.Close()
		s := only(t, n)
		if s.Err != nil || s.Server != "220 late\r\n" || len(s.Commands) != 10_000 {
			t.Errorf("%v, %q, %d commands", s.Err, s.Server, len(s.Commands))
		}
	})
}

func TestScriptCloses(t *testing.T) {
	n, c := connect(t, smtptest.Script("S: 421 bye\nclose\nS: 250 never"))
	c.reply()
	c.wantEOF()
	if s := only(t, n); s.Server != "421 bye\r\n" || s.Err != nil {
		t.Errorf("session: %+v", s)
	}
}

func TestScriptStartsTLS(t *testing.T) {
	n, c := connect(t, smtptest.Script("S: 220 hi\nC: STARTTLS\nS: 220 go\nstarttls\nC: EHLO *\nS: 250 secret"))
	c.reply()
	c.want("STARTTLS\r\nVRFY injected", "220 go")
	c.trustAnyone()
	c.want("EHLO client.example", "250 secret")
	c.want("QUIT", "221 ")
	c.wantEOF()
	if s := only(t, n); !s.TLS || s.Err != nil || s.Client != "STARTTLS\r\nVRFY injected\r\nEHLO client.example\r\nQUIT\r\n" {
		t.Errorf("session: %+v", s)
	}
}

func TestParseScriptErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"S: 220 hi\n\nT: what", `script line 3: unknown step "T: what"`},
		{"sleep", `script line 1: time: invalid duration ""`},
		{"sleep 4", `script line 1: time: missing unit in duration "4"`},
		{"close now", `script line 1: unknown step "close now"`},
		{`raw: \q`, `script line 1: bad escape in "\\q"`},
	} {
		h, err := smtptest.ParseScript(tt.text)
		if h != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%q: got %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestScriptPanics(t *testing.T) {
	defer func() {
		if got, want := recover(), `smtptest: script line 1: unknown step "nonsense"`; got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}()
	smtptest.Script("nonsense")
}
