// Package netcheck examines our own network, before what it says is held
// against a domain: whether the resolver denies what exists ([Resolver]), and
// whether mail hosts can be reached at all ([Port]). A check is made when there
// is a reason for one, and callers share it.
package netcheck
