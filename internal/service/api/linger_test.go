package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestAnswerWhileSending: a client that sends the whole of a body which is not
// wanted, and only then reads, gets the answer, and the connection ends. The
// body is longer than the buffers of a connection.
func TestAnswerWhileSending(t *testing.T) {
	listening := httptest.NewServer(newServer(t, api.Config{}).Handler())
	defer listening.Close()
	body := bytes.Repeat([]byte("a@acme.example\n"), 1<<20)
	for what, fields := range map[string]string{
		"a path that does not exist": "POST /nowhere HTTP/1.1\r\nHost: x\r\n",
		"no key":                     "POST /api/v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n",
		"too long":                   "POST /api/v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-API-Key: " + key + "\r\n",
	} {
		conn, err := net.Dial("tcp", listening.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n", fields, len(body))
		if _, err := conn.Write(body); err != nil {
			t.Errorf("%s: sending: %v", what, err)
		}
		answer := bufio.NewReader(conn)
		response, err := http.ReadResponse(answer, nil)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if response.StatusCode < 400 || !response.Close {
			t.Errorf("%s: %s, and the connection stays", what, response.Status)
		}
		conn.Close()
	}
}

// TestListTooLarge: a client that sends a list which is too large gets the
// whole answer, also if it reads only when all is sent. One that waits for
// permission to send is refused at once.
func TestListTooLarge(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{Limits: jobs.Limits{Octets: 1 << 20}})
	listening := httptest.NewServer(l)
	defer listening.Close()
	key, list := l.key(store.Key{}), strings.Repeat("a@acme.example\n", 1<<20)
	check413 := func(what string, response *http.Response, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != 413 || !response.Close || !strings.Contains(string(text), "list_too_large") {
			t.Errorf("%s: %s %s %v", what, response.Status, text, err)
		}
	}
	fields := "POST /api/v1/bulk HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nX-API-Key: " + key + "\r\n"
	for what, rest := range map[string]string{
		"its length is known": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(list), list),
		"chunks":              fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(list), list),
		"permission":          fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(list)),
	} {
		conn, err := net.Dial("tcp", listening.Listener.Addr().String())
		check(t, err)
		if _, err := io.WriteString(conn, fields+rest); err != nil {
			t.Errorf("%s: sending: %v", what, err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		check413(what, response, err)
		conn.Close()
	}
	for _, length := range []int64{int64(len(list)), -1} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, listening.URL+"/api/v1/bulk", strings.NewReader(list))
		check(t, err)
		request.ContentLength = length
		request.Header.Set("Content-Type", "text/csv")
		request.Header.Set("X-API-Key", key)
		response, err := listening.Client().Do(request)
		check413(fmt.Sprint("package net/http, length ", length), response, err)
	}
}
