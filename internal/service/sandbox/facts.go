package sandbox

import (
	"net/netip"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// MailHost is the mail host of all domains.
const MailHost = "mx.test-key.invalid"

// hostAddr is its address, of a network for documentation (RFC 5737).
var hostAddr = netip.MustParseAddr("192.0.2.25")

// facts are what leads to each reason. Those that no evidence leads to, because
// nobody is asked about what is not one address, are missing; so would be a new
// one until it gets its row, and be answered by its own words all the same.
var facts = map[rcpt.Reason]func(*engine.Evidence){
	rcpt.ReasonInvalidSyntax:      written("two words@acme.example"),
	rcpt.ReasonUnsupportedAddress: written("postmaster@[192.0.2.25]"),
	rcpt.ReasonSpamTrap:           listed(lists.KindSpamTrap),

	rcpt.ReasonDomainNotFound: resolved(dnsresolve.Findings{Status: dnsresolve.StatusNXDomain}),
	rcpt.ReasonNoMailHost:     resolved(dnsresolve.Findings{Status: dnsresolve.StatusNoData}),
	rcpt.ReasonNullMX:         resolved(dnsresolve.Findings{Status: dnsresolve.StatusOK, NullMX: true}),
	rcpt.ReasonDNSTemporary:   resolved(dnsresolve.Findings{Status: dnsresolve.StatusServFail}),
	rcpt.ReasonMXReservedAddress: resolved(dnsresolve.Findings{
		Status: dnsresolve.StatusOK,
		Hosts:  hostsAt(dnsresolve.Addr{IP: netip.MustParseAddr("10.0.0.25"), Reserved: "private"}),
	}),

	rcpt.ReasonRecipientAccepted:   told(taken, noSuchUser),
	rcpt.ReasonCatchAll:            told(taken, taken),
	rcpt.ReasonControlInconclusive: told(taken, reply(452, "4.5.3", "Too many recipients")),
	rcpt.ReasonMailboxNotFound:     told(noSuchUser, noSuchUser),
	rcpt.ReasonMailboxDisabled:     told(reply(550, "5.2.1", "The mailbox is disabled"), noSuchUser),
	rcpt.ReasonMailboxMoved:        told(reply(551, "5.1.6", "The mailbox has moved"), noSuchUser),
	rcpt.ReasonMailboxFull:         told(reply(452, "4.2.2", "The mailbox is over its quota"), noSuchUser),
	rcpt.ReasonNotOurDomain:        toldAll(reply(554, "5.7.1", "Relay access denied")),
	rcpt.ReasonGreylisted:          toldAll(reply(451, "4.7.1", "Greylisted, please try again in 300 seconds")),
	rcpt.ReasonRateLimited:         toldAll(reply(450, "4.7.1", "Too many requests from your address, slow down")),
	rcpt.ReasonBlocked:             toldAll(reply(554, "5.7.1", "Client host blocked using bl.example")),
	rcpt.ReasonRestricted:          told(reply(550, "5.7.1", "Only members may post to this list"), noSuchUser),
	rcpt.ReasonTemporaryFailure:    toldAll(reply(451, "4.3.0", "Temporary lookup failure")),
	rcpt.ReasonAmbiguousRefusal:    toldAll(reply(550, "", "Requested action not taken")),

	rcpt.ReasonConnectionFailed:    failed(smtp.PhaseConnect, smtp.KindRefused),
	rcpt.ReasonConnectionTimeout:   failed(smtp.PhaseRCPT, smtp.KindTimeout),
	rcpt.ReasonTLSFailed:           failed(smtp.PhaseSTARTTLS, smtp.KindTLS),
	rcpt.ReasonProtocolError:       failed(smtp.PhaseGreeting, smtp.KindProtocol),
	rcpt.ReasonSMTPUTF8Unsupported: failed(smtp.PhaseMAIL, smtp.KindSMTPUTF8),
	rcpt.ReasonEgressFailed:        failed(smtp.PhaseConnect, smtp.KindEgress),

	rcpt.ReasonLevelReached: resolved(oneHost),
	rcpt.ReasonNotAsked: func(e *engine.Evidence) {
		e.NotAsked = []engine.NotAsked{{Rule: "domain:" + e.Domain}}
	},
	rcpt.ReasonResolverUnreliable: func(e *engine.Evidence) {
		e.DNS = &dnsresolve.Findings{Status: dnsresolve.StatusNXDomain}
		e.Network = &engine.NetworkFacts{ResolverFault: "it denies what exists"}
	},
	rcpt.ReasonPortBlocked: func(e *engine.Evidence) {
		e.DNS, e.Network = &oneHost, &engine.NetworkFacts{PortFault: "port 25 is closed"}
	},

	rcpt.ReasonInternalError: notCarriedOut(""),
	rcpt.ReasonUnfinished:    notCarriedOut(rcpt.ReasonUnfinished),
	rcpt.ReasonBusy:          notCarriedOut(rcpt.ReasonBusy),
	rcpt.ReasonClosed:        notCarriedOut(rcpt.ReasonClosed),
	rcpt.ReasonNotYet:        notCarriedOut(rcpt.ReasonNotYet),
}

// What the mail host says.
var (
	taken      = reply(250, "2.1.5", "OK")
	noSuchUser = reply(550, "5.1.1", "No such user here")
	oneHost    = dnsresolve.Findings{Status: dnsresolve.StatusOK, Hosts: hostsAt(dnsresolve.Addr{IP: hostAddr})}
)

func reply(code int, enhanced, text string) smtp.Reply {
	return smtp.Reply{Code: code, Enhanced: enhanced, Lines: []string{text}}
}

func hostsAt(addr dnsresolve.Addr) []dnsresolve.Host {
	return []dnsresolve.Host{{
		Name: MailHost, Preference: 10, Status: dnsresolve.StatusOK, Addrs: []dnsresolve.Addr{addr},
	}}
}

// written has a fault of a text in place of the address.
func written(text string) func(*engine.Evidence) {
	return func(e *engine.Evidence) {
		e.Local, e.Domain, e.Mailbox = "", "", ""
		e.Syntax = faultOf(text)
	}
}

// faultOf returns why a text can be put to no mail host; nil: it can.
func faultOf(text string) *address.Error {
	if _, err := address.Read(text); err != nil {
		return err.(*address.Error) // every error of it is one
	}
	return nil
}

func listed(kind lists.Kind) func(*engine.Evidence) {
	return func(e *engine.Evidence) {
		e.Matches = append(e.Matches, lists.Match{List: kind, Entry: e.Mailbox, Source: "test key"})
	}
}

func resolved(found dnsresolve.Findings) func(*engine.Evidence) {
	return func(e *engine.Evidence) {
		of := found
		of.Domain, e.DNS = e.Domain, &of
	}
}

// told has the replies about the mailbox and about the random one beside it.
func told(target, control smtp.Reply) func(*engine.Evidence) {
	return asked(smtpprobe.Session{Target: &target, Control: &control})
}

// toldAll has one reply about both.
func toldAll(r smtp.Reply) func(*engine.Evidence) { return told(r, r) }

func failed(phase smtp.Phase, kind smtp.Kind) func(*engine.Evidence) {
	return asked(smtpprobe.Session{Failure: &smtp.Failure{Phase: phase, Kind: kind, Text: "a test key was used"}})
}

func asked(s smtpprobe.Session) func(*engine.Evidence) {
	s.Host, s.Addr = MailHost, netip.AddrPortFrom(hostAddr, 25)
	return func(e *engine.Evidence) {
		resolved(oneHost)(e)
		e.SMTP = &smtpprobe.Findings{Sessions: []smtpprobe.Session{s}}
	}
}

func notCarriedOut(reason rcpt.Reason) func(*engine.Evidence) {
	return func(e *engine.Evidence) { e.Fault, e.FaultReason = "a test key was used", reason }
}
