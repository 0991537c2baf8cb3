package dashboard

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
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

// TestListTooLargeWhileSending: a browser that sends the whole of a file which
// is too large, and only then reads, gets the page that says so.
func TestListTooLargeWhileSending(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{Octets: 1 << 20})
	token := w.listToken(t)
	form := "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + token +
		"\r\n--b\r\nContent-Disposition: form-data; name=\"list\"; filename=\"l.csv\"\r\n\r\n" +
		strings.Repeat("ada@acme.example\n", 1<<20) + "\r\n--b--\r\n"
	at, err := url.Parse(w.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	fields := fmt.Sprintf("POST /lists HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: multipart/form-data; boundary=b\r\n", at.Host, at)
	for _, cookie := range w.client.Jar.Cookies(at) {
		fields += "Cookie: " + cookie.String() + "\r\n"
	}
	for what, body := range map[string]string{
		"its length is known": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(form), form),
		"chunks":              fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(form), form),
	} {
		conn, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, fields+body); err != nil {
			t.Errorf("%s: sending: %v", what, err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		page, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(page), `id="list-fault"`) {
			t.Errorf("%s: %s %v\n%s", what, answer.Status, err, page)
		}
		conn.Close()
	}
}

// TestRoleIsLostWhileSending: a form counts for what its sender may do when it
// has arrived, and not when it was begun.
func TestRoleIsLostWhileSending(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	ctx, by := t.Context(), store.ByCommand("test")
	victim := w.addAccount(t, "victim", store.RoleViewer)
	for name, lose := range map[string]func(eve store.Account) error{
		"demoted": func(eve store.Account) error { return w.store.SetRole(ctx, by, eve.ID, store.RoleMember) },
		"removed": func(eve store.Account) error { return w.store.RemoveAccount(ctx, by, eve.ID, "") },
	} {
		eve, text := w.addAccount(t, name, store.RoleAdmin), secret()
		if err := w.store.CreateSession(ctx, by, store.Session{Hash: store.HashOf(text), Account: eve.ID, Expires: w.clock.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		form := url.Values{"role": {"admin"}, "token": {tokenOf(text)}}.Encode()
		fmt.Fprintf(conn, "POST /team/%s/role HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
			"Cookie: rcpt_session=%s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", victim.ID, conn.RemoteAddr(), text, len(form))
		read := bufio.NewReader(conn)
		if line, err := read.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") { // it is let in, and waits for the form
			t.Fatalf("%s: %q, %v", name, line, err)
		}
		_, _ = read.ReadString('\n')
		if err := lose(eve); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, form)
		answer, err := http.ReadResponse(read, nil)
		if err != nil {
			t.Fatal(err)
		}
		now, err := w.store.Account(ctx, victim.ID)
		if err != nil || now.Role != store.RoleViewer {
			t.Errorf("%s: status %d; the other account is %s, %v", name, answer.StatusCode, now.Role, err)
		}
	}
}
