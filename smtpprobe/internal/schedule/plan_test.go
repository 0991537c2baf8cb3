package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// tried is a plan with hosts that all say the same.
type tried struct {
	*feed
	*State
	*testing.T
	asked int // jobs
}

func newTried(t *testing.T, says func(string, belief.Role) (*smtp.Reply, replies.Class), c Config) *tried {
	a := &tried{newFeed(says), New(c, []Egress{{ID: 1, Key: "direct", Weight: 1}}, nil), t, 0}
	a.given = map[JobID]Action{}
	return a
}

func (a *tried) tell(e Event) {
	a.Helper()
	a.handle(a.State, e)
	if err := a.Verify(); err != nil {
		a.Fatal(err)
	}
}

// ask asks about mailboxes at one host; of a list, if it has a number.
func (a *tried) ask(caller CallerID, mailboxes ...string) {
	a.Helper()
	var jobs []Job
	for _, m := range mailboxes {
		j := jobAt(a.asked, 0)
		a.asked++
		_, domain, _ := strings.Cut(m, "@")
		j.ID, j.Target, j.Domain, j.Control = JobID(a.asked), m, domain, "random@"+domain
		j.Caller = caller
		if caller == 0 {
			j.Limit = a.feed.now.Add(30 * time.Second)
		}
		jobs = append(jobs, j)
	}
	a.tell(Arrive{Jobs: jobs})
}

// run has all happen for some time.
func (a *tried) run(d time.Duration) {
	a.Helper()
	for end := a.feed.now.Add(d); ; {
		next := a.Next()
		if len(a.due) > 0 && (next.IsZero() || a.due[0].at.Before(next)) {
			next = a.due[0].at
		}
		if next.IsZero() || next.After(end) {
			a.feed.now = end
			return
		}
		a.step(a.State)
		if err := a.Verify(); err != nil {
			a.Fatal(err)
		}
	}
}

// results are those of the jobs that have an answer, by number.
func (a *tried) results() string {
	var all []string
	for id, given := range a.given {
		all = append(all, fmt.Sprintf("%d:%d", id, given.Result))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// noPostmaster knows the mailboxes that begin with good, and no postmaster.
func noPostmaster(m string, _ belief.Role) (*smtp.Reply, replies.Class) {
	if strings.HasPrefix(m, "good") {
		return &accepts, replies.ClassOK
	}
	return &unknown, replies.ClassNoSuchUser
}

// TestHeldRefusals sees that a refusal at a host that has accepted nobody waits
// for the others that are asked about, and is asked again when somebody was.
func TestHeldRefusals(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(a *tried)
		soon bool
		want Result
	}{
		{"nobody else", func(*tried) {}, false, Unproven},
		{"somebody is accepted", func(a *tried) { a.ask(0, "good@e.example") }, true, Final},
		{"the list ends", func(a *tried) { a.tell(CallerEnds{1}) }, true, Unproven},
		{"its caller gives up", func(a *tried) { a.tell(GiveUp{[]JobID{3}}) }, true, Unproven},
		{"its egress is removed", func(a *tried) { a.tell(SetEgresses{All: named("c")}) }, false, Unproven},
		{"shut", func(a *tried) { a.tell(Shut{}) }, true, Unproven},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newTried(t, noPostmaster, testConfig())
			a.ask(1, "bad@d.example") // the first needs no proof
			a.run(time.Second)
			a.ask(1, "slow@d.example")
			a.run(time.Second)
			a.ask(1, "bad2@d.example")
			a.run(time.Second)
			if j := a.State.jobs[3]; j == nil || j.place != held {
				t.Fatalf("job 3 is not held: %v", a.results())
			}
			tt.then(a)
			a.run(2 * time.Second)
			if _, given := a.given[3]; given != tt.soon {
				t.Errorf("soon: %v", given)
			}
			a.run(time.Minute)
			if got := a.given[3].Result; got != tt.want {
				t.Errorf("result %d, want %d", got, tt.want)
			}
		})
	}
}

// TestProofMakesWay sees that a mailbox is not the proof for long while a host
// accepts others, however often it is named as the proof.
func TestProofMakesWay(t *testing.T) {
	named := map[string]int{}
	a := newTried(t, func(m string, r belief.Role) (*smtp.Reply, replies.Class) {
		if r == belief.Proof {
			named[m]++
		}
		return noPostmaster(m, r)
	}, testConfig())
	for i := range 50 {
		a.ask(1, fmt.Sprintf("good%d-1@d.example", i), fmt.Sprintf("good%d-2@d.example", i), fmt.Sprintf("bad%d@d.example", i))
		a.run(time.Second)
	}
	if len(a.given) != a.asked || len(named) < 40 {
		t.Errorf("%d answers; as proofs: %v", len(a.given), named)
	}
}

// TestLastWords sees what those are told whose time is over.
func TestLastWords(t *testing.T) {
	one := testConfig()
	one.MaxSessionsPerHost = 1
	for _, tt := range []struct {
		name string
		run  func(a *tried)
		want Result
	}{
		{"waits for a session that others have", func(a *tried) {
			a.ask(1, "slow1@d.example")
			a.run(time.Second)
			a.ask(0, "good@d.example")
		}, Busy},
		{"is asked", func(a *tried) {
			a.ask(0, "good@d.example")
			a.run(time.Second)
			a.ask(0, "slow@d.example")
		}, Unfinished},
		{"is asked with others", func(a *tried) {
			a.ask(0, "good@d.example")
			a.run(time.Second)
			a.ask(0, "slow1@d.example", "slow2@d.example")
		}, OutOfTurn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newTried(t, plain, one)
			tt.run(a)
			for _, j := range a.State.jobs {
				if j.Caller == 0 {
					j.Limit = a.feed.now.Add(5 * time.Second)
					a.State.set(&j.timer, j.Limit, j)
				}
			}
			a.run(6 * time.Second)
			for id := JobID(2); int(id) <= a.asked; id++ {
				if got := a.given[id].Result; got != tt.want {
					t.Errorf("%d: result %d, want %d", id, got, tt.want)
				}
			}
		})
	}
}

// TestSingleCheckTakesTheSessionOfAList sees that a session which was opened
// for a list serves a single check that has come meanwhile.
func TestSingleCheckTakesTheSessionOfAList(t *testing.T) {
	c := testConfig()
	c.MaxSessionsPerHost = 1
	a := newTried(t, plain, c)
	a.ask(1, "good1@d.example", "good2@d.example")
	a.ask(0, "good3@d.example")
	a.run(time.Second)
	if len(a.runs) != 2 || !slices.Equal(a.runs[0].Targets, []JobID{3}) || len(a.runs[1].Targets) != 2 || a.opens != 1 {
		t.Errorf("%d sessions, and transactions about %v", a.opens, a.runs)
	}
}

// TestOrder sees in which order jobs wait, and that lines take turns of ten.
func TestOrder(t *testing.T) {
	h := &host{provider: &provider{}}
	id := JobID(0)
	add := func(first, alone bool, caller CallerID, domain string, n int) {
		for range n {
			id++
			j := &job{Job: Job{ID: id, Domain: domain, Caller: caller}, host: h, alone: alone}
			if first || alone {
				h.queue.goFirst(j)
			} else {
				h.queue.lineUp(j)
			}
		}
	}
	add(false, false, 1, "a", 12) // 1 to 12
	add(false, false, 1, "b", 1)  // 13
	add(false, false, 2, "a", 1)  // 14
	add(true, false, 1, "a", 1)   // 15
	add(false, true, 1, "a", 1)   // 16
	add(false, false, 0, "c", 11) // 17 to 27
	add(false, false, 0, "d", 1)  // 28
	add(true, false, 0, "c", 1)   // 29
	add(false, true, 0, "c", 1)   // 30
	var got []JobID
	for _, j := range h.queue.all() {
		got = append(got, j.ID)
	}
	want := []JobID{30, 29, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 27, 16, 15, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 11, 12}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLimits sees how limits grow, halve, and are forgotten.
func TestLimits(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	c := testConfig()
	l := newLimits(&c, 4)
	is := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	for range 4 {
		l.recipients.succeeded(now)
		l.sessions.succeeded(now)
	}
	is("recipients that doubled", l.recipients.size(now), mostRecipients)
	is("sessions that grew by one", l.sessions.size(now), 8)
	l.full(8, now, now)
	l.full(8, now.Add(-time.Second), now.Add(time.Second)) // at the same time
	is("sessions that were too many", l.sessions.size(now), 4)
	for range 8 {
		l.sessions.succeeded(now.Add(time.Minute - 1))
	}
	is("sessions that rest", l.sessions.size(now), 4)
	for range 4 {
		l.sessions.succeeded(now.Add(time.Minute))
	}
	is("sessions a minute later", l.sessions.size(now), 5)
	l.recipients.halve(60, now)
	for range 8 {
		l.recipients.succeeded(now)
	}
	is("recipients after trouble", l.recipients.size(now), 31)
	l.recipients.succeeded(now.Add(limitsLast + 1))
	is("recipients when trouble is forgotten", l.recipients.size(now.Add(limitsLast+1)), 40)
	is("sessions that did not change for an hour", l.sessions.size(now.Add(2*limitsLast)), 4)
	is("refusals", l.refused.size(now), ManyRefused)
	l.ended(use{usedUp: true}, now)
	is("refusals after a trial", l.refused.size(now), mostRefused)
	l.slowedDown(now)
	l.ended(use{usedUp: true}, now)
	is("refusals of a host that is slow behind them", l.refused.size(now), ManyRefused)
	l.ended(use{usedUp: true}, now.Add(limitsLast+1))
	is("refusals an hour later", l.refused.size(now.Add(limitsLast+1)), mostRefused)
}

// TestShares sees that a list leaves an eighth of each limit to single checks:
// of all sessions, those of an egress, a provider and a host.
func TestShares(t *testing.T) {
	for _, tt := range []struct {
		name  string
		set   func(c *Config)
		hosts int
		most  int
	}{
		{"all", func(c *Config) { c.MaxSessions = 8 }, 20, 7},
		{"an egress", func(c *Config) { c.Pace.Egress.Sessions = 8 }, 20, 7},
		{"a provider", func(c *Config) {}, 20, 9},
		{"a host", func(c *Config) {}, 1, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testConfig()
			tt.set(&c)
			a := newTried(t, plain, c)
			at := func(id JobID, host int, caller CallerID) Job {
				j := jobAt(int(id), host)
				j.ID, j.Caller, j.Target = id, caller, fmt.Sprintf("slow%d@d.example", id)
				if tt.name == "a provider" {
					j.Provider = pace.Table{Provider: "p"}
				}
				return j
			}
			var jobs []Job
			for i := range 400 {
				jobs = append(jobs, at(JobID(i+1), i%tt.hosts, 1))
			}
			a.tell(Arrive{Jobs: jobs})
			a.run(100 * time.Millisecond)
			if n := a.Stats().Sessions; n != tt.most {
				t.Errorf("%d sessions for a list, want %d", n, tt.most)
			}
			a.tell(Arrive{Jobs: []Job{at(1000, 0, 0)}})
			if n := a.Stats().Sessions; n != tt.most+1 {
				t.Errorf("%d sessions with a single check", n)
			}
		})
	}
}

// TestThoseWhoseSingleChecksHaveGone sees that a host which waits for a session
// of its provider for a list does not stand in front of a single check.
func TestThoseWhoseSingleChecksHaveGone(t *testing.T) {
	a := newTried(t, plain, testConfig())
	id := JobID(0)
	put := func(host int, caller CallerID) {
		id++
		j := jobAt(int(id), host)
		j.ID, j.Caller, j.Target = id, caller, fmt.Sprintf("slow%d@d.example", id)
		j.Provider = pace.Table{Provider: "p"}
		a.tell(Arrive{Jobs: []Job{j}})
	}
	for host := range 9 {
		put(host, 1)
	}
	put(9, 0)                     // the tenth session
	put(10, 1)                    // 11 waits, as a list
	put(10, 0)                    // 12 with a single check
	a.tell(GiveUp{[]JobID{12}})   // which goes
	put(11, 0)                    // 13
	a.tell(GiveUp{[]JobID{10}})   // a session ends
	a.run(100 * time.Millisecond) // and has ended
	if j := a.State.jobs[13]; j.place != asked {
		t.Errorf("the single check waits; %d sessions", a.Stats().Sessions)
	}
}
