package schedule

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// world is all that a simulation is made from: plain data, so that a world in
// which something goes wrong can be made smaller.
type world struct {
	seed     uint64 // of what happens by chance
	config   Config
	egresses []Egress
	routes   map[string][]string
	hosts    []simHost
	jobs     []simJob
	faults   []fault
	broken   [2]time.Duration // between these the first egress does not work
	calm     bool             // nothing goes wrong by chance
	retries  int              // how often a list asks again
}

// simJob is a job with its arrival. Those of a batch arrive together.
type simJob struct {
	Job
	host  int
	batch int
	at    time.Duration

	// What the host last said about it, and by whom it knew us.
	said     *belief.Heard
	trouble  belief.Trouble // that of the transaction
	client   *simClient
	alone    bool // it was asked about so
	number   int  // of the recipients that the client has named to it
	fresh    bool // it has come, and no session has had it yet
	unheard  bool // it had heard of no other target
	came     time.Time
	session  *simSession // that has it
	proves   bool        // or it may wait there for a proof
	asked    int         // how often
	trial    bool        // the last session with it ended on the trial of an extension
	failure  smtp.Kind   // of the session that was to be opened for it
	retried  int         // how often its caller has asked before
	givenUp  bool        // its caller has gone
	failures int         // sessions for it that were not opened
	putOff   int         // the same, if the last was refused as one too many while the operator had others; else zero
	loyal    EgressID    // that its host has greylisted; zero: there is none
	down     []EgressID  // that did not work when it came, while others did
	ways     int         // egresses that led to its host
	routing  int         // of the life, when it came
	up       int         // of them: worked
}

// fault is what callers and the operator do.
type fault struct {
	at    time.Duration
	event Event
}

// kind is how a host behaves.
type kind int

const (
	plainHost        kind = iota
	limitsSessions        // refuses more than n at a time: 421
	limitsRecipients      // refuses more than n in a transaction: 452 4.5.3
	hangsUp               // after n refusals of a session
	turnsSession          // refuses everybody after n refusals of a session, in its ordinary words
	turnsClient           // after n refusals of a client
	turnsTransaction      // after n refusals of a transaction, as Exim's $rcpt_fail_count
	greylists             // the first time that it hears of a mailbox
	slowHost              // two seconds for each recipient
	silentMailboxes       // falls silent at some mailboxes
	outOfReach            // does not answer
	muteHost              // hangs up at the first recipient
	takesAll              // accepts every mailbox
	outOfStep             // one transaction in ten is out of step
	policyAfter           // refuses us after n recipients of a session: 550 5.7.1
	refusesBeside         // accepts controls, and refuses mailboxes that do not exist
	blocks                // refuses the client in its greeting, now and then: 554
	ratesLimits           // finds us too fast after n recipients of a session: 450 4.7.1
	halfUTF8              // every other session lacks SMTPUTF8
	endsIdle              // ends idle sessions after a second
	limitsAll             // answers everybody with a limit of its own
	failsTLS              // sessions end on the trial of STARTTLS
	wantsTLS              // the same, and without it MAIL is refused: 530
	failsPipelining       // sessions end on the trial of PIPELINING
	refusesMAIL           // now and then, for the moment
	postfix               // is slow behind ten refusals, and hangs up behind twenty (smtpd_soft_error_limit)
	slowReset             // answers RSET behind ten refusals in eight seconds
	hurries               // greets after n seconds
	nameless              // refuses controls in words that name no reason
	oneRecipient          // takes one recipient in a transaction, and refuses others in such words
	answersTwice          // now and then, so that all that follow are one late
	answersNot            // now and then, so that all that follow are one early
	silentMAIL            // falls silent at MAIL, now and then
	blocksMany            // refuses the client for two minutes if it has more than n sessions: 554
	limitsForAWhile       // limits recipients for half an hour
	lacksUTF8             // offers no SMTPUTF8
	closes                // ends sessions after n refusals: 421
	closesMany            // ends more than n sessions at a time, without a word
	limitsOperator        // refuses more than n at a time with all hosts of its operator: 421
	kinds
)

// protective are kinds that protect themselves.
var protective = []kind{
	turnsSession, turnsClient, turnsTransaction, turnsSession, turnsClient, turnsTransaction, limitsSessions, closesMany,
	blocksMany, limitsRecipients, hangsUp, postfix,
}

// simHost is a mail host.
type simHost struct {
	kind         kind
	n            int
	noPostmaster bool
	exempts      bool // postmaster from turning
	other        int  // n is this every other ten seconds; zero: it does not change
	addr         netip.AddrPort
	provider     pace.Table
}

// limit is n at the moment.
func (h *simHost) limit(now time.Time) int {
	if h.other > 0 && now.Sub(start)/(10*time.Second)%2 == 1 {
		return h.other
	}
	return h.n
}

func addrOf(host int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(host), 1}), 25)
}

// addr6Of is the address of a host in a network of its own.
func addr6Of(host int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 0, byte(host), 15: 1}), 25)
}

// hostOf is the number of a host.
func hostOf(addr netip.AddrPort) int {
	if a := addr.Addr(); a.Is6() {
		return int(a.As16()[5])
	}
	return int(addr.Addr().As4()[2])
}

// oneIn reports whether something is so that is in one of n worlds.
func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// newWorld makes a world of a seed.
func newWorld(seed uint64) world {
	r := rand.New(rand.NewPCG(seed, 1))
	w := world{seed: seed, config: Config{
		MaxSessions: 1 + r.IntN(20), MaxSessionsPerHost: 1 + r.IntN(6), MaxWaitingPerHost: 1 + r.IntN(30),
		Idle: 5 * time.Second,
	}}
	if oneIn(r, 6) {
		w.config.Refused = 1 + r.IntN(20)
	}
	w.config.Pace = somePace(r)
	w.egresses = someEgresses(r)
	w.routes = someRoutes(r, len(w.egresses))
	w.addHosts(r)
	within := 20 * time.Second
	if oneIn(r, 8) {
		within = 3 * time.Hour
	}
	for batch := range 3 + r.IntN(20) {
		w.addBatch(r, batch, within)
	}
	w.addFaults(r, within)
	if oneIn(r, 4) {
		w.retries = 1 + r.IntN(2)
	}
	if from := time.Duration(r.IntN(10)) * time.Second; oneIn(r, 6) {
		w.broken = [2]time.Duration{from, from + time.Duration(r.IntN(120))*time.Second}
	}
	if oneIn(r, 8) {
		w.config.Memory = someMemory(r)
	}
	return w
}

// somePace is how fast everybody is asked.
func somePace(r *rand.Rand) pace.Settings {
	s := pace.Settings{Preset: pace.Normal}
	switch r.IntN(8) {
	case 0:
		s.Preset, s.Egress.FirstDay = pace.Careful, 10+r.IntN(100)
	case 1:
		s.Preset = pace.Off
	}
	if oneIn(r, 8) {
		s.Harvest = pace.Harvest{Recipients: 5 + r.IntN(50), Share: 0.3}
	}
	if oneIn(r, 8) {
		s.Unknown = pace.Limits{Sessions: 1 + r.IntN(4), SessionsPerMinute: 4 + r.IntN(60), ThrottledPause: time.Minute}
	}
	s.Egress.Sessions = r.IntN(2) * (1 + r.IntN(8))
	return s.WithDefaults()
}

// someTable is what is known of a provider: mostly nothing.
func someTable(r *rand.Rand, name string) pace.Table {
	t := pace.Table{Provider: name}
	if !oneIn(r, 4) {
		return t
	}
	some := func(n int) int { return r.IntN(2) * (1 + r.IntN(n)) }
	t.Known = true
	t.Limits = pace.Limits{
		Sessions: some(6), SessionsPerMinute: some(60), RecipientsPerSession: some(40),
		RecipientsPerMinute: some(200), RecipientsPerDay: some(800),
	}
	return t
}

func someEgresses(r *rand.Rand) (all []Egress) {
	for i := range 1 + r.IntN(4)*r.IntN(2) {
		e := Egress{ID: EgressID(i + 1), Key: fmt.Sprint("k", i), Name: fmt.Sprint("e", i), Weight: 1 + r.IntN(3)*r.IntN(2)}
		if i > 0 {
			e.Only4, e.Only6 = oneIn(r, 8), oneIn(r, 8)
		}
		if oneIn(r, 8) {
			e.Since = start.Add(-time.Duration(r.IntN(200)) * time.Hour)
		}
		all = append(all, e)
	}
	return all
}

// someRoutes are the egresses by which some providers are asked.
func someRoutes(r *rand.Rand, egresses int) map[string][]string {
	if !oneIn(r, 6) {
		return nil
	}
	routes := map[string][]string{}
	for _, name := range []string{defaultRoute, "p0", "p1"} {
		if oneIn(r, 2) {
			continue
		}
		var names []string
		for i := range egresses {
			if !oneIn(r, 4) {
				names = append(names, fmt.Sprint("e", i))
			}
		}
		routes[name] = names
	}
	return routes
}

// someMemory is what an earlier plan has left.
func someMemory(r *rand.Rand) (all []pace.Memory) {
	for i := range 4 {
		m := pace.Memory{Provider: "p" + strconv.Itoa(i/2), Egress: "e" + strconv.Itoa(i%2), Pauses: r.IntN(3)}
		if oneIn(r, 2) {
			m.PausedUntil = start.Add(time.Duration(r.IntN(20)) * time.Second)
		}
		m.Budget = pace.Budget{Day: start.Unix() / 86400, Named: r.IntN(50), Level: r.IntN(4)}
		all = append(all, m)
	}
	return all
}

// addHosts adds the hosts. Those beside each other are of one provider.
func (w *world) addHosts(r *rand.Rand) {
	together := 1 + r.IntN(4)
	switch form := r.IntN(24); form {
	default:
		for range 1 + r.IntN(6) {
			w.hosts = append(w.hosts, simHost{kind: kind(r.IntN(int(kinds)))})
		}
	case 0, 1, 2, 3, 4, 5: // one that protects itself, and a long list
		w.hosts = []simHost{{kind: protective[r.IntN(len(protective))]}}
	case 6: // most are out of reach
		for i := range 12 {
			w.hosts = append(w.hosts, simHost{kind: []kind{outOfReach, plainHost}[i%12/11]})
		}
	case 9: // of an operator with one limit
		w.hosts, together = slices.Repeat([]simHost{{kind: limitsOperator}}, 4), 4
	case 7, 8: // of one provider, by several egresses that are removed and come back
		kind := []kind{greylists, blocks}[form%2]
		w.hosts, together = slices.Repeat([]simHost{{kind: kind}}, 6*(1+form%2*3)), 24
		for len(w.egresses) < 3 {
			w.egresses = someEgresses(r)
		}
	}
	for i := range w.hosts {
		h := &w.hosts[i]
		h.n, h.noPostmaster, h.exempts = 1+r.IntN(12), oneIn(r, 2), oneIn(r, 3)
		if h.kind == limitsSessions || h.kind == closesMany || h.kind == blocksMany || h.kind == limitsOperator {
			h.n = 1 + r.IntN(4)
		}
		if oneIn(r, 8) {
			h.other = 1 + r.IntN(12)
		}
		if h.addr = addrOf(i); oneIn(r, 8) {
			h.addr = addr6Of(i)
		}
		if h.provider = someTable(r, "p"+strconv.Itoa(i/together)); i%together > 0 {
			h.provider = w.hosts[i-1].provider
		}
	}
}

// addBatch adds jobs that arrive together: of a list, or single checks.
func (w *world) addBatch(r *rand.Rand, batch int, within time.Duration) {
	at := time.Duration(r.IntN(int(within/time.Millisecond))) * time.Millisecond
	caller, dead := CallerID(r.IntN(4)), r.IntN(10)
	n := 1 + r.IntN(40)
	w.jobs = slices.Grow(w.jobs, n)
	for range n {
		id, host := JobID(len(w.jobs)+1), r.IntN(len(w.hosts))
		domain := "d" + strconv.Itoa(r.IntN(3)) + ".h" + strconv.Itoa(host) + ".example"
		name := "good"
		if r.IntN(10) < dead {
			name = "bad"
		}
		j := Job{
			ID: id, Addr: w.hosts[host].addr, Host: "mx." + domain, Domain: domain, Target: name + strconv.Itoa(int(id)) + "@" + domain,
			Control: "random@" + domain, Caller: caller, UTF8: oneIn(r, 20), Provider: w.hosts[host].provider,
			Budget: time.Duration(1+r.IntN(30)) * time.Second, Again: oneIn(r, 30),
		}
		patient := caller != 0 || oneIn(r, 2)
		switch r.IntN(60) {
		case 0:
			j.Control = ""
		case 1:
			j.Without = []EgressID{EgressID(1 + r.IntN(3))}
		case 2:
			j.Budget, patient = 0, true
		}
		if !patient {
			j.Limit = start.Add(at + j.Budget)
		}
		w.jobs = append(w.jobs, simJob{Job: j, host: host, batch: batch, at: at})
	}
}

// addFaults adds callers that give up, lists that end, egresses that come and
// go, and the end of all.
func (w *world) addFaults(r *rand.Rand, within time.Duration) {
	add := func(e Event) {
		w.faults = append(w.faults, fault{time.Duration(r.IntN(int(within/time.Millisecond))) * time.Millisecond * 5 / 4, e})
	}
	for range r.IntN(6) {
		var ids []JobID
		for range 1 + r.IntN(30) {
			ids = append(ids, w.jobs[r.IntN(len(w.jobs))].ID)
		}
		add(GiveUp{ids})
	}
	if oneIn(r, 3) {
		add(CallerEnds{CallerID(1 + r.IntN(3))})
	}
	for range r.IntN(3) {
		w.faults = append(w.faults, fault{0, CallerSet{CallerID(1 + r.IntN(3)), r.IntN(50)}})
	}
	for range r.IntN(3) {
		all := someEgresses(r)
		add(SetEgresses{All: all, Routes: someRoutes(r, len(all))})
	}
	if oneIn(r, 8) {
		add(Shut{})
		w.faults[len(w.faults)-1].at += within / 2
	}
}

// shrink returns the smallest part of a world in which it finds a fault: it
// drops halves, quarters and so on of the jobs, and then the faults.
func shrink(w world, fails func(world) bool) world {
	for size := len(w.jobs) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(w.jobs); {
			less := w
			less.jobs = slices.Delete(slices.Clone(w.jobs), i, i+size)
			if fails(less) {
				w = less
			} else {
				i += size
			}
		}
	}
	for i := 0; i < len(w.faults); {
		less := w
		less.faults = slices.Delete(slices.Clone(w.faults), i, i+1)
		if fails(less) {
			w = less
		} else {
			i++
		}
	}
	return w
}
