package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rcpt/rcpt/server"
)

// TestAnswerWhileSending: a client that sends the whole of a body which is not
// wanted, and only then reads, gets the answer, and the connection ends. The
// body is longer than the buffers of a connection.
func TestAnswerWhileSending(t *testing.T) {
	listening := httptest.NewServer(newServer(t, server.Config{}).Handler())
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
