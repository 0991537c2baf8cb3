package forecast

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// Hosts are the mail hosts of a provider, or of small ones that are alike, and
// what is assumed of them.
type Hosts struct {
	// Provider is whose hosts they are. With no name each is a provider of its
	// own, and there is another one for each domain.
	Provider pace.Table
	// Networks is in how many networks a provider has hosts, one in each. The
	// domains are spread over them.
	Networks int
	// Domain is how many addresses a domain has; zero: they have no end.
	Domain int

	Open      time.Duration // from the connection to the reply to the last EHLO
	Reply     time.Duration // to any other command but RCPT
	Recipient time.Duration // to RCPT
	Refused   float64       // share of the mailboxes that do not exist
	Silent    float64       // share of the small providers that do not answer
	Silence   time.Duration // after which one of them is given up
}

// Process is what asks them, through one egress.
type Process struct {
	Pace        pace.Settings
	Sessions    int // at a time; zero: any number
	Concurrency int // addresses of small providers in progress
}

// Rate is how fast it goes, with addresses that have no end.
type Rate struct {
	Addresses  float64 // answered in a minute
	Recipients float64 // named in a minute, those for proofs among them
	Sessions   float64 // open at a time
}

// Of is the rate at some hosts. What happens in the time before does not count:
// limits of mail hosts begin small.
func Of(h Hosts, p Process, before, counted time.Duration) Rate {
	r := newRun(h, p)
	r.until(r.now.Add(before))
	r.rate = Rate{}
	r.until(r.now.Add(counted))
	minutes := counted.Minutes()
	return Rate{r.rate.Addresses / minutes, r.rate.Recipients / minutes, r.rate.Sessions / minutes}
}

// Busiest is in how many of a provider's networks the mail hosts are asked by
// the egress that has most of them. It is the median of many providers: which
// egress has a network is a matter of a hash.
func Busiest(networks, egresses int) int {
	const tries = 101
	most := make([]int, tries)
	plan := schedule.New(schedule.Config{}, some(egresses), nil)
	for try := range most {
		all := make([]int, egresses+1)
		for i := range networks {
			id, _ := plan.Way(time.Time{}, "", network(try*networks+i))
			all[id]++
		}
		most[try] = slices.Max(all)
	}
	slices.Sort(most)
	return most[tries/2]
}

// some are egresses that differ in nothing but their names.
func some(n int) []schedule.Egress {
	all := make([]schedule.Egress, n)
	for i := range all {
		name := fmt.Sprint("egress ", i+1)
		all[i] = schedule.Egress{ID: schedule.EgressID(i + 1), Key: name, Name: name, Weight: 1}
	}
	return all
}

// network is an address in a network of its own.
func network(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(11 + n>>16), byte(n >> 8), byte(n), 1})
}
