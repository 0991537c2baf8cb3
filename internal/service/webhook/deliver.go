package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Limits of one try.
const (
	// tryTimeout is within the 15 to 30 seconds that the specification
	// recommends.
	tryTimeout     = 20 * time.Second
	connectTimeout = 10 * time.Second
	maxHeader      = 16 << 10
	answerKept     = 500 // octets of the answer's body, for the log
)

// newClient returns a client that makes a connection for each request: it is
// the address of the moment that is checked.
func newClient(g gate, roots *x509.CertPool) *http.Client {
	dialer := &net.Dialer{Timeout: connectTimeout, Control: g.control}
	return &http.Client{
		Timeout:       tryTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would connect to what is refused here
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    connectTimeout,
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
	}
}

// try sends a webhook once, and returns how long the receiver asks to wait.
func (s *Sender) try(ctx context.Context, w rows.ClaimedWebhook) (t rows.WebhookTry, retryAfter time.Duration) {
	t.At = s.config.Now()
	began := time.Now()
	defer func() { t.Duration = time.Since(began) }()
	if to, isMail := strings.CutPrefix(w.URL, rows.MailScheme); isMail {
		s.mail(ctx, w, to, &t)
		return t, 0
	}
	request, err := s.request(ctx, w, t.At)
	if err != nil {
		t.Error = err.Error()
		return t, 0
	}
	client := s.public
	if request.URL.Scheme == "http" {
		client = s.inside
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Error = reasonOf(err)
		return t, 0
	}
	defer answer.Body.Close()
	start, _ := io.ReadAll(io.LimitReader(answer.Body, answerKept)) // the status counts, whatever becomes of the rest
	t.Status, t.Answer = answer.StatusCode, readable(string(start))
	return t, retryAfterOf(answer.Header.Get("Retry-After"), t.At)
}

func (s *Sender) request(ctx context.Context, w rows.ClaimedWebhook, at time.Time) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(w.Body))
	if err != nil {
		return nil, err
	}
	signatures, err := sign(w, at)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": s.config.UserAgent,
		standardwebhooks.HeaderWebhookID:        w.ID,
		standardwebhooks.HeaderWebhookTimestamp: strconv.FormatInt(at.Unix(), 10),
		standardwebhooks.HeaderWebhookSignature: signatures,
	} {
		request.Header.Set(name, value)
	}
	return request, nil
}

// sign returns a signature with each secret.
func sign(w rows.ClaimedWebhook, at time.Time) (string, error) {
	var all []string
	for _, secret := range w.Secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return "", errors.New("the key's secret cannot be used: make a new one")
		}
		signature, err := signer.Sign(w.ID, at, w.Body)
		if err != nil {
			return "", err
		}
		all = append(all, signature)
	}
	return strings.Join(all, " "), nil
}

// reasonOf words an error without the URL, which is beside it in the log.
func reasonOf(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		if wrapped.Timeout() {
			return "no answer within " + tryTimeout.String()
		}
		err = wrapped.Err
	}
	return readable(err.Error())
}

// readable replaces what is not UTF-8, and what would act on a terminal.
func readable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// retryAfterOf reads seconds or a date (RFC 9110 §10.2.3); zero: neither.
func retryAfterOf(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
