// Package doh asks a DNS server over HTTPS (RFC 8484). Its [Exchanger] is for
// the field Exchanger of engine.Config.
package doh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

const (
	mediaType  = "application/dns-message" // RFC 8484 §6
	headerSize = 12                        // of a DNS message (RFC 1035 §4.1.1)
	maxMessage = 65535                     // octets, as over TCP (RFC 8484 §6)
)

// Exchanger sends DNS queries to one URL. It is safe for concurrent use. It is
// made by [New]: a zero one answers every query with an error.
type Exchanger struct {
	url    string
	client *http.Client
}

// New returns an Exchanger that posts queries to server, the URL of a DNS
// server such as https://dns.example/dns-query. HTTP without TLS is for servers
// on this machine. Other URLs are an error.
//
// The client may be nil for [http.DefaultClient]. How long a query takes is up
// to the context of [Exchanger.Exchange], which package dnsresolve limits. The
// client looks up the name of the server with the system's DNS. On a system
// without DNS, use an address in the URL, or a client that dials one.
func New(server string, client *http.Client) (*Exchanger, error) {
	target, err := url.Parse(strings.TrimSuffix(server, "{?dns}")) // a template, as RFC 8484 §4.1 has it for GET
	if err != nil {
		return nil, fmt.Errorf("doh: %w", err)
	}
	if target.Scheme != "https" && target.Scheme != "http" || target.Host == "" {
		return nil, fmt.Errorf("doh: %q is not the URL of a server: want https://HOST/PATH", server)
	}
	if client == nil {
		client = http.DefaultClient
	}
	return &Exchanger{url: target.String(), client: client}, nil
}

// Exchange posts query and returns the answer. The network and the name of the
// server are ignored. The query is sent with the ID 0, so that caches can
// answer it (RFC 8484 §4.1); the answer has the ID of query. Errors do not
// contain the URL, which may contain a key.
func (e *Exchanger) Exchange(ctx context.Context, query []byte, _, _ string) ([]byte, error) {
	if e.client == nil {
		return nil, errors.New("doh: the exchanger has no URL: it was not made by New")
	}
	if len(query) < headerSize {
		return nil, errors.New("doh: the query is not a DNS message")
	}
	answer, err := e.post(ctx, append([]byte{0, 0}, query[2:]...))
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("doh: %w", err)
	}
	copy(answer, query[:2])
	return answer, nil
}

// post sends a message and returns the one in the response.
func (e *Exchanger) post(ctx context.Context, message []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", mediaType)
	request.Header.Set("Accept", mediaType)
	response, err := e.client.Do(request)
	if err != nil {
		var detailed *url.Error
		if errors.As(err, &detailed) {
			err = detailed.Err
		}
		return nil, err
	}
	defer response.Body.Close()
	return read(response)
}

// read returns the message in response.
func read(response *http.Response) ([]byte, error) {
	if response.StatusCode != http.StatusOK { // no other code comes with an answer
		return nil, fmt.Errorf("the server answers %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	}
	given := response.Header.Get("Content-Type")
	if got, _, err := mime.ParseMediaType(given); err != nil || got != mediaType {
		return nil, fmt.Errorf("the answer has the content type %.100q, want %s", given, mediaType)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxMessage+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxMessage:
		return nil, fmt.Errorf("the answer is longer than %d octets", maxMessage)
	case len(body) < headerSize:
		return nil, errors.New("the answer is not a DNS message")
	}
	return body, nil
}
