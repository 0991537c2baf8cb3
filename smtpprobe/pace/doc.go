// Package pace decides how fast providers are asked: what one is given with all
// of its mail hosts together and when it is paused ([Provider]), and how many
// sessions and recipients a source address or proxy may have
// ([EgressLimits], [Budget]). [Settings] has the numbers, and says where each
// comes from.
//
// The state machines are pure. They read no clock, open nothing and hold no
// lock: the time is an argument, and callers serialize the calls. What a reply
// means is decided by the caller, too.
//
// Experimental: this package may change in any minor version.
package pace
