package smtpprobe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// cancelled returns an error if the caller has given up. A deadline that has
// passed is no such thing: it is an outcome.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return fmt.Errorf("smtpprobe: %w", err)
	}
	return nil
}

// expired reports whether the deadline of ctx has passed. It asks the clock,
// because a connection's deadline may fire just before the context's.
func expired(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	return ok && !time.Now().Before(end)
}

// connectKind says in which way dialling failed.
func connectKind(ctx, dialCtx context.Context, err error) Kind {
	var own *EgressError
	switch {
	case cancelled(ctx) != nil:
		return KindCancelled
	case errors.As(err, &own):
		return KindEgress
	case errors.Is(err, syscall.ECONNREFUSED):
		return KindRefused
	case errors.Is(err, syscall.ECONNRESET):
		return KindReset
	case isTimeout(err), expired(dialCtx):
		return KindTimeout
	default:
		return KindUnreachable
	}
}

// talkKind says in which way a conversation failed. A breach of protocol comes
// before a cancel: its replies must not be believed.
func talkKind(ctx context.Context, err error) Kind {
	var breach protocolError
	var alert tls.AlertError
	switch {
	case errors.As(err, &breach):
		return KindProtocol
	case cancelled(ctx) != nil:
		return KindCancelled
	case isTimeout(err):
		return KindTimeout
	case errors.As(err, &alert):
		return KindTLS
	case errors.Is(err, syscall.ECONNRESET):
		return KindReset
	default:
		return KindClosed
	}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

// noRoute reports that not even a packet left this machine: the network, often
// all of IPv6, is not connected.
func noRoute(err error) bool {
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EAFNOSUPPORT) || errors.Is(err, syscall.EADDRNOTAVAIL)
}

// outOfResources reports that this machine lacked what a connection takes. That
// says nothing about the host. EADDRNOTAVAIL is not counted: it is also what a
// machine without IPv6 says.
func outOfResources(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}

// failureText puts a failure in words; errors of the dialer, of TLS and about
// the protocol speak for themselves.
func failureText(kind Kind, err error) string {
	var own *EgressError
	switch {
	case kind == KindEgress && errors.As(err, &own):
		return own.Egress + ": " + failureText("", own.Err)
	case isTimeout(err):
		return "no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe):
		return "the server closed the connection"
	case kind == KindCancelled:
		return "the caller gave up"
	}
	return truncate(clean(err.Error()), maxTranscriptText)
}
