package smtptest

import (
	"crypto/x509"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// What only hostile hosts need.
const (
	PhaseDATA = phaseDATA
	PhaseRSET = phaseRSET

	TLSWantsCertificate = tlsWantsCertificate
	TLSExpired          = tlsExpired
	TLSOtherName        = tlsOtherName
	TLSOld              = tlsOld
)

var ParseScript = parseScript

func (h *Host) Certificate() *x509.Certificate { return h.certificate() }

func (h *Host) ResetAt(phase smtp.Phase) *Host { h.resetAt = phase; return h }

func (h *Host) LeaveAt(phase smtp.Phase) *Host { h.leaveAt = phase; return h }

func (h *Host) LineEnd(end string) *Host { h.lineEnd = end; return h }

func (h *Host) ByteDelay(delay time.Duration) *Host { h.byteDelay = delay; return h }
