package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// ErrRefused ends a session whose last reply says why.
var ErrRefused = errors.New("refused")

// NoAnswer is the text of a failure for want of time.
const NoAnswer = "no answer in time"

// refusal returns ErrRefused unless the reply is a positive one.
func refusal(r smtp.Reply) error {
	if r.Refused() {
		return ErrRefused
	}
	return nil
}

// OutOfResources reports that this machine lacked what a connection takes. That
// says nothing about the host. EADDRNOTAVAIL is not counted: it is also what a
// machine without IPv6 says.
func OutOfResources(err error) bool {
	return isAny(err, syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM)
}

// noRoute reports that not even a packet left this machine: the network, often
// all of IPv6, is not connected.
func noRoute(err error) bool {
	return isAny(err, syscall.ENETUNREACH, syscall.EAFNOSUPPORT, syscall.EADDRNOTAVAIL)
}

func isAny(err error, targets ...syscall.Errno) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// cancelled reports whether the caller gave up. A deadline that has passed is
// no such thing: it is an outcome.
func cancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// connectKind says in which way dialling failed. The clock is asked because a
// dialer's own timer may fire just before the context's.
func connectKind(ctx context.Context, deadline time.Time, err error) smtp.Kind {
	var own *egress.Error
	switch {
	case cancelled(ctx):
		return smtp.KindCancelled
	case errors.As(err, &own):
		return smtp.KindEgress
	case errors.Is(err, syscall.ECONNREFUSED):
		return smtp.KindRefused
	case errors.Is(err, syscall.ECONNRESET):
		return smtp.KindReset
	case isTimeout(err), !time.Now().Before(deadline):
		return smtp.KindTimeout
	default:
		return smtp.KindUnreachable
	}
}

// talkKind says in which way a conversation failed. A breach of protocol comes
// before a cancel: its replies must not be believed.
func talkKind(ctx context.Context, err error) smtp.Kind {
	var breach smtp.ProtocolError
	var alert tls.AlertError
	switch {
	case errors.As(err, &breach):
		return smtp.KindProtocol
	case cancelled(ctx):
		return smtp.KindCancelled
	case isTimeout(err):
		return smtp.KindTimeout
	case errors.As(err, &alert):
		return smtp.KindTLS
	case errors.Is(err, syscall.ECONNRESET):
		return smtp.KindReset
	default:
		return smtp.KindClosed
	}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

// failureText puts a failure in words; errors of the dialer, of TLS and about
// the protocol speak for themselves.
func failureText(kind smtp.Kind, err error) string {
	var own *egress.Error
	switch {
	case kind == smtp.KindEgress && errors.As(err, &own):
		return own.Egress + ": " + failureText("", own.Err)
	case isTimeout(err):
		return NoAnswer
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe):
		return "the server closed the connection"
	case kind == smtp.KindCancelled:
		return "the caller gave up"
	}
	return smtp.Truncate(smtp.Clean(err.Error()), maxLineText)
}
