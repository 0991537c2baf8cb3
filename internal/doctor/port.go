package doctor

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// reachable says whether mail hosts can be reached through an egress. One that
// greets, in whatever words, proves that the port is open: the others are down.
func (x *examination) reachable(name string, way egress.Egress, visits []visit) Check {
	c := Check{Name: NamePort, Egress: name, State: StateOK}
	if len(visits) == 0 {
		c.State, c.Found = StateSkipped, "no mail host of a well-known domain was found in the DNS"
		return c
	}
	if greeted(visits) {
		c.Found = fmt.Sprintf("port %d is open: mail hosts greet us", x.port())
		return c
	}
	c.State = StateFault
	c.Why = "Without it no mailbox can be verified: every address is unknown."
	proxy := strings.Contains(way.ID(), "://") // the name may be one of the operator's choice
	tried := fmt.Sprintf("no mail host can be reached at port %d, not even that of %s", x.port(), domainsOf(visits))
	switch kind, text := commonKind(visits); {
	case kind == smtp.KindEgress && strings.Contains(text, "rules do not allow"), kind != smtp.KindEgress && proxy:
		c.Found = tried + ": the proxy works, and lets nobody out to this port (" + text + ")"
		c.Do = "Ask the proxy's operator to allow connections to the port, or use another --proxy."
	case kind == smtp.KindEgress && proxy:
		c.Found = "the proxy does not work: " + text
		c.Do = "Check that it runs, its address, user name and password in --proxy, and the firewall in between."
	case kind == smtp.KindEgress:
		c.Found = "the source address does not work: " + text
		c.Do = "Name an address of this machine with --source-ip; ip address lists them."
	case kind == smtp.KindTimeout:
		c.Found = tried + ": the packets are dropped on the way, by a firewall or the hosting provider"
		c.Do = "Ask the hosting provider to open outgoing port 25. " + PortAdvice + "."
	case kind == smtp.KindRefused, kind == smtp.KindReset, kind == smtp.KindClosed:
		c.Found = tried + ": something on the way resets the connections, such as a firewall of this network"
		c.Do = "Allow outgoing port 25 in the firewall, or ask the hosting provider. " + PortAdvice + "."
	case kind == smtp.KindUnreachable:
		c.Found = tried + ": there is no route to them (" + text + ")"
		c.Do = "Check this machine's default route. " + PortAdvice + "."
	default:
		c.Found = tried + ": this network seems to block outgoing SMTP connections"
		c.Do = PortAdvice + "."
	}
	return c
}

func domainsOf(visits []visit) string {
	var all []string
	for _, v := range visits {
		if !slices.Contains(all, v.domain) {
			all = append(all, v.domain)
		}
	}
	return strings.Join(all, ", ")
}

// commonKind returns in which way most of the sessions failed, and the text of
// such a failure.
func commonKind(visits []visit) (most smtp.Kind, text string) {
	count := map[smtp.Kind]int{}
	for _, v := range visits {
		if v.Failure == nil {
			continue
		}
		count[v.Failure.Kind]++
		if count[v.Failure.Kind] > count[most] || v.Failure.Kind == most {
			most, text = v.Failure.Kind, v.Failure.Text
		}
	}
	return most, text
}

// provider says how the mail host of a well-known domain received us.
func (x *examination) provider(name string, v visit) Check {
	c := Check{Name: NameProvider, Egress: name, Subject: v.domain, State: StateOK, Found: "it lets us in"}
	phase, reply := refusal(v)
	switch {
	case reply != nil:
		c.State, c.Found = StateFault, "it refuses us: "+reply.String()
		c.Why = "The mailboxes of this provider stay unknown."
		c.Do = "The reply is all that it says; look the address up in block lists, " +
			"and make PTR record and --helo the same name."
		q := replies.Input{Phase: phase, Reply: *reply, Host: v.host, Sender: x.config.Engine.MailFrom}
		if cause, do := Remedy(q); cause != "" {
			c.Why, c.Do = cause+" The mailboxes there stay unknown.", do
		}
		if reply.Code < 500 {
			c.State = StateWarning // it may pass by itself
		}
	case v.Failure != nil:
		c.State = StateWarning
		c.Found = fmt.Sprintf("its mail host %s fails at %s (%s), while others work: it is down, or filters us", v.host,
			v.Failure.Phase, v.Failure.Text)
		c.Why, c.Do = "If it lasts, the mailboxes of this provider stay unknown.", "Run rcpt doctor again in an hour."
	case v.TLS == "" && provider.Of(v.host).Name != "" && !slices.Contains(v.Extensions, "STARTTLS"):
		c.State, c.Found = StateWarning, "it lets us in, and offers no TLS, which it does elsewhere"
		c.Why = "Something on the way removes STARTTLS; Google and others then refuse some mailboxes."
		c.Do = "Look for a firewall that inspects SMTP, or a proxy that does."
	}
	return c
}

// refusal returns the reply by which a host refused us, if it did.
func refusal(v visit) (smtp.Phase, *smtp.Reply) {
	for _, said := range []struct {
		phase smtp.Phase
		reply *smtp.Reply
	}{{smtp.PhaseGreeting, v.Greeting}, {smtp.PhaseEHLO, v.EHLO}} {
		if said.reply != nil && said.reply.Refused() {
			return said.phase, said.reply
		}
	}
	return "", nil
}

// wrongClock is how far our clock may be off.
const wrongClock = time.Minute

// dateInGreeting is the date of RFC 5322 with which several mail hosts greet.
var dateInGreeting = regexp.MustCompile(`\b[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}`)

// clock compares our clock with the dates in greetings. The median counts, so
// one host with a wrong clock is no evidence beside two others.
func (x *examination) clock(visits []visit) Check {
	now := x.config.Clock()
	var offs []time.Duration
	for _, v := range visits {
		if v.Greeting == nil {
			continue
		}
		date := dateInGreeting.FindString(strings.Join(v.Greeting.Lines, " "))
		then, err := time.Parse("Mon, 2 Jan 2006 15:04:05 -0700", date)
		if err == nil {
			offs = append(offs, now.Sub(then))
		}
	}
	c := Check{Name: NameClock, State: StateOK}
	if len(offs) == 0 {
		c.State, c.Found = StateSkipped, "no mail host said what time it is"
		return c
	}
	slices.Sort(offs)
	off := offs[len(offs)/2].Round(time.Second)
	c.Found = "it agrees with the clocks of mail hosts"
	if off.Abs() > wrongClock {
		direction := "ahead of"
		if off < 0 {
			direction = "behind"
		}
		c.State, c.Found = StateWarning, fmt.Sprintf("our clock is %v %s those of mail hosts", off.Abs(), direction)
		c.Why = "Waiting times for greylisting, quotas and the expiry of keys go by the clock."
		c.Do = "Run a time service, such as chrony or systemd-timesyncd."
	}
	return c
}
