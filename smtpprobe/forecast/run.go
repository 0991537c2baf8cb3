package forecast

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

const (
	// inARow is how many addresses of a domain without end come at a time.
	inARow = 50
	// most is how many addresses a provider has in hand at a host: more than
	// its sessions ask about at once.
	most = 300
	// sessionsPerHost and idle are the defaults of package smtpprobe.
	sessionsPerHost = 20
	idle            = 5 * time.Second
)

// run is the verification of a list without end in simulated time.
type run struct {
	hosts    Hosts
	process  Process
	plan     *schedule.State
	now      time.Time
	due      events
	random   *rand.Rand
	jobs     map[schedule.JobID]*job
	sessions map[schedule.SessionID]*session
	working  int // sessions that are being opened, or ask
	waiting  int // jobs that no session has had
	events   int // so far
	lastJob  schedule.JobID
	lastHost int
	rate     Rate // so far, in all
}

// host is a mail host.
type host struct {
	addr   netip.AddrPort
	open   int // jobs without an answer
	silent bool
}

// job is a question.
type job struct {
	schedule.Job
	host  *host
	dead  bool // the mailbox does not exist
	asked bool // a session has had it
}

func newRun(h Hosts, p Process) *run {
	r := &run{
		hosts: h, process: p, now: time.Unix(1_800_000_000, 0), random: rand.New(rand.NewPCG(1, 2)),
		jobs: map[schedule.JobID]*job{}, sessions: map[schedule.SessionID]*session{},
		plan: schedule.New(schedule.Config{
			MaxSessions: p.Sessions, MaxSessionsPerHost: sessionsPerHost, Idle: idle, Pace: p.Pace.WithDefaults(),
		}, some(1), nil),
	}
	for range h.Networks {
		r.feed(r.newHost())
	}
	return r
}

func (r *run) newHost() *host {
	r.lastHost++
	return &host{addr: netip.AddrPortFrom(network(r.lastHost), 25), silent: r.small() && r.happens(r.hosts.Silent)}
}

func (r *run) happens(share float64) bool { return r.random.Float64() < share }

// until has the list go on until some time.
func (r *run) until(end time.Time) {
	for {
		r.feedSmall()
		next, ticks := r.plan.Next(), true
		if len(r.due) > 0 && (next.IsZero() || !next.Before(r.due[0].at)) {
			next, ticks = r.due[0].at, false
		}
		over := !next.Before(end)
		if over {
			next = end
		}
		r.rate.Sessions += float64(len(r.sessions)) * next.Sub(r.now).Minutes()
		r.now = next
		switch {
		case over:
			return
		case ticks:
			r.tell(schedule.Tick{})
		default:
			if e := heap.Pop(&r.due).(event); r.happened(e) {
				r.tell(e.event)
			}
		}
	}
}

// small reports whether each domain is at a host of its own.
func (r *run) small() bool { return r.hosts.Provider.Provider == "" }

// feedSmall has addresses of other small providers come while some may be in
// progress.
func (r *run) feedSmall() {
	for r.small() && r.working+r.waiting < r.process.Concurrency {
		r.tell(r.arrival(r.newHost()))
	}
}

// feed has the next addresses come to a host of a large provider, so that some
// always wait.
func (r *run) feed(h *host) {
	for h.open < most {
		r.later(0, r.arrival(h))
	}
}

// arrival is the next addresses of a domain at a host.
func (r *run) arrival(h *host) schedule.Arrive {
	n, domain, table := r.hosts.Domain, fmt.Sprintf("d%d.example", r.lastJob), r.hosts.Provider
	if n == 0 {
		n, domain = inARow, "large.example"
	}
	if r.small() {
		table = pace.Table{Provider: domain}
	}
	h.open += n
	r.waiting += n
	arrive := schedule.Arrive{Jobs: make([]schedule.Job, n)}
	for i := range arrive.Jobs {
		r.lastJob++
		j := schedule.Job{
			ID: r.lastJob, Addr: h.addr, Provider: table, Target: fmt.Sprintf("m%d@%s", r.lastJob, domain),
			Domain: domain, Control: "random@" + domain, Caller: 1, Budget: time.Minute,
		}
		r.jobs[j.ID] = &job{Job: j, host: h, dead: r.happens(r.hosts.Refused)}
		arrive.Jobs[i] = j
	}
	return arrive
}

// tell tells the plan of an event, and does what it wants.
func (r *run) tell(e schedule.Event) {
	for _, a := range r.plan.Handle(r.now, e) {
		switch a.Do {
		case schedule.Open:
			r.open(a)
		case schedule.Run:
			r.ask(a)
		case schedule.Quit:
			r.later(r.hosts.Reply, schedule.Closed{Session: a.Session})
		case schedule.Abort:
			r.abort(r.sessions[a.Session])
		case schedule.Answer:
			r.answered(a.Job)
		}
	}
}

// taken notes that a session has a job.
func (r *run) taken(id schedule.JobID) *job {
	j := r.jobs[id]
	if !j.asked {
		j.asked = true
		r.waiting--
	}
	return j
}

func (r *run) answered(id schedule.JobID) {
	j := r.taken(id)
	delete(r.jobs, id)
	r.rate.Addresses++
	if j.host.open--; !r.small() {
		r.feed(j.host)
	}
}
