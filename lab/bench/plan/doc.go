// Package plan computes how long lists take: how fast they go is what package
// forecast finds with the scheduler of rcpt in simulated time, and the budget
// of each day is that of package pace. What it assumes stands in assume.go.
package plan
