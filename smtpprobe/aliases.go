package smtpprobe

import (
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Names of the packages beside this one, as the rest of this one still writes
// them.
type (
	Class       = replies.Class
	Classifier  = replies.Classifier
	Question    = replies.Input
	Egress      = egress.Egress
	EgressError = egress.Error
	Egresses    = egress.Egresses
	Failure     = smtp.Failure
	Kind        = smtp.Kind
	Line        = smtp.Line
	Phase       = smtp.Phase
	Reply       = smtp.Reply

	protocolError = smtp.ProtocolError
)

// Classes of replies.
const (
	ClassAmbiguous    = replies.Ambiguous
	ClassBlocked      = replies.Blocked
	ClassDisabled     = replies.Disabled
	ClassGreylisted   = replies.Greylisted
	ClassMailboxFull  = replies.MailboxFull
	ClassMoved        = replies.Moved
	ClassNoSuchUser   = replies.NoSuchUser
	ClassOK           = replies.OK
	ClassOKUnverified = replies.OKUnverified
	ClassRateLimited  = replies.RateLimited
)

// Kinds of failures and phases of a session.
const (
	KindCancelled   = smtp.KindCancelled
	KindClosed      = smtp.KindClosed
	KindEgress      = smtp.KindEgress
	KindPaused      = smtp.KindPaused
	KindProtocol    = smtp.KindProtocol
	KindRefused     = smtp.KindRefused
	KindReset       = smtp.KindReset
	KindSMTPUTF8    = smtp.KindSMTPUTF8
	KindTLS         = smtp.KindTLS
	KindTimeout     = smtp.KindTimeout
	KindTurned      = smtp.KindTurned
	KindUnreachable = smtp.KindUnreachable

	PhaseConnect  = smtp.PhaseConnect
	PhaseEHLO     = smtp.PhaseEHLO
	PhaseGreeting = smtp.PhaseGreeting
	PhaseMAIL     = smtp.PhaseMAIL
	PhaseRCPT     = smtp.PhaseRCPT
	PhaseSTARTTLS = smtp.PhaseSTARTTLS
)

const (
	fromClient = smtp.FromClient
	fromProber = smtp.FromProber
	fromServer = smtp.FromServer

	maxReplyLines = smtp.MaxReplyLines
	maxText       = smtp.MaxText

	replyGoodbye             = smtp.CodeClosing
	replyInsufficientStorage = smtp.CodeInsufficientStorage
	replyServiceClosing      = smtp.CodeServiceClosing

	noEgress = egress.None
)

var errNoEgress = egress.ErrNone

// DefaultClassifier is [replies.DefaultClassifier].
func DefaultClassifier() *Classifier { return replies.DefaultClassifier() }

// ParseReply is [smtp.ParseReply].
func ParseReply(lines ...string) (Reply, error) { return smtp.ParseReply(lines...) }

// ProviderOf is [provider.Of].
func ProviderOf(host string) provider.Provider { return provider.Of(host) }

func clean(s string) string { return smtp.Clean(s) }

func isClean(s string) bool { return smtp.IsPrintableASCII(s) }

func truncate(s string, limit int) string { return smtp.Truncate(s, limit) }

func contradictory(r Reply) bool { return r.Contradictory() }

// replyBuilder is [smtp.ReplyBuilder].
type replyBuilder struct {
	builder  smtp.ReplyBuilder
	greeting bool
}

func (b *replyBuilder) add(line string) (last bool, err error) {
	b.builder.Greeting = b.greeting
	return b.builder.Add(line)
}

func (b *replyBuilder) reply() Reply { return b.builder.Reply() }
