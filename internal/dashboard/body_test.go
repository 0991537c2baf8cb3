package dashboard

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestBodyOfStrangerIsNotRead sends the header of a POST and no body: whoever
// is not signed in, or has no cookie of the form, is refused at once, and the
// connection ends.
func TestBodyOfStrangerIsNotRead(t *testing.T) {
	w := newWorld(t, nil)
	for _, tt := range []struct {
		path, header string
		status       int
	}{
		{"/sign-in", "", http.StatusForbidden},
		{"/setup", "", http.StatusForbidden},
		{"/theme", "", http.StatusForbidden},
		{"/sign-in", "Origin: https://evil.example\r\n", http.StatusForbidden},
		{"/sign-in", "Cookie: rcpt_form=x\r\nContent-Length: 9000\r\n", http.StatusBadRequest},
		{"/keys", "", http.StatusSeeOther},
		{"/keys", "Cookie: rcpt_form=x\r\n", http.StatusSeeOther},
		{"/check", "Cookie: rcpt_session=x\r\n", http.StatusSeeOther},
		{"/nothing", "Cookie: rcpt_form=x\r\n", http.StatusNotFound},
		{"/a//b", "Cookie: rcpt_form=x\r\n", http.StatusNotFound},
	} {
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if !strings.Contains(tt.header, "Content-Length") {
			tt.header += "Content-Length: 60\r\n"
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\n%s\r\n", tt.path, conn.RemoteAddr(), tt.header)
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute)) // a server that waits for the body never answers
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s with %q: %v", tt.path, tt.header, err)
		}
		if answer.StatusCode != tt.status || !answer.Close {
			t.Errorf("%s with %q: status %d, closing %v; want %d and an end", tt.path, tt.header, answer.StatusCode, answer.Close, tt.status)
		}
	}
}
