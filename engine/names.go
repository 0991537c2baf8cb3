package engine

import "github.com/rcpt/rcpt"

// The names of the record.
type (
	Result        = rcpt.Result
	Verdict       = rcpt.Verdict
	Reason        = rcpt.Reason
	Details       = rcpt.Details
	Step          = rcpt.Step
	MX            = rcpt.MX
	CatchAllState = rcpt.CatchAllState
	SMTPAnswer    = rcpt.SMTPAnswer
	Irregularity  = rcpt.Irregularity
)

const (
	VerdictDeliverable        = rcpt.VerdictDeliverable
	VerdictUndeliverable      = rcpt.VerdictUndeliverable
	VerdictAcceptAll          = rcpt.VerdictAcceptAll
	VerdictUnknown            = rcpt.VerdictUnknown
	ReasonInvalidSyntax       = rcpt.ReasonInvalidSyntax
	ReasonDomainNotFound      = rcpt.ReasonDomainNotFound
	ReasonNoMailHost          = rcpt.ReasonNoMailHost
	ReasonNullMX              = rcpt.ReasonNullMX
	ReasonMXReservedAddress   = rcpt.ReasonMXReservedAddress
	ReasonDNSTemporary        = rcpt.ReasonDNSTemporary
	ReasonConnectionFailed    = rcpt.ReasonConnectionFailed
	ReasonConnectionTimeout   = rcpt.ReasonConnectionTimeout
	ReasonTLSFailed           = rcpt.ReasonTLSFailed
	ReasonMailboxNotFound     = rcpt.ReasonMailboxNotFound
	ReasonMailboxDisabled     = rcpt.ReasonMailboxDisabled
	ReasonMailboxMoved        = rcpt.ReasonMailboxMoved
	ReasonMailboxFull         = rcpt.ReasonMailboxFull
	ReasonNotOurDomain        = rcpt.ReasonNotOurDomain
	ReasonGreylisted          = rcpt.ReasonGreylisted
	ReasonRateLimited         = rcpt.ReasonRateLimited
	ReasonBlocked             = rcpt.ReasonBlocked
	ReasonRestricted          = rcpt.ReasonRestricted
	ReasonTemporaryFailure    = rcpt.ReasonTemporaryFailure
	ReasonAmbiguousRefusal    = rcpt.ReasonAmbiguousRefusal
	ReasonProtocolError       = rcpt.ReasonProtocolError
	ReasonSMTPUTF8Unsupported = rcpt.ReasonSMTPUTF8Unsupported
	ReasonCatchAll            = rcpt.ReasonCatchAll
	ReasonRecipientAccepted   = rcpt.ReasonRecipientAccepted
	ReasonControlInconclusive = rcpt.ReasonControlInconclusive
	ReasonSpamTrap            = rcpt.ReasonSpamTrap
	ReasonUnsupportedAddress  = rcpt.ReasonUnsupportedAddress
	ReasonLevelReached        = rcpt.ReasonLevelReached
	ReasonNotAsked            = rcpt.ReasonNotAsked
	ReasonResolverUnreliable  = rcpt.ReasonResolverUnreliable
	ReasonPortBlocked         = rcpt.ReasonPortBlocked
	ReasonEgressFailed        = rcpt.ReasonEgressFailed
	ReasonInternalError       = rcpt.ReasonInternalError
	ReasonUnfinished          = rcpt.ReasonUnfinished
	ReasonBusy                = rcpt.ReasonBusy
	ReasonClosed              = rcpt.ReasonClosed
	ReasonNotYet              = rcpt.ReasonNotYet
	ReasonSeveralAddresses    = rcpt.ReasonSeveralAddresses
	ReasonNoAddress           = rcpt.ReasonNoAddress
	ReasonUnclearAddress      = rcpt.ReasonUnclearAddress
	ReasonInvalidRow          = rcpt.ReasonInvalidRow
	StepSyntax                = rcpt.StepSyntax
	StepLists                 = rcpt.StepLists
	StepDNS                   = rcpt.StepDNS
	StepSMTP                  = rcpt.StepSMTP
	CatchAllYes               = rcpt.CatchAllYes
	CatchAllNo                = rcpt.CatchAllNo
	CatchAllUnknown           = rcpt.CatchAllUnknown
)

// Reasons returns every reason.
func Reasons() []Reason { return rcpt.Reasons() }
