// Package forecast says how fast a list is verified before it is begun. It has
// the scheduler of package smtpprobe work in simulated time, with mail hosts
// that answer as assumed, and counts. So what is predicted is what is done, as
// far as the assumptions go. It opens nothing and reads no clock.
//
// Experimental: this package may change in any minor version.
package forecast
