// Package pace decides how fast mail hosts are asked: how many sessions a host
// may have, when a provider is paused, and at which intervals sessions with it
// may begin.
//
// Everything here is a pure state machine. It reads no clock, opens nothing and
// holds no lock: the time is an argument, and callers serialize the calls. What
// a reply means is decided by the caller, too.
package pace
