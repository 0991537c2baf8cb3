package schedule

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	table "github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// mailSpec is all there is to know about a world of mail: the worlds of the lab
// (lab/bench/world), with the same lists, mail hosts, limits and times of
// replies, by the same hashes.
type mailSpec struct {
	seed      uint64
	delay     time.Duration // before each group of replies and each DNS answer
	addresses int           // on the list
	domains   int           // that the list is spread over
	skew      float64       // exponent of Zipf's law; zero: all domains have the same share
	providers int           // organisations whose mail hosts serve many domains
	hosted    float64       // share of the domains beside the largest that they serve
	hosters   int           // serve the others; zero: each has hosts of its own

	acceptAll, greylistBefore, greylistAfter float64 // shares of the domains
	unknown, full, disabled                  float64 // shares of the mailboxes
	slow                                     float64
	slowDelay                                time.Duration

	noPipelining, tarpits float64 // shares of the hosts
	tarpitDelay           time.Duration
	strict                float64 // of them that have the limits that follow
	maxRecipients         int     // accepted in a transaction
	softErrors, maxErrors int     // refused in a session
	sessionsPerClient     int     // of all hosts

	// How the list is fed, and single checks beside it.
	atOnce, window, perDomain int
	retried                   time.Duration
	giants                    int           // domains that have half of the list
	silent                    int           // of them, about which the DNS does not answer
	largestLast               bool          // the list is sorted by domain
	reads                     time.Duration // in which so many addresses come as are read at once; zero: all are there
	pace                      pace.Limits   // of all providers
	singles                   int
	singleEvery               time.Duration
}

// mailPolicy is what a domain does with recipients.
type mailPolicy int

const (
	acceptsAll mailPolicy = iota
	greylistsBefore
	greylistsAfter
	checksMailboxes
)

// mailDomain is a domain with the mail host that is asked.
type mailDomain struct {
	name   string
	policy mailPolicy
	host   *mailHost
	silent bool      // the DNS does not answer about it
	known  time.Time // when it has; zero: it was not asked
}

// mailHost is a mail host.
type mailHost struct {
	name          string
	addr          netip.AddrPort
	pace          pace.Table
	pipelining    bool
	late          time.Duration
	maxRecipients int
	softErrors    int
	maxErrors     int
	open          int       // sessions
	known         time.Time // as of a domain
}

// FNV-1a, and the finalizer of SplitMix64.
func (s *mailSpec) hash(purpose, name string) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037) ^ s.seed*prime
	for _, part := range [...]string{purpose, ":", name} {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * prime
		}
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

func (s *mailSpec) share(purpose, name string) float64 {
	return float64(s.hash(purpose, name)>>11) / (1 << 53)
}

// pick tells which of the consecutive shares a number falls into.
func pick(at float64, shares ...float64) int {
	for i, share := range shares {
		if at < share {
			return i
		}
		at -= share
	}
	return len(shares)
}

// list returns the domains of the addresses of the list, in order.
func (s *mailSpec) list() []int {
	all, until, sum := make([]int, s.addresses), make([]float64, s.domains), 0.0
	for n := range until {
		sum += math.Pow(float64(n+1), -s.skew)
		until[n] = sum
	}
	for place := range all {
		if all[place] = place % s.domains; s.skew > 0 {
			at := s.share("place", strconv.Itoa(place)) * sum
			all[place] = min(sort.SearchFloat64s(until, at), s.domains-1)
		}
	}
	for place := range all {
		switch small := s.domains - s.giants; {
		case s.giants == 0 || small <= 0:
		case place%2 == 0:
			all[place] = place / 2 % s.giants
		default:
			all[place] = s.giants + place/2%small
		}
	}
	if s.largestLast {
		slices.SortStableFunc(all, func(a, b int) int { return b - a })
	}
	return all
}

// world returns the domains. Those with the same owner share mail hosts.
func (s *mailSpec) world() []mailDomain {
	all, hosts := make([]mailDomain, s.domains), map[string]*mailHost{}
	for n := range all {
		d := &all[n]
		d.name = "d" + strconv.Itoa(n) + ".test"
		d.silent = n < s.silent
		large := n < 2*s.providers
		if d.policy = checksMailboxes; !large {
			d.policy = mailPolicy(pick(s.share("policy", d.name), s.acceptAll, s.greylistBefore, s.greylistAfter))
		}
		owner, place, ofProvider := d.name, s.providers+n, false
		switch {
		case large || s.providers > 0 && s.share("hosted", d.name) < s.hosted:
			place, ofProvider = n%s.providers, true
			owner = "giant" + strconv.Itoa(place) + ".test"
		case s.hosters > 0:
			owner, place = "hoster"+strconv.Itoa(n%s.hosters)+".test", s.providers+n%s.hosters
		}
		if hosts[owner] == nil {
			hosts[owner] = s.host("mx1."+owner, place, ofProvider)
		}
		d.host = hosts[owner]
	}
	return all
}

func (s *mailSpec) host(name string, place int, ofProvider bool) *mailHost {
	addr := netip.AddrFrom4([4]byte{127, 77, byte(1 + place/125), byte(place % 125)})
	h := &mailHost{
		name: name, addr: netip.AddrPortFrom(addr, 25), pace: table.Pacing(name, addr),
		pipelining: ofProvider || s.share("pipelining", name) >= s.noPipelining,
	}
	if !ofProvider && s.share("tarpit", name) < s.tarpits {
		h.late = s.tarpitDelay
	}
	if ofProvider || s.share("strict", name) < s.strict {
		h.maxRecipients, h.softErrors, h.maxErrors = s.maxRecipients, s.softErrors, s.maxErrors
	}
	return h
}

// What the mail hosts say.
var (
	full         = smtp.Reply{Code: 452, Enhanced: "4.2.2", Lines: []string{"Mailbox is full / over quota"}}
	disabled     = smtp.Reply{Code: 550, Enhanced: "5.2.1", Lines: []string{"The mailbox is disabled"}}
	waitAWhile   = smtp.Reply{Code: 450, Enhanced: "4.2.0", Lines: []string{"Greylisted, please try again in 300 seconds"}}
	enoughErrors = smtp.Reply{Code: 421, Enhanced: "4.7.0", Lines: []string{"Error: too many errors"}}
)

// answer is the reply to RCPT for a mailbox of a domain, and whether it comes
// late.
func (s *mailSpec) answer(p mailPolicy, mailbox string) (reply *smtp.Reply, class replies.Class, late bool) {
	state := 0
	if strings.HasPrefix(mailbox, "box") {
		state = pick(s.share("mailbox", mailbox), s.unknown, s.full, s.disabled)
		late = s.share("slow", mailbox) < s.slow
	}
	switch {
	case p == acceptsAll:
		return &accepts, replies.ClassOK, late
	case p == greylistsBefore, p == greylistsAfter && state != 0:
		return &waitAWhile, replies.ClassGreylisted, late
	case state == 0:
		return &unknown, replies.ClassNoSuchUser, late
	case state == 1:
		return &full, replies.ClassMailboxFull, late
	case state == 2:
		return &disabled, replies.ClassDisabled, late
	}
	return &accepts, replies.ClassOK, late
}

// open opens a session, unless the host has as many as it takes.
func (f *feeding) open(a Action) {
	h := f.hosts[a.Addr.String()]
	f.sessions[a.Session] = &mailSession{host: h}
	f.connections++
	f.trips += 2
	greeting := 2*f.spec.delay + h.late
	if h.open++; f.spec.sessionsPerClient > 0 && h.open > f.spec.sessionsPerClient {
		f.later(greeting, NotOpened{
			Session: a.Session, Greeted: true, Said: []Early{{replies.ClassRateLimited, 421, "4.7.0"}},
		})
		return
	}
	f.trips++
	f.later(greeting+f.spec.delay+h.late, Opened{Session: a.Session})
}

// converse is what comes of a transaction, and how long it takes.
func (f *feeding) converse(x *mailSession, a Action) (took time.Duration, o Outcome) {
	each := f.spec.delay + x.host.late // for a group of replies
	grouped := x.host.pipelining && !a.Alone
	o.Targets, o.Alone, o.Stopped, o.Fresh = len(a.Targets), a.Alone, -1, x.transactions == 0
	o.MAIL.Reply, took = &mailIsOK, each
	f.trips++
	x.transactions++
	accepted, over := 0, false
	var recipients time.Duration
	say := func(to *belief.Heard, domain string) {
		var late time.Duration
		if late = f.soft(x); !grouped {
			f.trips++
			late += each
		}
		var slow bool
		to.Reply, to.Class, slow = f.says(x, to.Mailbox, domain, accepted)
		if slow {
			late += f.spec.slowDelay
		}
		f.rcpt++
		x.named++
		recipients += late
		if to.Refused() {
			x.refused++
		} else {
			accepted++
		}
		if over = to.Reply == &enoughErrors; over {
			o.Trouble, o.Stopped, o.Ended = belief.HungUp, len(o.Named), true
		}
	}
	add := func(mailbox, domain string, role belief.Role) {
		to := belief.Heard{Mailbox: mailbox, Domain: domain, Role: role, Before: x.named}
		if skips := role == belief.Proof && a.Alone && !o.Named[0].Dead(); !over && !skips {
			say(&to, domain)
		}
		o.Named = append(o.Named, to)
	}
	names(a, f.job, add)
	if !over {
		slow := f.soft(x)
		recipients += slow
		if o.Slow = slow > 0 && x.refused > ManyRefused; !grouped {
			f.trips++
			recipients += each
		}
	}
	took += recipients
	o.Took = recipients
	if over && grouped {
		f.trips-- // the host does not wait behind its last words
	}
	took += f.askMore(x, &o, each, grouped)
	return took, o
}

// askMore names a proof once more that was refused.
func (f *feeding) askMore(x *mailSession, o *Outcome, each time.Duration, grouped bool) time.Duration {
	took := time.Duration(0)
	for i := o.Targets; o.Targets > 0 && o.Trouble == belief.None && i < len(o.Named); i++ {
		if to := &o.Named[i]; to.Role != belief.Proof || !to.Refused() {
			continue
		}
		o.Repeated++
		x.transactions++
		x.refused++
		f.rcpt++
		n := 1
		if !grouped {
			n = 3
		}
		f.trips += n
		took += time.Duration(n) * each
	}
	return took
}

// soft is how late a host is that has refused many.
func (f *feeding) soft(x *mailSession) time.Duration {
	if x.host.softErrors > 0 && x.refused >= x.host.softErrors {
		return time.Second
	}
	return 0
}

func (f *feeding) says(x *mailSession, mailbox, domain string, accepted int) (*smtp.Reply, replies.Class, bool) {
	switch {
	case x.host.maxErrors > 0 && x.refused >= x.host.maxErrors:
		return &enoughErrors, replies.ClassRateLimited, false
	case x.host.maxRecipients > 0 && accepted >= x.host.maxRecipients:
		return &tooMany, replies.ClassRateLimited, false
	}
	if domain == "" {
		_, domain, _ = strings.Cut(mailbox, "@")
	}
	return f.spec.answer(f.policy(domain), mailbox)
}

func (f *feeding) policy(domain string) mailPolicy {
	var n int
	fmt.Sscanf(domain, "d%d.test", &n)
	return f.domains[n].policy
}

// job is what names a target and its control.
func (f *feeding) job(id JobID) Job {
	a := f.jobs[id]
	return Job{Target: a.email, Domain: a.domain.name, Control: "random@" + a.domain.name}
}
