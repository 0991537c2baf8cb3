// Package service measures the HTTP service: a process that serves, barely or
// with all that rcpt serve has, and a client that keeps it busy. A handler that
// answers every request with the same record shows what net/http alone can do
// on the machine.
package service
