package smtptest

import (
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// hostile is a mail host that is broken or means ill, in one way.
type hostile struct {
	name string // "drip-greeting"
	Handler
}

// HostileKinds returns the names of the kinds of mail hosts that are broken or
// mean ill, each in one way, in a fixed order. Those that get as far as RCPT
// have the mailboxes whose local-parts are "real" with any digits behind it; no
// kind says of those, as an answer to RCPT that names them alone, that they do
// not exist. A client that comes to think so was fooled.
func HostileKinds() (names []string) {
	for _, h := range hostileHosts() {
		names = append(names, h.name)
	}
	return names
}

// HostileHost returns a new host of the kind with that name, one of those that
// [HostileKinds] returns. It panics at any other name. Some hosts keep count
// over their sessions.
func HostileHost(name string) Handler {
	for _, h := range hostileHosts() {
		if h.name == name {
			return h.Handler
		}
	}
	panic("smtptest: no hostile host is called " + name)
}

// hostileHosts makes a host of each kind.
func hostileHosts() []hostile {
	return slices.Concat(slowHosts(), faultyHosts(), longHosts(), oddHosts(), outOfStepHosts(), tlsHosts(),
		fickleHosts(), turningHosts())
}

// realHost makes what is wrong with a host that checks its recipients.
func realHost(wrong func(*Host)) *Host {
	h := &Host{RCPTFunc: func(rcpt string, _ int) string { return realReply(rcpt) }}
	wrong(h)
	return h
}

// realReply is the truth about a mailbox behind a hostile host.
func realReply(rcpt string) string {
	local, _, _ := strings.Cut(rcpt, "@")
	if strings.TrimRight(local, "0123456789") == "real" { // which no random control is
		return string(Accepts)
	}
	return defaultUnknown
}

// slowHosts answer, and take more time than anybody has.
func slowHosts() []hostile {
	const (
		greeting = "220 mx.smtptest.example is glad to see you, and takes its time to say so"
		line     = "250 2.1.0 you are very welcome here, which takes time to say"
	)
	return []hostile{
		{"drip-greeting", Script("drip 2s " + greeting)},
		{"drip-ehlo", Script(untilEHLO + "drip 2s " + line)},
		{"drip-mail", Script(withEHLO + "C: MAIL *\ndrip 2s " + line)},
		{"drip-rcpt", Script(untilRCPT + "drip 2s " + line)},
		{"drip-lines", Script(untilEHLO + strings.Repeat("S: 250-one more\nsleep 2s\n", 90) + "hang")},
		{"slow-replies", realHost(func(h *Host) { h.GreetingDelay, h.ReplyDelay = 20*time.Second, 20*time.Second })},
		{"slow-recipients", realHost(func(h *Host) { h.RCPTDelay = 20 * time.Second })},
		{"late-greeting", speaksSecond("220 mx.smtptest.example\r\n")},
	}
}

// faultyHosts fall silent, hang up, reset the connection or say 421 at one
// phase.
func faultyHosts() []hostile {
	var hosts []hostile
	for _, phase := range []smtp.Phase{
		smtp.PhaseGreeting, smtp.PhaseEHLO, smtp.PhaseSTARTTLS,
		smtp.PhaseMAIL, smtp.PhaseRCPT, phaseRSET, smtp.PhaseQUIT,
	} {
		for _, fault := range []struct {
			name string
			at   func(*Host) *smtp.Phase
		}{
			{"silent", func(h *Host) *smtp.Phase { return &h.HangAt }},
			{"closes", func(h *Host) *smtp.Phase { return &h.CloseAt }},
			{"resets", func(h *Host) *smtp.Phase { return &h.resetAt }},
			{"421", func(h *Host) *smtp.Phase { return &h.leaveAt }},
		} {
			hosts = append(hosts, hostile{fault.name + "-at-" + string(phase), realHost(func(h *Host) {
				*fault.at(h) = phase
				if phase == smtp.PhaseSTARTTLS {
					h.STARTTLS = TLSWorks
				}
			})})
		}
	}
	return hosts
}

// tlsHosts disturb clients that speak over TLS. Those whose TLS fails work in
// plain text.
func tlsHosts() []hostile {
	var hosts []hostile
	for _, mode := range []struct {
		name string
		mode TLSMode
	}{
		{"tls-refused", TLSRefused},
		{"tls-closes", TLSCloses},
		{"tls-stalls", TLSStalls},
		{"tls-garbage", TLSGarbage},
		{"tls-injected", TLSInjects},
		{"tls-wants-certificate", tlsWantsCertificate},
		{"tls-expired", tlsExpired},
		{"tls-other-name", tlsOtherName},
		{"tls-old", tlsOld},
		{"tls-silent", tlsFallsSilent},
		{"tls-breaks-off", tlsBreaksOff},
		{"tls-flood", tlsFloods},
	} {
		hosts = append(hosts, hostile{mode.name, realHost(func(h *Host) { h.STARTTLS = mode.mode })})
	}
	return hosts
}
