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
)

// world is all that a simulation is made from: plain data, so that a world in
// which something goes wrong can be made smaller.
type world struct {
	seed     uint64 // of what happens by chance
	config   Config
	egresses []Egress
	hosts    []simHost
	jobs     []simJob
	faults   []fault
}

// simJob is a job with its arrival. Those of a batch arrive together.
type simJob struct {
	Job
	host  int
	batch int
	at    time.Duration

	// What the host last said about it, and by whom it knew us.
	said    *belief.Heard
	client  *simClient
	number  int  // of the recipients that the client has named to it
	fresh   bool // it has come, and no session has had it yet
	unheard bool // it had heard of no other target
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
	kinds
)

// simHost is a mail host.
type simHost struct {
	kind         kind
	n            int
	noPostmaster bool
	exempts      bool // postmaster from turning
}

func addrOf(host int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(host), 1}), 25)
}

// newWorld makes a world of a seed.
func newWorld(seed uint64) world {
	r := rand.New(rand.NewPCG(seed, 1))
	w := world{seed: seed, config: Config{
		MaxSessions: 1 + r.IntN(20), MaxSessionsPerHost: 1 + r.IntN(6), MaxWaitingPerHost: 1 + r.IntN(30),
		Idle: 5 * time.Second,
	}}
	w.config.Pace.Egress.Sessions = r.IntN(2) * (1 + r.IntN(8))
	w.config.Pace = w.config.Pace.WithDefaults()
	w.egresses = someEgresses(r)
	for range 1 + r.IntN(6) {
		w.hosts = append(w.hosts, simHost{
			kind(r.IntN(int(kinds))), 1 + r.IntN(12), r.IntN(2) == 0, r.IntN(3) == 0,
		})
	}
	if r.IntN(3) == 0 { // one that protects itself, and a long list
		w.hosts = []simHost{{turnsSession + kind(r.IntN(3)), 1 + r.IntN(6), r.IntN(2) == 0, r.IntN(3) == 0}}
	}
	for batch := range 3 + r.IntN(20) {
		w.addBatch(r, batch)
	}
	w.addFaults(r)
	return w
}

func someEgresses(r *rand.Rand) (all []Egress) {
	for i := range 1 + r.IntN(4)*r.IntN(2) {
		all = append(all, Egress{ID: EgressID(i + 1), Key: fmt.Sprint("k", i), Name: fmt.Sprint("e", i), Weight: 1})
	}
	return all
}

// addBatch adds jobs that arrive together: of a list, or single checks.
func (w *world) addBatch(r *rand.Rand, batch int) {
	at := time.Duration(r.IntN(20_000)) * time.Millisecond
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
			ID: id, Addr: addrOf(host), Domain: domain, Target: name + strconv.Itoa(int(id)) + "@" + domain,
			Control: "random@" + domain, Caller: caller, UTF8: r.IntN(20) == 0,
			Budget: time.Duration(1+r.IntN(30)) * time.Second, Again: r.IntN(30) == 0,
			Patient: caller != 0 || r.IntN(2) == 0,
		}
		j.Provider = pace.Table{Provider: "p" + strconv.Itoa(host/2)}
		if !j.Patient {
			j.Limit = start.Add(at + j.Budget)
		}
		w.jobs = append(w.jobs, simJob{Job: j, host: host, batch: batch, at: at})
	}
}

// addFaults adds callers that give up, lists that end, egresses that come and
// go, and the end of all.
func (w *world) addFaults(r *rand.Rand) {
	add := func(within int, e Event) {
		w.faults = append(w.faults, fault{time.Duration(r.IntN(within)) * time.Millisecond, e})
	}
	for range r.IntN(6) {
		var ids []JobID
		for range 1 + r.IntN(30) {
			ids = append(ids, w.jobs[r.IntN(len(w.jobs))].ID)
		}
		add(25_000, GiveUp{ids})
	}
	if r.IntN(3) == 0 {
		add(25_000, CallerEnds{CallerID(1 + r.IntN(3))})
	}
	if r.IntN(3) == 0 {
		add(2_000, CallerSet{CallerID(1 + r.IntN(3)), r.IntN(50)})
	}
	for range r.IntN(3) {
		add(25_000, SetEgresses{All: someEgresses(r)})
	}
	if r.IntN(5) == 0 {
		add(30_000, Shut{})
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
