package schedule

import (
	"container/heap"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// BenchmarkHandle tells what an address costs at 1,000 hosts that answer in
// 20 ms and accept all but the controls, by one egress and by a hundred.
func BenchmarkHandle(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprintf("egresses=%d", n), func(b *testing.B) { benchmarkHandle(b, n) })
	}
}

func benchmarkHandle(b *testing.B, egresses int) {
	b.ReportAllocs()
	f := newFeed(plain)
	var all []Egress
	for i := range egresses {
		all = append(all, Egress{ID: EgressID(i + 1), Key: fmt.Sprint(i), Name: fmt.Sprint(i), Weight: 1})
	}
	s := New(testConfig(), all, nil)
	jobs := make([]Job, 0, 200)
	for i := 0; i < b.N; {
		for jobs = jobs[:0]; len(jobs) < cap(jobs) && i < b.N; i++ {
			jobs = append(jobs, jobAt(i, i/20%1000))
		}
		f.handle(s, Arrive{Jobs: jobs})
		for len(s.jobs) > 20_000 {
			f.step(s)
		}
	}
	for f.step(s) {
	}
	if len(s.jobs) > 0 {
		b.Fatalf("%d jobs have no answer", len(s.jobs))
	}
	b.ReportMetric(float64(f.events)/b.Elapsed().Seconds(), "events/s")
}

func testConfig() Config {
	return Config{
		MaxSessions: 1000, MaxSessionsPerHost: 20, MaxWaitingPerHost: 256, Idle: 5 * time.Second,
		Pace: pace.Settings{}.WithDefaults(),
	}
}

// jobAt is a list's job about a mailbox with a number at a host with one.
func jobAt(i, host int) Job {
	name := fmt.Sprintf("d%d.example", host)
	return Job{
		ID: JobID(i + 1), Addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(host >> 8), byte(host)}), 25),
		Provider: pace.Table{Provider: name},
		Target:   fmt.Sprintf("good%d@%s", i, name), Domain: name, Control: "random@" + name, Caller: 1,
		Budget: time.Minute,
	}
}

var (
	accepts = smtp.Reply{Code: 250, Enhanced: "2.1.5", Lines: []string{"Ok"}}
	unknown = smtp.Reply{Code: 550, Enhanced: "5.1.1", Lines: []string{"no such user"}}
)

// plain is the reply of a host that knows all but the controls.
func plain(mailbox string, role belief.Role) (*smtp.Reply, replies.Class) {
	if role == belief.Control || role == belief.Canary || mailbox[0] == 'b' {
		return &unknown, replies.ClassNoSuchUser
	}
	return &accepts, replies.ClassOK
}

// feed is hosts that do what they are asked in 20 ms, all alike.
type feed struct {
	now    time.Time
	due    dueEvents
	last   int
	events int
	jobs   map[JobID]Job
	named  map[SessionID]int
	says   func(mailbox string, role belief.Role) (*smtp.Reply, replies.Class)
	given  map[JobID]Action
	opens  int
	runs   []Action
}

func newFeed(says func(string, belief.Role) (*smtp.Reply, replies.Class)) *feed {
	return &feed{
		now: time.Unix(1_800_000_000, 0), says: says, jobs: map[JobID]Job{}, named: map[SessionID]int{},
	}
}

func (f *feed) handle(s *State, e Event) {
	f.events++
	if a, ok := e.(Arrive); ok {
		for _, j := range a.Jobs {
			f.jobs[j.ID] = j
		}
	}
	for _, a := range s.Handle(f.now, e) {
		switch a.Do {
		case Open:
			f.opens++
			f.later(60*time.Millisecond, Opened{Session: a.Session})
		case Run:
			if f.given != nil {
				f.runs = append(f.runs, a)
			}
			f.later(f.takes(a), Settled{Session: a.Session, Outcome: f.outcome(a)})
		case Quit, Abort:
			f.later(20*time.Millisecond, Closed{Session: a.Session})
		case Answer:
			delete(f.jobs, a.Job)
			if f.given != nil {
				f.given[a.Job] = a
			}
		}
	}
}

// takes is how long a transaction takes: ten seconds where a target is slow.
func (f *feed) takes(a Action) time.Duration {
	for _, id := range a.Targets {
		if strings.HasPrefix(f.jobs[id].Target, "slow") {
			return 10 * time.Second
		}
	}
	return 20 * time.Millisecond
}

func (f *feed) later(in time.Duration, e Event) {
	f.last++
	heap.Push(&f.due, dueEvent{f.now.Add(in), f.last, e})
}

// step makes the next event happen. It reports whether there was one.
func (f *feed) step(s *State) bool {
	next := s.Next()
	switch {
	case len(f.due) > 0 && (next.IsZero() || !next.Before(f.due[0].at)):
		d := heap.Pop(&f.due).(dueEvent)
		f.now = d.at
		f.handle(s, d.e)
	case !next.IsZero():
		f.now = next
		f.handle(s, Tick{})
	default:
		return false
	}
	return true
}

func (f *feed) outcome(a Action) Outcome {
	o := Outcome{Took: 20 * time.Millisecond}
	o.Targets, o.Alone, o.Stopped, o.Fresh = len(a.Targets), a.Alone, -1, f.named[a.Session] == 0
	o.MAIL.Reply = &accepts
	o.Named = make([]belief.Heard, 0, len(a.Targets)+2)
	add := func(mailbox, domain string, role belief.Role) {
		h := belief.Heard{Mailbox: mailbox, Domain: domain, Role: role, Before: f.named[a.Session]}
		h.Reply, h.Class = f.says(mailbox, role)
		o.Named = append(o.Named, h)
		f.named[a.Session]++
	}
	names(a, func(id JobID) Job { return f.jobs[id] }, add)
	return o
}

// names calls add for each recipient that a transaction names, in their order.
func names(a Action, jobOf func(JobID) Job, add func(mailbox, domain string, role belief.Role)) {
	for _, id := range a.Targets {
		j := jobOf(id)
		add(j.Target, j.Domain, belief.Target)
	}
	if a.Proof != "" {
		add(a.Proof, "", belief.Proof)
	}
	role := belief.Control
	if a.Canary {
		role = belief.Canary
	}
	for _, id := range a.Controls {
		j := jobOf(id)
		add(j.Control, j.Domain, role)
	}
}

type dueEvent struct {
	at    time.Time
	order int
	e     Event
}

type dueEvents []dueEvent

func (d dueEvents) Len() int { return len(d) }
func (d dueEvents) Less(i, j int) bool {
	if c := d[i].at.Compare(d[j].at); c != 0 {
		return c < 0
	}
	return d[i].order < d[j].order
}
func (d dueEvents) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *dueEvents) Push(x any)   { *d = append(*d, x.(dueEvent)) }
func (d *dueEvents) Pop() any {
	n := len(*d) - 1
	x := (*d)[n]
	*d = (*d)[:n]
	return x
}
