package api_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/api"
)

// TestHostileRequests: each gets one answer with a sensible status, and nothing
// that stands behind a body is taken for a request.
func TestHostileRequests(t *testing.T) {
	url, stop, end := start(t, api.Config{})
	const verify = "GET /api/v1/verify?email=a@b.example&apikey=" + key
	const second = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	var all sync.WaitGroup // what a refused request still sends is read for five seconds
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"HTTP/1.0":                     {verify + " HTTP/1.0\r\n\r\n", 200},
		"absolute form":                {strings.Replace(verify, "/", "http://other.example/", 1) + " HTTP/1.1\r\nHost: x\r\n\r\n", 200},
		"TRACE":                        {"TRACE /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405},
		"two hosts":                    {"GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
		"no host":                      {"GET /healthz HTTP/1.1\r\n\r\n", 400},
		"NUL in a header":              {"GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n", 400},
		"NUL in the request line":      {"GET /healthz\x00 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		"blank before the colon":       {"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length : 4\r\n\r\n", 400},
		"folded header":                {"GET /healthz HTTP/1.1\r\nHost: x\r\n folded: 1\r\n\r\n", 400},
		"huge URL":                     {"GET /" + strings.Repeat("a", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
		"header flood":                 {"GET /healthz HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("a:\r\n", 100_000) + "\r\n", 431},
		"unknown expectation":          {"GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\n\r\n", 417},
		"body":                         {fmt.Sprintf("GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(second)) + second, 200},
		"body to verify":               {verify + " HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody" + second, 200},
		"body that is too long":        {verify + " HTTP/1.1\r\nHost: x\r\nContent-Length: 8193\r\n\r\n" + strings.Repeat("x", 8193) + second, 413},
		"body of broken chunks":        {verify + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab", 413},
		"body to a path with a slash":  {strings.Replace(verify, "?", "/?", 1) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody" + second, 200},
		"body of HEAD":                 {"HEAD /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}" + second, 200},
		"endless body":                 {"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000000\r\n\r\nx", 413},
		"body that never comes":        {"POST /api/v1/verify HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", 401},
		"body to nowhere":              {"PUT /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", 404},
		"body that is waited for":      {"GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", 413},
		"chunks":                       {"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second, 200},
		"chunks without end":           {"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("400\r\n"+strings.Repeat("x", 1024)+"\r\n", 9) + second, 413},
		"a chunk and more":             {"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + second, 200},
		"length and chunks":            {"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second, 200},
		"two lengths":                  {"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody", 400},
		"negative length":              {"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
		"length with a sign":           {"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\nbody", 400},
		"chunks in disguise":           {"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501},
		"chunks twice":                 {"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501},
		"needless percent-encoding":    {"GET /%68ealthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
		"slash in percent-encoding":    {"GET /api%2Fv1%2Fverify HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
		"overlong slash":               {"GET /api%c0%afv1/verify HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
		"backslash":                    {"GET /api\\v1\\verify HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
		"NUL behind the path":          {"GET /healthz%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
		"bad percent-encoding in path": {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		"HTTP/2 preface":               {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 404},
		"TLS":                          {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
	} {
		all.Go(func() {
			if err := exchangeHostile(strings.TrimPrefix(url, "http://"), c.request, c.status); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	all.Wait()
	stop()
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// exchangeHostile sends a request and fails if it is not answered with this
// status, or if anything follows the answer.
func exchangeHostile(address, request string, status int) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(8 * time.Second)) // less than the server's timeout for a body
	go func() { _, _ = io.WriteString(conn, request) }()
	answers := bufio.NewReader(conn)
	answer, err := http.ReadResponse(answers, nil)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	if answer.StatusCode != status {
		return fmt.Errorf("status %d, want %d", answer.StatusCode, status)
	}
	if status == 200 && !answer.Close {
		return nil
	}
	if more, err := io.ReadAll(answers); len(more) > 0 || isTimeout(err) {
		return fmt.Errorf("another answer or an open connection: %q, %v", more, err)
	}
	return nil
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

// TestBodyIsNotAwaited: a client that announces a body and does not send it has
// its answer at once, and keeps its connection for five seconds at most.
func TestBodyIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener, stop := listening(t, api.Config{})
		started := time.Now()
		conn := listener.dial()
		go func() {
			_, _ = io.WriteString(conn, "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx")
		}()
		answers := bufio.NewReader(conn)
		line, err := answers.ReadString('\n')
		if took := time.Since(started); err != nil || !strings.Contains(line, " 404 ") || took > time.Second {
			t.Errorf("%q, %v after %v", line, err, took)
		}
		_, _ = io.Copy(io.Discard, answers)
		if took := time.Since(started); took > 6*time.Second {
			t.Errorf("the connection stayed for %v", took)
		}
		stop()
	})
}

// TestHostileQueries: whatever stands in a query, the answer is JSON with 200
// or 400, and the address is what the client wrote or nothing.
func TestHostileQueries(t *testing.T) {
	asked := 0
	handler := newServer(t, api.Config{Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
		asked++
		return accepts(ctx, address)
	})}).Handler()
	for query, status := range map[string]int{
		"email=%":                               400,
		"email=%zz":                             400,
		"email=a@b.example&email=a%40b.example": 200,
		"email=a@b.example&email=A@b.example":   400,
		"email=+a@b.example":                    400,
		"email=a@b.example&%65mail=c@d.example": 400,
		"email=a@b.example&timeout=1&timeout=2": 400,
		"email=a@b.example&details=1&details=0": 400,
		"email[]=a@b.example":                   400,
		"EMAIL=a@b.example":                     400,
		"email=a@b.example;email=c@d.example":   400,
		"=a@b.example":                          400,
		strings.Repeat("&", 8000):               400,
		"email=" + strings.Repeat("%20", 8000):  400,
		"email=a@b.example&%00=%00":             200,
		"email=%00@b.example":                   200,
		"email=%C0%80@b.example":                200,
		"email=%EF%BB%BFa@b.example":            200,
		"email=%ED%A0%80@b.example":             200,
		"email=a@b.example%0D%0AQUIT":           200,
	} {
		asked = 0
		response := get(handler, "/api/v1/verify?"+query)
		if response.Code != status || (asked == 1) != (status == 200) || !strings.HasPrefix(response.Body.String(), "{") {
			t.Errorf("%.60s: status %d, asked %d times, body %.200s", query, response.Code, asked, response.Body)
		}
		if bytes.ContainsAny(response.Body.Bytes()[:response.Body.Len()-1], "\x00\r\n") {
			t.Errorf("%.60s: control characters in %q", query, response.Body)
		}
	}
}

// TestLogIsOneLine: no part of a request can end a line of the log, nor begin a
// field.
func TestLogIsOneLine(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		var log bytes.Buffer
		logger := logTo(&log)
		if format == "json" {
			logger = jsonLogTo(&log)
		}
		const forged = "x.example\nlevel=ERROR msg=forged status=200 \x1b[2J\u202e\",\"forged\":\"1"
		handler := newServer(t, api.Config{Logger: logger, Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
			result, _ := accepts(ctx, address)
			result.Domain = forged // never so from the engine
			return result, fmt.Errorf("cannot ask %s", forged)
		})}).Handler()
		request := httptest.NewRequest("GET", "/api/v1/verify?email=alice@x.example%0Alevel=ERROR&apikey="+key, nil)
		request.Header.Set("User-Agent", forged)
		request.Header.Set("X-Request-Id", forged)
		ask(handler, request)
		if lines := strings.Count(log.String(), "\n"); lines != 1 {
			t.Errorf("%s: %d lines:\n%s", format, lines, log.String())
		}
		for _, never := range []string{"\x1b", "alice", key, "\" status=200 ", `","forged":"1`} {
			if strings.Contains(log.String(), never) {
				t.Errorf("%s: %q is in the log:\n%s", format, never, log.String())
			}
		}
	}
}
