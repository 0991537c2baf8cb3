// Package schedule decides which mail host is asked about whom, when, by which
// egress and in which session. It is a value: State.Handle takes what has
// happened and returns what is to be done. It knows no goroutine, lock,
// channel, timer, socket, context or clock, so that it can be simulated.
package schedule
