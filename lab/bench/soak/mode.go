package soak

import "time"

// mode is a way in which a host behaves.
type mode struct {
	name  string
	truth truth
	at    map[phase]act // what it does there instead of the right thing
	offer string        // an extension beside the usual ones
	dns   dnsTrouble
}

// phase is a step of a session.
type phase string

const (
	atGreeting  phase = "greeting"
	atEHLO      phase = "ehlo"
	atSTARTTLS  phase = "starttls"
	atHandshake phase = "handshake"
	atMAIL      phase = "mail"
	atRCPT      phase = "rcpt"
	atRSET      phase = "rset"
	atQUIT      phase = "quit"
)

// The modes that the rest of the package knows by name.
const (
	honest  = "honest"
	turning = "turning"
)

const startTLS = "STARTTLS"

// modes are all there are.
var modes = append(byPhase(), []mode{
	{name: honest, truth: checks},
	{name: turning, truth: checks}, // honest, or one of those that check or say nothing
	{name: "tls", truth: checks, offer: startTLS},
	{name: "catch-all", truth: takesAll, at: map[phase]act{atRCPT: says("250 2.1.5 Ok")}},
	{name: "greylisting", truth: mute, at: map[phase]act{
		atRCPT: says("450 4.2.0 Greylisted, please try again in 300 seconds"),
	}},
	{name: "tarpit", truth: checks, at: map[phase]act{atRCPT: after(time.Second)}},
	{name: "impatient", truth: checks, at: map[phase]act{atRCPT: until(5, says("550 5.7.1 Too many recipients"))}},
	{name: "hangs-up", truth: checks, at: map[phase]act{atRCPT: until(5, shutsDown)}},
	{name: "blocking", truth: mute, at: map[phase]act{
		atRCPT: says("550 5.7.1 Service unavailable; client host blocked using a block list"),
	}},
	{name: "refusing", truth: mute, at: map[phase]act{atGreeting: says("554 5.7.1 No service for your address")}},
	{name: "banning", truth: takesAll, at: map[phase]act{atGreeting: bans, atRCPT: says("250 2.1.5 Ok")}},
	{name: "random", truth: doubtful, at: map[phase]act{atMAIL: random, atRCPT: random, atRSET: random}},
	{name: "says-nothing", truth: mute, at: map[phase]act{atRCPT: says("550 rejected")}},

	{name: "dripping", truth: mute, at: map[phase]act{atGreeting: drips}},
	{name: "late", truth: mute, at: map[phase]act{atGreeting: late, atEHLO: late, atMAIL: late, atRCPT: late}},
	{name: "long-line", truth: mute, at: map[phase]act{atGreeting: floodsLine}},
	{name: "long-line-at-rcpt", truth: mute, at: map[phase]act{atRCPT: floodsLine}},
	{name: "endless-ehlo", truth: mute, at: map[phase]act{atEHLO: floodsReply}},
	{name: "endless-rcpt", truth: mute, at: map[phase]act{atRCPT: floodsReply}},
	{name: "no-line-end", truth: mute, at: map[phase]act{atGreeting: sendsAndHangs("220 mx ready")}},
	{name: "half-a-reply", truth: mute, at: map[phase]act{atRCPT: sendsAndHangs("250-2.1.5 Ok\r\n")}},
	{name: "bare-lf", truth: checks, at: map[phase]act{atGreeting: sends("220 mx\n"), atMAIL: sends("250 2.1.0 Ok\n")}},
	{name: "binary", truth: mute, at: map[phase]act{atGreeting: sendsAndHangs("\x00\xff\x16\x03\x01\n\x80\x00\r\n")}},
	{name: "http", truth: mute, at: map[phase]act{
		atGreeting: sendsAndHangs("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"),
	}},
	{name: "two-greetings", truth: doubtful, at: map[phase]act{atGreeting: sends("220 mx\r\n220 mx\r\n")}},
	{name: "two-replies", truth: doubtful, at: map[phase]act{atMAIL: sends("250 2.1.0 Ok\r\n250 2.1.0 Ok\r\n")}},
	{name: "mixed-codes", truth: mute, at: map[phase]act{atRCPT: sends("250-2.1.5 Ok\r\n550 5.1.1 No\r\n")}},

	{name: "tls-refused", truth: checks, offer: startTLS, at: map[phase]act{
		atSTARTTLS: says("454 4.7.0 TLS not available"),
	}},
	{name: "tls-injected", truth: mute, offer: startTLS, at: map[phase]act{
		atSTARTTLS: sendsAndHangs("220 go\r\n250 injected\r\n"),
	}},
	{name: "tls-closes", truth: checks, offer: startTLS, at: map[phase]act{atHandshake: closes}},
	{name: "tls-stalls", truth: checks, offer: startTLS, at: map[phase]act{atHandshake: hangs}},
	{name: "tls-garbage", truth: checks, offer: startTLS, at: map[phase]act{
		atHandshake: sendsAndHangs("this is not TLS\r\n"),
	}},
	{name: "tls-certificate", truth: checks, offer: startTLS, at: map[phase]act{atHandshake: wantsCertificate}},

	{name: "no-domain", truth: deadEnd, dns: denies},
	{name: "null-mx", truth: deadEnd, dns: nullMX},
	{name: "dns-circle", truth: mute, dns: circle},
	{name: "dns-dead", truth: mute, dns: fiftyDead},
	{name: "dns-reserved", truth: deadEnd, dns: reserved},
	{name: "dns-fails", truth: mute, dns: fails},
	{name: "dns-silent", truth: mute, dns: loses},
	{name: "dns-truncated", truth: mute, dns: truncates},
	{name: "dns-forged", truth: checks, dns: forges},
}...)

// byPhase are the hosts that fail at one step, each in four ways. What fails
// behind the answer takes nothing from it.
func byPhase() []mode {
	var all []mode
	for _, p := range []phase{atGreeting, atEHLO, atMAIL, atRCPT, atRSET, atQUIT} {
		truth := mute
		if p == atRSET || p == atQUIT {
			truth = checks
		}
		for _, end := range []struct {
			name string
			act  act
		}{{"hangs", hangs}, {"closes", closes}, {"resets", resets}, {"shuts-down", shutsDown}} {
			all = append(all, mode{name: end.name + "-at-" + string(p), truth: truth, at: map[phase]act{p: end.act}})
		}
	}
	return all
}
