// Package drive runs one verifier over the list of a world, in a process of its
// own, and reports what it cost and how often it was right.
//
// A verifier takes part as a [Tool]. Each has a command in a folder below, so
// that no process carries another's code: the set-up work and the memory of one
// would count for all.
package drive
