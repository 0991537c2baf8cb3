package schedule

import (
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Names of what the shell and the plan speak about. The shell numbers jobs,
// callers and egresses, the plan numbers sessions. No number is used twice.
type (
	JobID     int64
	SessionID int64
	CallerID  int32 // 0: a single check; else a list
	EgressID  int32
)

// Job is one question to one mail host. It gets exactly one [Answer].
type Job struct {
	ID       JobID
	Addr     netip.AddrPort // of the mail host, unmapped
	Host     string         // its name, for what is noted of a greeting
	Provider pace.Table     // that runs it
	Without  []EgressID     // by which the host could not be asked
	Target   string         // mailbox
	Domain   string         // of the target, in lower case
	Control  string         // a random mailbox of the domain; empty: none is to be named
	UTF8     bool           // the target needs SMTPUTF8
	Caller   CallerID
	// Again: the host was asked, and a session ended on the trial of an
	// extension. The job goes first, as its time began with that session.
	Again bool
	// Budget is the time that the host has for it. It runs only while a session
	// has the job. Zero: it has no end.
	Budget time.Duration
	// Limit is when the caller waits no longer; zero: it has no limit.
	Limit time.Time
}

// Egress is a way out. Mail hosts take each for a client of its own.
type Egress struct {
	ID           EgressID // stays the same as long as Name and Key do
	Key          string   // by which hosts know it (egress.Egress.ID): it has its share of sites by that
	Name         string   // empty: the network as it is
	Weight       int      // at least 1
	Only4, Only6 bool     // families that it reaches
	Since        time.Time
}

// Event is what has happened, one of the types below.
type Event interface{ event() }

type (
	// Arrive brings jobs. They are decided upon together: those of a domain
	// share transactions.
	Arrive struct{ Jobs []Job }
	// GiveUp takes jobs back whose caller has gone.
	GiveUp struct{ Jobs []JobID }
	// CallerSet says how many jobs of a list may wait, before it has any. Where
	// they wait for a provider that is asked as much as it may be, it leaves as
	// much of that as it takes; the others are answered [HeldBack]. Less than
	// zero, as long as nothing is said: any number.
	CallerSet struct {
		ID   CallerID
		Most int
	}
	// CallerEnds says that a list ends soon: its jobs that wait, or would wait
	// again, are answered [LeftOut]. Those that are being asked go on.
	CallerEnds struct{ ID CallerID }
	// Opened is the end of an Open that went well.
	Opened struct {
		Session SessionID
		UTF8    bool // SMTPUTF8 is offered
		TLS     bool // STARTTLS worked
	}
	// NotOpened is the end of another. Closed follows.
	NotOpened struct {
		Session   SessionID
		Failure   smtp.Kind // empty: the host refused in words
		Phase     smtp.Phase
		Text      string // of the failure, for the log of an egress
		Said      []Early
		Greeted   bool
		Trial     string // the extension on whose trial it ended; empty: none
		Hurried   bool   // it had less time than the shell gives
		Resources bool   // this machine has no file descriptor or memory left
		Account   any    // for the answers that this gives to others; the plan only hands it back
	}
	// Settled is the end of a Run.
	Settled struct {
		Session SessionID
		Outcome Outcome
		Account any // as above
	}
	// Lost says that the host has ended an idle session, or spoken in it.
	// Closed follows.
	Lost struct{ Session SessionID }
	// Closed says that the connection is gone. Each Open has exactly one.
	Closed struct{ Session SessionID }
	// SetEgresses replaces the egresses, and the names of those by which each
	// provider is asked; nil: by all.
	SetEgresses struct {
		All    []Egress
		Routes map[string][]string
	}
	// Tick says that it is the time that Next named.
	Tick struct{}
	// Shut answers what waits, and ends the sessions behind what they do.
	Shut struct{}
)

func (Arrive) event()      {}
func (GiveUp) event()      {}
func (CallerSet) event()   {}
func (CallerEnds) event()  {}
func (Opened) event()      {}
func (NotOpened) event()   {}
func (Settled) event()     {}
func (Lost) event()        {}
func (Closed) event()      {}
func (SetEgresses) event() {}
func (Tick) event()        {}
func (Shut) event()        {}

// Early is a refusal before MAIL, in the greeting or in reply to EHLO.
type Early struct {
	Class    replies.Class
	Code     int
	Enhanced string
}

// Outcome is what was said in a transaction, and how: facts, no verdict.
type Outcome struct {
	belief.Outcome
	Took   time.Duration // from the first RCPT on
	Slow   bool          // RSET, behind many refusals, was answered slowly
	Ended  bool          // the connection is of no more use
	Passed []string      // extensions that have worked
	Trial  string        // the extension on whose trial it ended; empty: none
	NoTLS  bool          // MAIL was refused for want of STARTTLS
	// Hurried: a silence may be due to the little time that it had.
	Hurried bool
}

// Do is what an action is.
type Do uint8

// Actions.
const (
	Open   Do = iota // a session. Opened or NotOpened follows
	Run              // a transaction in it. Settled follows
	Quit             // end an idle session with QUIT. Closed follows
	Abort            // end a session at once, whatever it does. Settled or NotOpened, and Closed, follow
	Answer           // a job
	Count            // of a list another number of jobs waits than before
	Tell             // write to the log
)

// Action is what is to be done. The fields that do not belong to Do are zero.
type Action struct {
	Do      Do
	Session SessionID

	// Open.
	Addr   netip.AddrPort
	Egress EgressID // also of Answer: by which the job was to be asked
	For    JobID    // the job for which it is opened

	// Open and Run.
	Until time.Time // when the time of all its jobs is over; zero: never
	Shun  []string  // extensions that are not used with the host
	Tried bool      // PIPELINING has worked with the host

	// Run. In this order they are named: targets, proof, controls. Without
	// targets, only the proof is named.
	Targets  []JobID
	Proof    string    // a mailbox; empty: none is named
	Controls []JobID   // jobs whose control is named
	Canary   bool      // the one control is one that the host is known to refuse
	Known    []Control // for each target: what was said about its control before; zero: it is named, or there is none
	Alone    bool      // one command at a time
	UTF8     bool

	// Answer.
	Job    JobID
	Result Result
	Retry  time.Duration // after which to ask again; zero: it is not known
	From   any           // the account that answers it, of a session that was not its own
	Ago    time.Duration // of that; zero: it waited while it happened
	Waited time.Duration // for sessions, in all

	// Count.
	Caller  CallerID
	Waiting int  // without those for which a session is opened, or first in a transaction
	Gone    bool // all its jobs have their answers

	// Tell.
	News News
}

// Control is what a host has said about the control of a domain, and behind it
// about a mailbox that it had accepted.
type Control struct{ Reply, Behind *smtp.Reply }

// Result is what a job is answered with.
type Result uint8

// Results.
const (
	Final       Result = iota // what was said in the last transaction that named it, or how that ended
	Unproven                  // the same: a refusal behind which nobody was accepted
	NotBelieved               // the same, without the reply about the target
	Failed                    // how the session ended that was opened for it (NotOpened)
	Inherited                 // how another session ended that was opened (From, Ago)
	Silent                    // the host never answers about a recipient (From, Ago)
	Turned                    // the host refuses everybody (From, Ago)
	AtLimit                   // the host answers everybody with a limit of its own (From, Ago, Retry)
	Resources                 // this machine has no file descriptor or memory left
	Paused                    // the provider refuses us, and is paused (Retry)
	Slowed                    // the provider finds us too fast, and is paused (Retry)
	Limited                   // there is less time than until the turn of its host (Retry)
	Busy                      // its time was over while it waited for a session (Retry)
	TooLate                   // its time was over while a first session with the host was being opened
	Unfinished                // its time was over while it was asked: what is known of the session so far
	OutOfTurn                 // the same, and others had the host's time
	GivenUp                   // its caller has gone (GiveUp)
	Full                      // too many single checks wait for the host
	HeldBack                  // too many of its list wait for the provider (Retry)
	LeftOut                   // its list ends
	NoEgress                  // no egress leads there, or none is left to try
	Moved                     // its egress was removed before it was asked
	ShutDown
)

// News is a line for the log: an egress that stopped to work or works again, or
// a provider that is asked otherwise than before.
type News struct {
	Egress   string
	Fault    string // of the egress; empty, with no provider: it works again
	Removed  bool   // the egress is being removed
	Sessions int    // of that
	Provider string // empty: it is about the egress
	State    pace.State
}

// Config is what does not change.
type Config struct {
	MaxSessions        int
	MaxSessionsPerHost int
	MaxWaitingPerHost  int
	Idle               time.Duration
	Refused            int // recipients of a session; zero: learnt from the host
	Pace               pace.Settings
	Memory             []pace.Memory // of an earlier plan
}
