package headway

import "github.com/rcpt/rcpt/engine"

// Fault is what does not work of our own network; empty: nothing is known to
// be at fault.
type Fault string

// The faults.
const (
	NoResolver Fault = "resolver" // the DNS does not work
	NoPort     Fault = "port"     // no mail host can be reached
)

// FaultOf is the fault that the checks of the network have found.
func FaultOf(s engine.NetworkStatus) Fault {
	switch {
	case s.Resolver.State == engine.CheckFailed:
		return NoResolver
	case s.Port.State == engine.CheckFailed:
		return NoPort
	}
	return ""
}

// Sentence says it for people, without a full stop; empty: there is no fault.
func (f Fault) Sentence() string {
	switch f {
	case NoResolver:
		return "This server's DNS does not work: lists wait until it does"
	case NoPort:
		return "This server reaches no mail host: lists wait until it does"
	}
	return ""
}
