package engine

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// The pieces that the evidence in the table is made of.
var (
	unknownUser = smtp.Reply{Code: 550, Enhanced: "5.1.1", Lines: []string{"User unknown"}}
	accepted    = smtp.Reply{Code: 250, Enhanced: "2.1.5", Lines: []string{"Ok"}}
	tooMany     = smtp.Reply{Code: 452, Enhanced: "4.5.3", Lines: []string{"Too many recipients"}}
	blockedIP   = smtp.Reply{Code: 554, Enhanced: "5.7.1", Lines: []string{"Client host blocked using zen.spamhaus.org"}}
	oneHost     = dnsresolve.Findings{Status: dnsresolve.StatusOK, Hosts: []dnsresolve.Host{host("mx.example.com", "198.51.100.1", "")}}
)

func host(name, ip, reserved string) dnsresolve.Host {
	return dnsresolve.Host{Name: name, Preference: 10, Status: dnsresolve.StatusOK,
		Addrs: []dnsresolve.Addr{{IP: netip.MustParseAddr(ip), Reserved: reserved}}}
}

func incomplete(h dnsresolve.Host) dnsresolve.Host {
	h.Incomplete = true
	return h
}

func ipv4Only(h dnsresolve.Host) dnsresolve.Host {
	h.IPv6Unasked = true
	return h
}

func leavingOut(h dnsresolve.Host) dnsresolve.Host {
	h.Omitted = 1
	return h
}

func deadHost(name string, status dnsresolve.Status) dnsresolve.Host {
	return dnsresolve.Host{Name: name, Preference: 10, Status: status}
}

func reply(code int, enhanced, text string) smtp.Reply {
	return smtp.Reply{Code: code, Enhanced: enhanced, Lines: []string{text}}
}

var badSyntax = reply(501, "5.1.3", "Bad recipient address syntax")

// longLocal makes the evidence one of a long local-part, underscore of a domain
// with an underscore, and quotedByUs of doubled dots.
func longLocal(e Evidence) Evidence {
	e.Local = strings.Repeat("a", 65)
	e.Mailbox = e.Local + "@example.com"
	e.Irregular = []address.Error{{Reason: address.ReasonLocalTooLong, Detail: "local-part is longer than 64 octets"}}
	return e
}

func underscore(e Evidence) Evidence {
	e.Domain, e.Mailbox = "a_b.example.com", "user@a_b.example.com"
	e.Irregular = []address.Error{{Reason: address.ReasonDomainCharacter, Pos: 6, Detail: `"_" may not stand in a domain`}}
	return e
}

func quotedByUs(e Evidence) Evidence {
	e.Local, e.Domain, e.Mailbox = "a..b", "docomo.ne.jp", `"a..b"@docomo.ne.jp`
	e.Irregular = []address.Error{{Reason: address.ReasonLocalDot, Pos: 2, Detail: "local-part has two dots in a row"}}
	return e
}

// found is the evidence of an address whose domain has the findings.
func found(dns dnsresolve.Findings) Evidence {
	return Evidence{Email: "user@example.com", Local: "user", Domain: "example.com", Mailbox: "user@example.com", Level: LevelSMTP, DNS: &dns}
}

// asked is the evidence of an address whose mail hosts were asked in sessions.
func asked(sessions ...smtpprobe.Session) Evidence { return withSMTP(found(oneHost), sessions...) }

func withSMTP(evidence Evidence, sessions ...smtpprobe.Session) Evidence {
	evidence.SMTP = &smtpprobe.Findings{Sessions: sessions}
	return evidence
}

// omitting is found with one more mail exchanger that was not looked up.
func omitting(found dnsresolve.Findings) dnsresolve.Findings {
	found.Omitted++
	return found
}

// answered is a session that got as far as RCPT.
func answered(target, control smtp.Reply) smtpprobe.Session {
	greeting := reply(220, "", "ready")
	return smtpprobe.Session{Host: "mx.example.com", Greeting: &greeting, Target: &target, Control: &control}
}

// atOneHost is a session with the address of oneHost.
func atOneHost(s smtpprobe.Session) smtpprobe.Session {
	s.Addr = netip.AddrPortFrom(oneHost.Hosts[0].Addrs[0].IP, 25)
	return s
}

func failed(phase smtp.Phase, kind smtp.Kind) smtpprobe.Session {
	return smtpprobe.Session{Host: "mx.example.com", Failure: &smtp.Failure{Phase: phase, Kind: kind}}
}

func listed(kind lists.Kind, evidence Evidence) Evidence {
	evidence.Matches = []lists.Match{{List: kind, Entry: "user"}}
	return evidence
}

// late is evidence about which a verification was not carried out.
func late(evidence Evidence, reason rcpt.Reason) Evidence {
	evidence.Fault, evidence.FaultReason = "it did not come in time", reason
	return evidence
}

// hinted is evidence with matches of spam traps.
func hinted(evidence Evidence, confidences ...lists.Confidence) Evidence {
	for _, c := range confidences {
		evidence.Matches = append(evidence.Matches, lists.Match{List: lists.KindSpamTrap, Confidence: c})
	}
	return evidence
}

func TestDecide(t *testing.T) {
	greeting554 := reply(554, "5.7.1", "go away")
	greeting421 := reply(421, "4.3.2", "busy")
	mail550 := reply(550, "5.1.1", "user unknown")
	ehlo502 := reply(502, "", "unknown command")
	mail530 := reply(530, "5.7.0", "Must issue a STARTTLS command first")
	onlyTarget := answered(unknownUser, accepted)
	onlyTarget.Control = nil
	acceptedAlone := answered(accepted, accepted)
	acceptedAlone.Control = nil
	wordyDomain := asked(answered(accepted, reply(550, "", "no such user in greylisted.lab")))
	wordyDomain.Domain, wordyDomain.Mailbox = "greylisted.lab", "user@greylisted.lab"
	tests := []struct {
		name     string
		evidence Evidence
		reason   rcpt.Reason
		verdict  rcpt.Verdict
	}{
		{"fault", Evidence{Fault: "disk on fire"}, rcpt.ReasonInternalError, rcpt.VerdictUnknown},
		{"ended by its caller", Evidence{Fault: "context canceled", FaultReason: rcpt.ReasonUnfinished}, rcpt.ReasonUnfinished, rcpt.VerdictUnknown},
		{"ended by its caller after an answer", late(asked(answered(accepted, unknownUser)), rcpt.ReasonUnfinished), rcpt.ReasonUnfinished, rcpt.VerdictUnknown},
		{"too many wait", Evidence{Fault: "too many wait", FaultReason: rcpt.ReasonBusy}, rcpt.ReasonBusy, rcpt.VerdictUnknown},
		{"closed", Evidence{Fault: "closed", FaultReason: rcpt.ReasonClosed}, rcpt.ReasonClosed, rcpt.VerdictUnknown},
		{"goes on", Evidence{Fault: "no answer yet", FaultReason: rcpt.ReasonNotYet}, rcpt.ReasonNotYet, rcpt.VerdictUnknown},
		{"fault with a reason that is no fault's", Evidence{Fault: "disk on fire", FaultReason: rcpt.ReasonRecipientAccepted}, rcpt.ReasonInternalError, rcpt.VerdictUnknown},
		{"syntax", Evidence{Syntax: &address.Error{Detail: "no @"}}, rcpt.ReasonInvalidSyntax, rcpt.VerdictUndeliverable},
		{"irregular, from an earlier version", Evidence{Syntax: &address.Error{Reason: address.ReasonLocalTooLong, Detail: "it is long"}}, rcpt.ReasonLevelReached, rcpt.VerdictUnknown},
		{"address literal", Evidence{Syntax: &address.Error{Reason: address.ReasonAddressLiteral}}, rcpt.ReasonUnsupportedAddress, rcpt.VerdictUnknown},
		{"one label", Evidence{Syntax: &address.Error{Reason: address.ReasonDotless}}, rcpt.ReasonUnsupportedAddress, rcpt.VerdictUnknown},
		{"spam trap", listed(lists.KindSpamTrap, Evidence{Local: "user"}), rcpt.ReasonSpamTrap, rcpt.VerdictUnknown},
		{"spam trap by its mail host", hinted(found(oneHost), lists.ConfidenceStrong), rcpt.ReasonSpamTrap, rcpt.VerdictUnknown},
		{"weak hint of a spam trap, then a strong one", hinted(found(oneHost), lists.ConfidenceWeak, lists.ConfidenceStrong), rcpt.ReasonSpamTrap, rcpt.VerdictUnknown},
		{"weak hints of a spam trap", hinted(found(oneHost), lists.ConfidenceWeak, lists.ConfidenceWeak), rcpt.ReasonLevelReached, rcpt.VerdictUnknown},
		{"weak hint of a spam trap, and the mailbox exists", hinted(asked(answered(accepted, unknownUser)), lists.ConfidenceWeak), rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"domain called like a class of replies", wordyDomain, rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"list of its members", asked(answered(reply(550, "", "user@example.com is a closed mailing list"), unknownUser)), rcpt.ReasonRestricted, rcpt.VerdictUnknown},
		{"syntax level", Evidence{Local: "user", Level: LevelSyntax}, rcpt.ReasonLevelReached, rcpt.VerdictUnknown},
		{"dns level", found(oneHost), rcpt.ReasonLevelReached, rcpt.VerdictUnknown},

		{"long local-part, not asked", longLocal(Evidence{Level: LevelSyntax}), rcpt.ReasonLevelReached, rcpt.VerdictUnknown},
		{"long local-part, dns level", longLocal(found(oneHost)), rcpt.ReasonLevelReached, rcpt.VerdictUnknown},
		{"long local-part, nxdomain", longLocal(found(dnsresolve.Findings{Status: dnsresolve.StatusNXDomain})), rcpt.ReasonDomainNotFound, rcpt.VerdictUndeliverable},
		{"long local-part, accepted", longLocal(asked(answered(accepted, unknownUser))), rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"long local-part, missing", longLocal(asked(answered(unknownUser, unknownUser))), rcpt.ReasonMailboxNotFound, rcpt.VerdictUndeliverable},
		{"long local-part, refused for its syntax", longLocal(asked(answered(badSyntax, unknownUser))), rcpt.ReasonInvalidSyntax, rcpt.VerdictUndeliverable},
		{"long local-part, refused for its syntax, no control", longLocal(asked(smtpprobe.Session{Host: "mx.example.com", Target: &badSyntax})), rcpt.ReasonAmbiguousRefusal, rcpt.VerdictUnknown},
		{"long local-part, refused in the words for all", longLocal(asked(answered(badSyntax, badSyntax))), rcpt.ReasonAmbiguousRefusal, rcpt.VerdictUnknown},
		{"long local-part, refused without a cause", longLocal(asked(answered(reply(550, "", "No."), unknownUser))), rcpt.ReasonAmbiguousRefusal, rcpt.VerdictUnknown},
		{"long local-part, bad syntax for the moment", longLocal(asked(answered(reply(451, "4.1.3", "Bad syntax"), unknownUser))), rcpt.ReasonTemporaryFailure, rcpt.VerdictUnknown},
		{"long local-part, no answer", longLocal(asked(failed(smtp.PhaseRCPT, smtp.KindTimeout))), rcpt.ReasonConnectionTimeout, rcpt.VerdictUnknown},
		{"long local-part, blocked", longLocal(asked(answered(blockedIP, blockedIP))), rcpt.ReasonBlocked, rcpt.VerdictUnknown},
		{"regular address, refused for its syntax", asked(answered(badSyntax, unknownUser)), rcpt.ReasonAmbiguousRefusal, rcpt.VerdictUnknown},
		{"quotes that we put, refused for their syntax", quotedByUs(asked(answered(badSyntax, unknownUser))), rcpt.ReasonAmbiguousRefusal, rcpt.VerdictUnknown},

		{"underscore, nxdomain", underscore(found(dnsresolve.Findings{Status: dnsresolve.StatusNXDomain})), rcpt.ReasonInvalidSyntax, rcpt.VerdictUndeliverable},
		{"underscore, nodata", underscore(found(dnsresolve.Findings{Status: dnsresolve.StatusNoData})), rcpt.ReasonInvalidSyntax, rcpt.VerdictUndeliverable},
		{"underscore, nxdomain, unproven", onNetwork(underscore(found(dnsresolve.Findings{Status: dnsresolve.StatusNXDomain})), noResolver), rcpt.ReasonResolverUnreliable, rcpt.VerdictUnknown},
		{"underscore, null mx", underscore(found(dnsresolve.Findings{Status: dnsresolve.StatusOK, NullMX: true})), rcpt.ReasonNullMX, rcpt.VerdictUndeliverable},
		{"underscore, servfail", underscore(found(dnsresolve.Findings{Status: dnsresolve.StatusServFail})), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"underscore, no target resolves", underscore(found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{deadHost("a", dnsresolve.StatusNXDomain)}})), rcpt.ReasonNoMailHost, rcpt.VerdictUndeliverable},
		{"underscore, accepted", underscore(asked(answered(accepted, unknownUser))), rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"underscore, all refused for their syntax", underscore(asked(answered(badSyntax, badSyntax))), rcpt.ReasonInvalidSyntax, rcpt.VerdictUndeliverable},
		{"underscore, relaying denied", underscore(asked(answered(reply(554, "5.7.1", "Relay access denied"), reply(554, "5.7.1", "Relay access denied")))), rcpt.ReasonNotOurDomain, rcpt.VerdictUnknown},

		{"mx that names an unknown URL", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{deadHost("http://mx", dnsresolve.StatusNXDomain)}}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"mx that names an unknown URL, and one without address", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{deadHost("http://mx", dnsresolve.StatusNoData), deadHost("a", dnsresolve.StatusNXDomain)}}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"mx that names an address of the loopback", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{host("127.0.0.1", "127.0.0.1", "loopback")}}), rcpt.ReasonMXReservedAddress, rcpt.VerdictUndeliverable},

		{"nxdomain", found(dnsresolve.Findings{Status: dnsresolve.StatusNXDomain}), rcpt.ReasonDomainNotFound, rcpt.VerdictUndeliverable},
		{"nodata", found(dnsresolve.Findings{Status: dnsresolve.StatusNoData}), rcpt.ReasonNoMailHost, rcpt.VerdictUndeliverable},
		{"null mx", found(dnsresolve.Findings{Status: dnsresolve.StatusOK, NullMX: true}), rcpt.ReasonNullMX, rcpt.VerdictUndeliverable},
		{"servfail", found(dnsresolve.Findings{Status: dnsresolve.StatusServFail}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"refused", found(dnsresolve.Findings{Status: dnsresolve.StatusRefused}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"dns timeout", found(dnsresolve.Findings{Status: dnsresolve.StatusTimeout}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"malformed answer", found(dnsresolve.Findings{Status: dnsresolve.StatusMalformed}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"no resolver", found(dnsresolve.Findings{Status: dnsresolve.StatusError}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"status from the future", found(dnsresolve.Findings{Status: "novel"}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"no target resolves", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{deadHost("a", dnsresolve.StatusNXDomain), deadHost("b", dnsresolve.StatusNoData)}}), rcpt.ReasonNoMailHost, rcpt.VerdictUndeliverable},
		{"one target not looked up", found(dnsresolve.Findings{Status: dnsresolve.StatusOK, Omitted: 1,
			Hosts: []dnsresolve.Host{deadHost("a", dnsresolve.StatusNXDomain)}}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"one target's look-up fails", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{deadHost("a", dnsresolve.StatusNXDomain), deadHost("b", dnsresolve.StatusTimeout)}}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"loopback only", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{host("a", "127.0.0.1", "loopback"), host("b", "::1", "loopback")}}), rcpt.ReasonMXReservedAddress, rcpt.VerdictUndeliverable},
		{"private", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{host("a", "10.0.0.1", "private")}}), rcpt.ReasonMXReservedAddress, rcpt.VerdictUnknown},
		{"loopback and private", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{host("a", "127.0.0.1", "loopback"), host("b", "10.0.0.1", "private")}}), rcpt.ReasonMXReservedAddress, rcpt.VerdictUnknown},
		{"loopback and unseen", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{host("a", "127.0.0.1", "loopback"), deadHost("b", dnsresolve.StatusServFail)}}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},

		{"loopback, and perhaps more", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{incomplete(host("a", "127.0.0.1", "loopback"))}}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"loopback, and IPv6 not asked for: it was in an allowed network then", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{ipv4Only(host("a", "127.0.0.1", "loopback"))}}), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"loopback, and hosts not looked up", found(dnsresolve.Findings{Status: dnsresolve.StatusOK, Omitted: 1,
			Hosts: []dnsresolve.Host{host("a", "127.0.0.1", "loopback")}}), rcpt.ReasonMXReservedAddress, rcpt.VerdictUnknown},
		{"loopback, and addresses left out", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{leavingOut(host("a", "127.0.0.1", "loopback"))}}), rcpt.ReasonMXReservedAddress, rcpt.VerdictUnknown},
		{"private, and hosts not looked up", found(dnsresolve.Findings{Status: dnsresolve.StatusOK, Omitted: 1,
			Hosts: []dnsresolve.Host{host("a", "10.0.0.1", "private")}}), rcpt.ReasonMXReservedAddress, rcpt.VerdictUnknown},

		{"nothing but 0.0.0.0 without MX, as filters say", found(dnsresolve.Findings{Status: dnsresolve.StatusOK, Implicit: true,
			Hosts: []dnsresolve.Host{host("a", "0.0.0.0", "unspecified")}}), rcpt.ReasonMXReservedAddress, rcpt.VerdictUnknown},
		{"a mail host at 0.0.0.0, as filters say of its name", found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{host("a", "127.0.0.1", "loopback"), host("b", "0.0.0.0", "unspecified")}}), rcpt.ReasonMXReservedAddress, rcpt.VerdictUnknown},
		{"nxdomain, unproven", onNetwork(found(dnsresolve.Findings{Status: dnsresolve.StatusNXDomain}), noResolver), rcpt.ReasonResolverUnreliable, rcpt.VerdictUnknown},
		{"nodata, unproven", onNetwork(found(dnsresolve.Findings{Status: dnsresolve.StatusNoData}), noResolver), rcpt.ReasonResolverUnreliable, rcpt.VerdictUnknown},
		{"null mx, unproven", onNetwork(found(dnsresolve.Findings{Status: dnsresolve.StatusOK, NullMX: true}), noResolver), rcpt.ReasonResolverUnreliable, rcpt.VerdictUnknown},
		{"loopback, unproven", onNetwork(found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{host("a", "127.0.0.1", "loopback")}}), noResolver), rcpt.ReasonResolverUnreliable, rcpt.VerdictUnknown},
		{"servfail, unproven", onNetwork(found(dnsresolve.Findings{Status: dnsresolve.StatusServFail}), noResolver), rcpt.ReasonDNSTemporary, rcpt.VerdictUnknown},
		{"nxdomain, and port 25 is blocked", onNetwork(found(dnsresolve.Findings{Status: dnsresolve.StatusNXDomain}), noPort), rcpt.ReasonDomainNotFound, rcpt.VerdictUndeliverable},
		{"timeout, port 25 is blocked", onNetwork(asked(failed(smtp.PhaseConnect, smtp.KindTimeout)), noPort), rcpt.ReasonPortBlocked, rcpt.VerdictUnknown},
		{"not tried, port 25 is blocked", onNetwork(found(oneHost), noPort), rcpt.ReasonPortBlocked, rcpt.VerdictUnknown},
		{"refused, port 25 is blocked", onNetwork(asked(failed(smtp.PhaseConnect, smtp.KindRefused)), noPort), rcpt.ReasonPortBlocked, rcpt.VerdictUnknown},
		{"the domain is excluded", excluded(Evidence{Domain: "example.com", Level: LevelSMTP}, "domain:example.com"), rcpt.ReasonNotAsked, rcpt.VerdictUnknown},
		{"its mail host is excluded", excluded(found(oneHost), "mx:mx.example.com"), rcpt.ReasonNotAsked, rcpt.VerdictUnknown},
		{"one mail host is excluded, and the other was asked", excluded(asked(answered(accepted, unknownUser)), "mx:mx.example.net"), rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"excluded, but the DNS knows enough", excluded(found(dnsresolve.Findings{Status: dnsresolve.StatusNXDomain}), "mx:example.com"), rcpt.ReasonDomainNotFound, rcpt.VerdictUndeliverable},
		{"a spam trap at an excluded domain", excluded(Evidence{Domain: "example.com", Matches: []lists.Match{{List: lists.KindSpamTrap}}}, "domain:example.com"), rcpt.ReasonSpamTrap, rcpt.VerdictUnknown},
		{"proxy is down, port 25 is blocked", onNetwork(asked(failed(smtp.PhaseConnect, smtp.KindEgress)), noPort), rcpt.ReasonEgressFailed, rcpt.VerdictUnknown},
		{"missing, port 25 was blocked", onNetwork(asked(answered(unknownUser, unknownUser)), noPort), rcpt.ReasonMailboxNotFound, rcpt.VerdictUndeliverable},

		{"no session", asked(), rcpt.ReasonConnectionFailed, rcpt.VerdictUnknown},
		{"refused connection", asked(failed(smtp.PhaseConnect, smtp.KindRefused)), rcpt.ReasonConnectionFailed, rcpt.VerdictUnknown},
		{"unreachable", asked(failed(smtp.PhaseConnect, smtp.KindUnreachable)), rcpt.ReasonConnectionFailed, rcpt.VerdictUnknown},
		{"closed", asked(failed(smtp.PhaseRCPT, smtp.KindClosed)), rcpt.ReasonConnectionFailed, rcpt.VerdictUnknown},
		{"reset", asked(failed(smtp.PhaseRCPT, smtp.KindReset)), rcpt.ReasonConnectionFailed, rcpt.VerdictUnknown},
		{"timeout", asked(failed(smtp.PhaseRCPT, smtp.KindTimeout)), rcpt.ReasonConnectionTimeout, rcpt.VerdictUnknown},
		{"tls", asked(failed(smtp.PhaseSTARTTLS, smtp.KindTLS)), rcpt.ReasonTLSFailed, rcpt.VerdictUnknown},
		{"protocol", asked(failed(smtp.PhaseGreeting, smtp.KindProtocol)), rcpt.ReasonProtocolError, rcpt.VerdictUnknown},
		{"not its turn", asked(failed(smtp.PhaseConnect, smtp.KindLimited)), rcpt.ReasonRateLimited, rcpt.VerdictUnknown},
		{"provider paused", asked(failed(smtp.PhaseConnect, smtp.KindPaused)), rcpt.ReasonBlocked, rcpt.VerdictUnknown},
		{"no smtputf8", asked(atOneHost(failed(smtp.PhaseMAIL, smtp.KindSMTPUTF8))), rcpt.ReasonSMTPUTF8Unsupported, rcpt.VerdictUndeliverable},
		{"no EHLO, so no smtputf8", asked(atOneHost(smtpprobe.Session{EHLO: &ehlo502, Failure: &smtp.Failure{Kind: smtp.KindSMTPUTF8}})), rcpt.ReasonSMTPUTF8Unsupported, rcpt.VerdictUndeliverable},
		{"no smtputf8 at one host of two", asked(failed(smtp.PhaseMAIL, smtp.KindSMTPUTF8)), rcpt.ReasonSMTPUTF8Unsupported, rcpt.VerdictUnknown},
		{"no smtputf8, and hosts not looked up", withSMTP(found(omitting(oneHost)), atOneHost(failed(smtp.PhaseMAIL, smtp.KindSMTPUTF8))), rcpt.ReasonSMTPUTF8Unsupported, rcpt.VerdictUnknown},
		{"no smtputf8, and a host whose look-up failed", withSMTP(found(dnsresolve.Findings{Status: dnsresolve.StatusOK,
			Hosts: []dnsresolve.Host{oneHost.Hosts[0], deadHost("b", dnsresolve.StatusServFail)}}),
			atOneHost(failed(smtp.PhaseMAIL, smtp.KindSMTPUTF8))), rcpt.ReasonSMTPUTF8Unsupported, rcpt.VerdictUnknown},
		{"no smtputf8 at the backup of a dead host", asked(failed(smtp.PhaseConnect, smtp.KindTimeout), failed(smtp.PhaseMAIL, smtp.KindSMTPUTF8)), rcpt.ReasonConnectionTimeout, rcpt.VerdictUnknown},
		{"no smtputf8 at the backup of a busy host", asked(smtpprobe.Session{Greeting: &greeting421}, failed(smtp.PhaseMAIL, smtp.KindSMTPUTF8)), rcpt.ReasonTemporaryFailure, rcpt.VerdictUnknown},
		{"no smtputf8 outside tls", asked(failed(smtp.PhaseSTARTTLS, smtp.KindTLS), failed(smtp.PhaseMAIL, smtp.KindSMTPUTF8)), rcpt.ReasonTLSFailed, rcpt.VerdictUnknown},
		{"failure of a kind from the future", asked(failed(smtp.PhaseRCPT, "novel")), rcpt.ReasonConnectionFailed, rcpt.VerdictUnknown},

		{"missing", asked(answered(unknownUser, unknownUser)), rcpt.ReasonMailboxNotFound, rcpt.VerdictUndeliverable},
		{"missing, control not asked", asked(onlyTarget), rcpt.ReasonMailboxNotFound, rcpt.VerdictUndeliverable},
		{"missing, control limited", asked(answered(unknownUser, tooMany)), rcpt.ReasonMailboxNotFound, rcpt.VerdictUndeliverable},
		{"missing though the control is taken", asked(answered(unknownUser, accepted)), rcpt.ReasonMailboxNotFound, rcpt.VerdictUndeliverable},
		{"exists", asked(answered(accepted, unknownUser)), rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"exists, control disabled", asked(answered(accepted, reply(550, "5.2.1", "Mailbox disabled"))), rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"exists, control's account suspended", asked(answered(accepted, reply(550, "", "Account suspended"))), rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
		{"forwarded", asked(answered(reply(251, "2.1.5", "will forward"), unknownUser)), rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"catch-all", asked(answered(accepted, accepted)), rcpt.ReasonCatchAll, rcpt.VerdictAcceptAll},
		{"accepted, control not asked", asked(acceptedAlone), rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
		{"accepted, control limited", asked(answered(accepted, tooMany)), rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
		{"accepted, control blocked", asked(answered(accepted, blockedIP)), rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
		{"accepted, control ambiguous", asked(answered(accepted, reply(550, "", "no"))), rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
		{"accepted, control greylisted", asked(answered(accepted, reply(451, "4.7.1", "Greylisted"))), rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
		{"unverified", asked(answered(reply(252, "", "cannot verify"), unknownUser)), rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
		{"disabled", asked(answered(reply(550, "5.2.1", "Mailbox disabled"), unknownUser)), rcpt.ReasonMailboxDisabled, rcpt.VerdictUndeliverable},
		{"moved", asked(answered(reply(551, "5.1.6", "User moved"), unknownUser)), rcpt.ReasonMailboxMoved, rcpt.VerdictUndeliverable},
		{"full", asked(answered(reply(452, "4.2.2", "Over quota"), unknownUser)), rcpt.ReasonMailboxFull, rcpt.VerdictUnknown},
		{"full for good", asked(answered(reply(552, "5.2.2", "Over quota"), unknownUser)), rcpt.ReasonMailboxFull, rcpt.VerdictUnknown},
		{"relaying", asked(answered(reply(554, "5.7.1", "Relay access denied"), unknownUser)), rcpt.ReasonNotOurDomain, rcpt.VerdictUnknown},
		{"greylisted", asked(answered(reply(451, "4.7.1", "Greylisted"), unknownUser)), rcpt.ReasonGreylisted, rcpt.VerdictUnknown},
		{"rate", asked(answered(tooMany, tooMany)), rcpt.ReasonRateLimited, rcpt.VerdictUnknown},
		{"blocked", asked(answered(blockedIP, blockedIP)), rcpt.ReasonBlocked, rcpt.VerdictUnknown},
		{"other 4yz", asked(answered(reply(451, "4.3.0", "local problem"), unknownUser)), rcpt.ReasonTemporaryFailure, rcpt.VerdictUnknown},
		{"4yz user unknown", asked(answered(reply(450, "4.1.1", "User unknown"), unknownUser)), rcpt.ReasonTemporaryFailure, rcpt.VerdictUnknown},
		{"5yz that names nothing", asked(answered(reply(550, "", "no"), unknownUser)), rcpt.ReasonAmbiguousRefusal, rcpt.VerdictUnknown},

		{"greeting 554", asked(smtpprobe.Session{Greeting: &greeting554}), rcpt.ReasonBlocked, rcpt.VerdictUnknown},
		{"greeting 421", asked(smtpprobe.Session{Greeting: &greeting421}), rcpt.ReasonTemporaryFailure, rcpt.VerdictUnknown},
		{"user unknown at MAIL", asked(smtpprobe.Session{MAIL: &mail550}), rcpt.ReasonBlocked, rcpt.VerdictUnknown},
		{"TLS wanted", asked(smtpprobe.Session{MAIL: &mail530}), rcpt.ReasonBlocked, rcpt.VerdictUnknown},
		{"TLS wanted and broken", asked(failed(smtp.PhaseSTARTTLS, smtp.KindTLS), smtpprobe.Session{MAIL: &mail530}), rcpt.ReasonTLSFailed, rcpt.VerdictUnknown},
		{"the later answer outranks the earlier failure", asked(failed(smtp.PhaseConnect, smtp.KindTimeout), answered(accepted, unknownUser)), rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"a refusal outranks a later silence", asked(smtpprobe.Session{Greeting: &greeting421}, failed(smtp.PhaseConnect, smtp.KindTimeout)), rcpt.ReasonTemporaryFailure, rcpt.VerdictUnknown},
	}
	reached := map[rcpt.Reason]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Decide(tt.evidence, Policy{})
			if got.Reason != tt.reason || got.Verdict != tt.verdict {
				t.Errorf("%s, %s; want %s, %s", got.Reason, got.Verdict, tt.reason, tt.verdict)
			}
			if got.Message == "" {
				t.Error("no message")
			}
			step, early := got.Reason.EndsAt(), []rcpt.Reason{rcpt.ReasonInvalidSyntax, rcpt.ReasonSpamTrap} // of which later steps may speak
			notTried := got.Reason == rcpt.ReasonPortBlocked && tt.evidence.SMTP == nil                      // the step is left out
			if step != "" && step != lastStep(tt.evidence) && !slices.Contains(early, got.Reason) && !notTried {
				t.Errorf("%s ends at %q, and this at %q", got.Reason, step, lastStep(tt.evidence))
			}
			reached[got.Reason] = true
		})
	}
	for _, reason := range rcpt.Reasons() {
		if !reached[reason] && !slices.Contains(notPut, reason) {
			t.Errorf("no case reaches %s", reason)
		}
	}
}

// lastStep is the last step that left something in the evidence.
func lastStep(e Evidence) rcpt.Step {
	switch {
	case e.SMTP != nil:
		return rcpt.StepSMTP
	case e.DNS != nil:
		return rcpt.StepDNS
	case e.Syntax == nil:
		return rcpt.StepLists
	}
	return rcpt.StepSyntax
}

// TestLaws tries every class that the rules may give against the laws that hold
// whatever the rules say.
func TestLaws(t *testing.T) {
	for class := range reasonOf {
		for _, phase := range []smtp.Phase{smtp.PhaseGreeting, smtp.PhaseEHLO, smtp.PhaseMAIL} {
			if verdict := reasonFor(class, phase, 550).Verdict(); verdict != rcpt.VerdictUnknown {
				t.Errorf("%s at %s: %s; a refusal before RCPT is about us", class, phase, verdict)
			}
		}
		if verdict := reasonFor(class, smtp.PhaseRCPT, 450).Verdict(); verdict != rcpt.VerdictUnknown {
			t.Errorf("%s with a 4yz code: %s; it proves nothing for good", class, verdict)
		}
	}
}

func TestCatchAllState(t *testing.T) {
	tests := []struct {
		name            string
		target, control smtp.Reply
		want            rcpt.CatchAllState
		flag            bool
	}{
		{"control refused", accepted, unknownUser, rcpt.CatchAllNo, false},
		{"control accepted", accepted, accepted, rcpt.CatchAllYes, true},
		{"target put off, control accepted", tooMany, accepted, rcpt.CatchAllYes, true},
		{"target refused, control accepted", unknownUser, accepted, rcpt.CatchAllUnknown, false},
		{"control limited", accepted, tooMany, rcpt.CatchAllUnknown, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Decide(asked(answered(tt.target, tt.control)), Policy{})
			if got.Details.CatchAll != tt.want || got.AcceptAll != tt.flag {
				t.Errorf("%s, flag %v; want %s, flag %v", got.Details.CatchAll, got.AcceptAll, tt.want, tt.flag)
			}
		})
	}
}

// TestProviders checks what is known of a provider to what it may change: the
// worth of an acceptance, and nothing else.
func TestProviders(t *testing.T) {
	const checks, sortsOutLater = "gmail-smtp-in.l.google.com", "mta5.am0.yahoodns.net"
	tests := []struct {
		name            string
		host            string
		target, control smtp.Reply
		reason          rcpt.Reason
		verdict         rcpt.Verdict
	}{
		{"checks, control limited", checks, accepted, tooMany, rcpt.ReasonRecipientAccepted, rcpt.VerdictDeliverable},
		{"checks, control accepted all the same", checks, accepted, accepted, rcpt.ReasonCatchAll, rcpt.VerdictAcceptAll},
		{"checks, put off", checks, tooMany, unknownUser, rcpt.ReasonRateLimited, rcpt.VerdictUnknown},
		{"checks, unverified", checks, reply(252, "", "cannot verify"), unknownUser, rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
		{"sorts out later, control limited", sortsOutLater, accepted, tooMany, rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
		{"sorts out later", sortsOutLater, accepted, accepted, rcpt.ReasonCatchAll, rcpt.VerdictAcceptAll},
		{"unknown provider, control limited", "mx.example.com", accepted, tooMany, rcpt.ReasonControlInconclusive, rcpt.VerdictUnknown},
	}
	messages := map[string]string{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			session := answered(tt.target, tt.control)
			session.Host = tt.host
			got := Decide(asked(session), Policy{})
			if got.Reason != tt.reason || got.Verdict != tt.verdict {
				t.Errorf("%s, %s; want %s, %s", got.Reason, got.Verdict, tt.reason, tt.verdict)
			}
			messages[tt.name] = got.Message
		})
	}
	if messages["sorts out later"] == messages["checks, control accepted all the same"] {
		t.Error("the message does not say that the provider sorts out later")
	}
	evidence := found(dnsresolve.Findings{Status: dnsresolve.StatusOK, Hosts: []dnsresolve.Host{host("aspmx.l.google.com", "198.51.100.1", "")}})
	if got := Decide(evidence, Policy{}).Details.Provider; got != "google_workspace" {
		t.Errorf("provider %q, want google_workspace", got)
	}
}

// TestPutOffOverIPv4 checks that what IPv6 refuses for good is no last word of
// a mail host that put us off over IPv4, and only of that one.
func TestPutOffOverIPv4(t *testing.T) {
	const v4, other4, v6 = "198.51.100.1", "198.51.100.2", "2001:db8::1"
	at := func(name, ip string, greeting smtp.Reply) smtpprobe.Session {
		return smtpprobe.Session{Host: name, Addr: netip.AddrPortFrom(netip.MustParseAddr(ip), 25), Greeting: &greeting}
	}
	busy, busier := reply(421, "4.3.2", "busy"), reply(421, "4.7.0", "too many connections")
	for _, tt := range []struct {
		name     string
		sessions []smtpprobe.Session
		want     rcpt.Reason
	}{
		{"refused over IPv6", []smtpprobe.Session{at("mx", v4, busy), at("mx", v6, blockedIP)}, rcpt.ReasonTemporaryFailure},
		{"refused over IPv4 as well", []smtpprobe.Session{at("mx", v4, busy), at("mx", other4, blockedIP)}, rcpt.ReasonBlocked},
		{"refused by another host", []smtpprobe.Session{at("mx", v4, busy), at("mx2", v6, blockedIP)}, rcpt.ReasonBlocked},
		{"put off over IPv6", []smtpprobe.Session{at("mx", v6, busy), at("mx", "2001:db8::2", blockedIP)}, rcpt.ReasonBlocked},
		{"put off twice", []smtpprobe.Session{at("mx", v4, busy), at("mx", v6, busier)}, rcpt.ReasonRateLimited},
	} {
		result := Decide(asked(tt.sessions...), Policy{})
		if got := result.Reason; got != tt.want || result.Verdict != rcpt.VerdictUnknown {
			t.Errorf("%s: %s (%s), want %s", tt.name, got, result.Verdict, tt.want)
		}
	}
	first, last := reply(554, "", "no"), reply(554, "", "go away")
	if got := Decide(asked(at("mx", v4, first), at("mx", v6, last)), Policy{}).Details.SMTP.Text; got != "go away" {
		t.Errorf("refused twice: %q is told, want the later", got)
	}
}

func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"Greylisted, try again in 90 seconds": 90 * time.Second,
		"Greylisted":                          5 * time.Minute,
	} {
		got := Decide(asked(answered(reply(451, "4.7.1", text), unknownUser)), Policy{})
		if got.RetryAfter() != want {
			t.Errorf("%q: retry after %v, want %v", text, got.RetryAfter(), want)
		}
	}
	for _, tt := range []struct {
		target smtp.Reply
		reason rcpt.Reason
		want   time.Duration
	}{
		{unknownUser, rcpt.ReasonMailboxNotFound, 0},
		{reply(552, "5.2.2", "The mailbox is full, try again in 300 seconds"), rcpt.ReasonMailboxFull, 0},
		{reply(452, "4.2.2", "The mailbox is full, try again in 300 seconds"), rcpt.ReasonMailboxFull, 5 * time.Minute},
		{reply(452, "4.2.2", "The mailbox is full"), rcpt.ReasonMailboxFull, time.Hour},
		{reply(450, "4.7.1", "Your IP address is listed"), rcpt.ReasonBlocked, time.Hour},
		{reply(451, "4.7.1", "Blocked as a spam source, retry in 2 hours"), rcpt.ReasonBlocked, 2 * time.Hour},
		{reply(550, "5.7.1", "Your IP address is listed"), rcpt.ReasonBlocked, 0},
		{reply(450, "4.7.2", "Only members may post"), rcpt.ReasonRestricted, time.Hour},
		{reply(454, "4.7.1", "Relay access denied"), rcpt.ReasonNotOurDomain, time.Hour},
	} {
		got := Decide(asked(answered(tt.target, unknownUser)), Policy{})
		if got.Reason != tt.reason || got.RetryAfter() != tt.want {
			t.Errorf("%v: %s, retry after %v, want %s and %v", tt.target, got.Reason, got.RetryAfter(), tt.reason, tt.want)
		}
	}
}

// TestGreetingThatForetells: some hosts greet a client that they treat apart so
// that the greeting says it. What they answer later is not about a mailbox.
func TestGreetingThatForetells(t *testing.T) {
	greeted := func(text string, target smtp.Reply) Evidence {
		s := answered(target, target)
		greeting := reply(220, "", text)
		s.Greeting = &greeting
		return asked(s)
	}
	for _, tt := range []struct {
		name     string
		evidence Evidence
		reason   rcpt.Reason
		wait     time.Duration
	}{
		{"rblsmtpd", greeted("rblsmtpd.local", reply(451, "", "temporary problem")), rcpt.ReasonBlocked, time.Hour},
		{"rblsmtpd -b", greeted("rblsmtpd.local", reply(553, "", "no such user")), rcpt.ReasonBlocked, time.Hour},
		{"spamd", greeted("mx.example.com ESMTP", reply(250, "", "This is hurting you more than it is hurting me.")), rcpt.ReasonGreylisted, 25 * time.Minute},
		{"spamd by its greeting", greeted("mx.example.com ESMTP spamd IP-based SPAM blocker", accepted), rcpt.ReasonGreylisted, 25 * time.Minute},
		{"only called so", greeted("spamd.example.com ESMTP", accepted), rcpt.ReasonCatchAll, 0},
	} {
		got := Decide(tt.evidence, Policy{})
		if got.Reason != tt.reason || got.RetryAfter() != tt.wait {
			t.Errorf("%s: %s, retry after %v, want %s and %v", tt.name, got.Reason, got.RetryAfter(), tt.reason, tt.wait)
		}
		if tt.reason != rcpt.ReasonCatchAll && (got.Details.CatchAll != rcpt.CatchAllUnknown || got.Verdict != rcpt.VerdictUnknown) {
			t.Errorf("%s: %s, catch-all %s", tt.name, got.Verdict, got.Details.CatchAll)
		}
	}
}

// TestTheHostThatGreeted checks that a mail host that greeted and then fell
// silent says more than one that was not reached, in whatever order.
func TestTheHostThatGreeted(t *testing.T) {
	greeted, unreached := failed(smtp.PhaseMAIL, smtp.KindTimeout), failed(smtp.PhaseConnect, smtp.KindRefused)
	greeted.Greeting = &smtp.Reply{Code: 220, Lines: []string{"mx.example.com ESMTP"}}
	for _, sessions := range [][]smtpprobe.Session{{greeted, unreached}, {unreached, greeted}} {
		got := Decide(asked(sessions...), Policy{})
		if got.Reason != rcpt.ReasonConnectionTimeout || got.Details.SMTP.Phase != smtp.PhaseMAIL {
			t.Errorf("%s at %s", got.Reason, got.Details.SMTP.Phase)
		}
	}
}

// TestOwnAddress checks that a reply that names our reverse-path is about us.
func TestOwnAddress(t *testing.T) {
	evidence := asked(answered(reply(550, "5.1.1", "<probe@example.org>: User unknown"), unknownUser))
	evidence.MailFrom = "probe@example.org"
	if got := Decide(evidence, Policy{}); got.Reason != rcpt.ReasonBlocked {
		t.Errorf("%s, want %s", got.Reason, rcpt.ReasonBlocked)
	}
}

func TestAllowNets(t *testing.T) {
	evidence := found(dnsresolve.Findings{Status: dnsresolve.StatusOK, Hosts: []dnsresolve.Host{host("a", "10.0.0.1", "private")}})
	allowed := Decide(evidence, Policy{AllowNets: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	if allowed.Reason != rcpt.ReasonLevelReached {
		t.Errorf("allowed network: %s, want %s", allowed.Reason, rcpt.ReasonLevelReached)
	}
}

// TestSpamTrapFlag checks that a weak hint is shown and sets no flag.
func TestSpamTrapFlag(t *testing.T) {
	for confidence, want := range map[lists.Confidence]bool{lists.ConfidenceWeak: false, lists.ConfidenceStrong: true, "": true} {
		got := Decide(hinted(found(oneHost), confidence), Policy{})
		if got.SpamTrap != want || len(got.Details.Matches) != 1 {
			t.Errorf("confidence %q: flag %v with %d matches, want %v with 1", confidence, got.SpamTrap, len(got.Details.Matches), want)
		}
	}
}

func TestFlags(t *testing.T) {
	evidence := found(oneHost)
	evidence.Matches = []lists.Match{{List: lists.KindRole}, {List: lists.KindFree}, {List: lists.KindDisposable}}
	evidence.RHSBL = []rhsbl.Answer{listedIn("dbl.test", "127.0.1.2")}
	got := Decide(evidence, Policy{})
	if !got.Role || !got.Free || !got.Disposable || got.SpamTrap {
		t.Errorf("flags %v %v %v %v, want all but spam trap", got.Role, got.Free, got.Disposable, got.SpamTrap)
	}
	others := found(oneHost)
	others.Matches = []lists.Match{{List: lists.KindRelay}, {List: lists.KindAllow}}
	others.RHSBL = evidence.RHSBL
	if got := Decide(others, Policy{}); got.Role || got.Free || got.Disposable || got.SpamTrap {
		t.Errorf("relay, allowed, in an RHSBL: flags %v %v %v %v, want none", got.Role, got.Free, got.Disposable, got.SpamTrap)
	}
}

func TestRetryWhenTheProviderIsAskedAgain(t *testing.T) {
	for _, kind := range []smtp.Kind{smtp.KindPaused, smtp.KindLimited} {
		session := failed(smtp.PhaseConnect, kind)
		session.Failure.RetryAfter = 77 * time.Second
		if got := Decide(asked(session), Policy{}).RetryAfter(); got != 77*time.Second {
			t.Errorf("%s: retry after %v, want 77 s", kind, got)
		}
	}
}

var noResolver, noPort = NetworkFacts{ResolverFault: "it denies gmail.com"}, NetworkFacts{PortFault: "nobody can be reached"}

func onNetwork(evidence Evidence, facts NetworkFacts) Evidence {
	evidence.Network = &facts
	return evidence
}

// excluded is evidence with a rule that kept us from asking.
func excluded(evidence Evidence, rule string) Evidence {
	evidence.NotAsked = []NotAsked{{Rule: rule}}
	return evidence
}

// listedIn is the answer of a zone that has example.com.
func listedIn(zone string, codes ...string) rhsbl.Answer {
	answer := rhsbl.Answer{Zone: zone, Domain: "example.com", Status: dnsresolve.StatusOK}
	for _, code := range codes {
		answer.Addrs = append(answer.Addrs, netip.MustParseAddr(code))
	}
	return answer
}

// notPut are the reasons of what is put to no Verifier: there is nothing to
// decide.
var notPut = []rcpt.Reason{rcpt.ReasonSeveralAddresses, rcpt.ReasonNoAddress, rcpt.ReasonUnclearAddress, rcpt.ReasonInvalidRow}
