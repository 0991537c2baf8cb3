package smtpprobe

import (
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// Stats is what a [Pool] does.
type Stats struct {
	Sessions int // open, or about to be
	Idle     int // of them: kept for the next recipient
	UnderWay int // probes that a session has taken
	Waiting  int // probes that wait for a session
	Hosts    int // mail hosts of which something is known
	// Paused are the providers that are paused or asked slowly; the first to be
	// asked again first.
	Paused []Paused
}

// Paused is a provider that the pool does not ask, or asks slowly, because it
// blocked us or found us too fast.
type Paused struct {
	Provider string        // its pacing name: in the table, a registrable domain, or a network
	Egress   string        // the name of the egress that it is about, where there are several
	Until    time.Time     // paused until then; zero: it is not
	Interval time.Duration // between sessions; zero: as they come
	Pauses   int           // how often it was paused in a row
}

// Egress is the state of an egress.
type Egress struct {
	Name      string    // empty: the network as it is
	HELO      string    // EHLO name; empty: an address literal
	Weight    int       // its share of the mail hosts, in proportion to the others
	Sessions  int       // open, or about to be
	Leaving   bool      // it was removed, and its last sessions end
	Down      bool      // it does not work, and is tried every half minute
	Fault     string    // what is wrong; empty: nothing is known
	LastReply time.Time // when a mail host last greeted us by it; zero: none did
	Said      []Said    // what providers said to it, the last first; at most ten
}

// Said is the last reply of a provider to an egress. Its text is left out, as
// it may name a mailbox.
type Said struct {
	Provider string // its pacing name
	At       time.Time
	Class    replies.Class
	Code     int
	Enhanced string // empty: there was none
}

// maxSaid is the number of providers in [Egress].Said.
const maxSaid = 10

// ProviderPace is how a provider is asked, through one egress.
type ProviderPace struct {
	pace.Rules
	pace.State
	Egress  string // its name, where there are several
	Waiting int    // probes that wait for a session with one of its mail hosts
}
