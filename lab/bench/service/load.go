package service

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Load is what a client asks a service at addr: requests verifications over so
// many connections at a time, for the addresses in turn.
type Load struct {
	Addr        string
	Key         string
	Addresses   []string
	Requests    int
	Connections int
}

// Took is how long a load took.
type Took struct {
	All      time.Duration
	P50, P99 time.Duration // of a request
}

// Run asks everything and returns how long that took. An answer other than 200
// is an error. The client reads no more of an answer than it needs to find its
// end, so that it is not the client that is measured.
func (l Load) Run(ctx context.Context) (Took, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var connections sync.WaitGroup
	each := make([]time.Duration, l.Requests)
	began := time.Now()
	for range l.Connections {
		connections.Go(func() {
			if err := l.converse(ctx, &next, each); err != nil {
				cancel(err)
			}
		})
	}
	connections.Wait()
	all := time.Since(began)
	slices.Sort(each)
	return Took{All: all, P50: each[len(each)/2], P99: each[len(each)*99/100]}, context.Cause(ctx)
}

// converse asks over one connection until everything is asked, and writes down
// how long each answer took.
func (l Load) converse(ctx context.Context, next *atomic.Int64, each []time.Duration) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", l.Addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	in := bufio.NewReader(conn)
	for {
		n := int(next.Add(1)) - 1
		if n >= l.Requests {
			return nil
		}
		began := time.Now()
		if _, err := io.WriteString(conn, l.request(n)); err != nil {
			return err
		}
		if err := skipAnswer(in); err != nil {
			return err
		}
		each[n] = time.Since(began)
	}
}

func (l Load) request(n int) string {
	address := url.QueryEscape(l.Addresses[n%len(l.Addresses)])
	return "GET /api/v1/verify?apikey=" + l.Key + "&email=" + address + " HTTP/1.1\r\nHost: " + l.Addr + "\r\n\r\n"
}

// skipAnswer reads an answer to its end, which its Content-Length tells.
func skipAnswer(in *bufio.Reader) error {
	status, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		return fmt.Errorf("the service answers %q", strings.TrimSpace(status))
	}
	length := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("the service does not tell the length of its answer")
	}
	_, err = in.Discard(length)
	return err
}
