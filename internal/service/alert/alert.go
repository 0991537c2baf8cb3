// Package alert sends an operator a message about each problem that needs
// attention, and another when the problem is over: by webhook, by a service
// such as Slack, or by e-mail.
//
// The caller reports from time to time which problems of a kind exist
// ([Notifier.Report]). A new problem causes a message at once; one that lasts
// causes no other; one that is gone causes a message of its recovery. A problem
// that comes and goes causes at most one message an hour, and its recovery. A
// message that cannot be sent is tried again until it is sent, or until there
// is a newer one about the same problem: the network that a message tells of
// may be the one that it needs.
package alert

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Event is the kind of a problem.
type Event string

// The events.
const (
	ProviderBlocks Event = "provider_blocks" // a provider has refused us and is paused
	NetworkFails   Event = "network_fails"   // the check of our own network fails
	DoctorFault    Event = "doctor_fault"    // the daily examination found a fault
	QuotaNearlyUp  Event = "quota_nearly_up" // 80% of a key's quota are used
)

// Problem is something that needs attention.
type Problem struct {
	Subject string // what it is about; with the event it names the problem
	Text    string // what is wrong, in a sentence
	Do      string // what to do
}

// Message is what an operator reads. Its JSON is the body of the webhook.
type Message struct {
	Event   Event     `json:"event"`
	State   string    `json:"state"` // "problem" or "recovered"
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	Do      string    `json:"do,omitempty"`
	Server  string    `json:"server"` // the host name
	At      time.Time `json:"at"`
}

// The states of a message.
const (
	StateProblem   = "problem"
	StateRecovered = "recovered"
)

// Sender delivers messages.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// Limits.
const (
	perSubject  = time.Hour // between two messages about the same problem
	mostWaiting = 100       // messages that wait for a sender
	sendTimeout = 20 * time.Second
)

// pauses are the waits after one failure, two failures and so on; the last is
// that after all others.
var pauses = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute}

// Config configures a [Notifier].
type Config struct {
	Senders []Sender
	Server  string // the name of this server in the messages
	Log     *slog.Logger
}

// Notifier turns problems into messages. It is safe for concurrent use.
type Notifier struct {
	config Config
	boxes  []*outbox // of the senders

	mu    sync.Mutex
	known map[key]*state
}

type key struct {
	event   Event
	subject string
}

// state is what is known of a problem.
type state struct {
	open  bool
	told  bool // that it is open was given to the senders
	last  time.Time
	start Problem
}

// New returns a Notifier whose messages [Notifier.Run] sends.
func New(config Config) *Notifier {
	n := &Notifier{config: config, known: make(map[key]*state)}
	for range config.Senders {
		n.boxes = append(n.boxes, newOutbox())
	}
	return n
}

// Report says which problems of a kind there are now. Those that were reported
// before and are missing have recovered.
func (n *Notifier) Report(event Event, problems []Problem) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for _, p := range problems {
		n.raise(event, p, now)
	}
	for k, s := range n.known {
		gone := !slices.ContainsFunc(problems, func(p Problem) bool { return p.Subject == k.subject })
		if k.event == event && gone {
			n.clear(k, s, now)
		}
	}
}

func (n *Notifier) raise(event Event, p Problem, now time.Time) {
	k := key{event, p.Subject}
	s := n.known[k]
	if s == nil {
		s = new(state)
		n.known[k] = s
	}
	s.open, s.start = true, p
	if s.told || !s.last.IsZero() && now.Sub(s.last) < perSubject {
		return
	}
	s.told, s.last = true, now
	n.put(Message{Event: event, State: StateProblem, Subject: p.Subject, Text: p.Text, Do: p.Do, At: now})
}

// clear ends a problem, and forgets it when it may be told again.
func (n *Notifier) clear(k key, s *state, now time.Time) {
	if s.open && s.told {
		text := "It is over: " + s.start.Text
		n.put(Message{Event: k.event, State: StateRecovered, Subject: k.subject, Text: text, At: now})
	}
	s.open, s.told = false, false
	if now.Sub(s.last) >= perSubject {
		delete(n.known, k)
	}
}

// put gives a message to the senders.
func (n *Notifier) put(m Message) {
	m.Server, m.At = n.config.Server, m.At.UTC().Truncate(time.Second)
	for _, box := range n.boxes {
		if !box.put(m) {
			n.config.Log.Error("an alert was dropped, because too many wait to be sent",
				slog.String("subject", m.Subject))
		}
	}
}

// Run sends messages until ctx ends. Each sender has its own turn, so one that
// fails does not hold the others up.
func (n *Notifier) Run(ctx context.Context) {
	var all sync.WaitGroup
	for i, sender := range n.config.Senders {
		all.Go(func() { n.send(ctx, sender, n.boxes[i]) })
	}
	all.Wait()
	for _, box := range n.boxes {
		if waiting := box.len(); waiting > 0 {
			n.config.Log.Warn("alerts are left that could not be sent", slog.Int("alerts", waiting))
		}
	}
}

// send sends the messages of a box until ctx ends.
func (n *Notifier) send(ctx context.Context, sender Sender, box *outbox) {
	for failures := 0; ; {
		m, err := box.next(ctx)
		if err != nil {
			return
		}
		limited, cancel := context.WithTimeout(ctx, sendTimeout)
		err = sender.Send(limited, m)
		cancel()
		box.tried(m, err == nil)
		if err == nil || ctx.Err() != nil {
			failures = 0
			continue
		}
		pause := pauses[min(failures, len(pauses)-1)]
		failures++
		n.config.Log.Warn("an alert could not be sent, and is tried again", slog.String("subject", m.Subject),
			slog.String("error", err.Error()), slog.Duration("in", pause))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}
