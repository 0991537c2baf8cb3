package wire

import (
	"net"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

func TestAddressLiteral(t *testing.T) {
	for _, tt := range []struct {
		addr net.Addr
		want string
	}{
		{&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 4711}, "[192.0.2.1]"},
		{&net.TCPAddr{IP: net.ParseIP("2001:db8::1"), Port: 4711}, "[IPv6:2001:db8::1]"},
		{&net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0", Port: 4711}, "[IPv6:fe80::1]"},
		{&net.TCPAddr{IP: net.IPv4zero, Port: 4711}, unknownAddress},
		{&net.UnixAddr{Name: "pipe", Net: "unix"}, unknownAddress},
		{nil, unknownAddress},
	} {
		if got := addressLiteral(tt.addr); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.addr, got, tt.want)
		}
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	var tr transcript
	for range 2 * maxTranscriptLines {
		tr.add(smtp.FromServer, "250-x")
	}
	if last := tr.lines[len(tr.lines)-1]; len(tr.lines) != maxTranscriptLines || last.From != smtp.FromProber {
		t.Errorf("%d lines, the last %v", len(tr.lines), last)
	}
}

// TestTranscriptIsBoundedInBytes sees that long lines fill a transcript, too,
// and that there is room again for the next transaction.
func TestTranscriptIsBoundedInBytes(t *testing.T) {
	var tr transcript
	count := func() (bytes, ends int) {
		for _, line := range tr.lines {
			bytes += len(line.Text)
			if line.Text == "the transcript ends here" {
				ends++
			}
		}
		return bytes, ends
	}
	for range 3 {
		for range maxTranscriptLines {
			tr.add(smtp.FromServer, "250-"+strings.Repeat("x", 4000))
		}
		bytes, ends := count()
		if last := tr.lines[len(tr.lines)-1]; bytes > maxTranscript || bytes < maxTranscript*3/4 || ends != 1 || last.From != smtp.FromProber {
			t.Errorf("%d bytes, %d times the end, the last line %v", bytes, ends, last)
		}
		tr.cut(10)
	}
}
