package headway

import (
	"math"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// longestLeft is the longest time that is told: a pace that leads to more means
// nothing.
const longestLeft = 100 * 24 * time.Hour

// TimeLeft is how long the list still takes: as long as the slowest of its
// parts. What a provider holds up takes what its pace allows, what has to be
// asked again comes at its time, and the rest goes on as it went, at the lower
// of the present rate and that of the last minute. False: it is not known,
// because our network does not work, nothing has moved in the last seconds and
// no limit says why, or a provider is paused and nothing says how fast it is
// asked after that.
func (l List) TimeLeft(now time.Time) (left time.Duration, known bool) {
	if l.Network != "" {
		return 0, false
	}
	ready, seconds := l.Left-l.Later, 0.0
	for _, h := range l.held(now) {
		takes := h.takes(now)
		if math.IsInf(takes, 1) {
			return 0, false
		}
		seconds = max(seconds, takes)
		ready -= h.n - h.later
	}
	if ready > 0 {
		rate := min(l.Rate.Now, l.Rate.Lasting)
		if !l.Rate.Known || rate <= 0 {
			return 0, false
		}
		seconds = max(seconds, float64(ready)/rate)
	}
	if l.Later > 0 {
		seconds = max(seconds, l.Last.Sub(now).Seconds())
	}
	if seconds > longestLeft.Seconds() {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second), true
}

// Expected is how long a list would take that is not verified yet: as long as
// [List.TimeLeft] says of it, or as the limits of its providers allow.
func (l List) Expected(now time.Time) (takes time.Duration, known bool) {
	takes, known = l.TimeLeft(now)
	perSecond := map[string]float64{}
	for _, p := range l.Paces {
		p.LastMinute = 0 // what others were asked
		perSecond[p.Provider] += addressesPerSecond(p, now)
	}
	for name, n := range l.At {
		if most := perSecond[name]; most > 0 && float64(n)/most < longestLeft.Seconds() {
			takes = max(takes, time.Duration(float64(n)/most*float64(time.Second)).Round(time.Second))
		}
	}
	return takes, known
}

// takes is how many seconds the addresses of a provider take; infinite: that is
// not known.
func (h held) takes(now time.Time) float64 {
	perSecond, today := 0.0, 0.0
	for _, p := range h.paces {
		perSecond += addressesPerSecond(p, now)
		today += leftToday(p)
	}
	n := float64(h.n)
	takes := max(0, h.until.Sub(now).Seconds()) + n/perSecond
	if next := h.next().Sub(now).Seconds(); next > 0 && h.until.IsZero() { // a minute's worth at a time
		takes = next + 60*(math.Ceil(n/(60*perSecond))-1)
	}
	if perSecond == 0 {
		takes = math.Inf(1)
	}
	if n > today { // the rest comes as the day's limit comes back
		takes = max(takes, (n-today)/perDay(h.paces)*(24*time.Hour).Seconds())
	}
	return takes
}

// next is when the provider is asked again that has had what it may in a
// minute; zero: it is asked.
func (h held) next() (first time.Time) {
	for i, p := range h.paces {
		if i == 0 || p.Next.Before(first) {
			first = p.Next
		}
	}
	return first
}

// inSteps is the wait for the next session from which on a provider is asked in
// steps: it has heard in some seconds what it may hear in a minute.
const inSteps = 10 * time.Second

// addressesPerSecond is how many addresses of lists a provider hears in a
// second by an egress: as many as in the last minute, or if it was paused, as
// its limits allow; zero: that is not known.
func addressesPerSecond(p smtpprobe.ProviderPace, now time.Time) float64 {
	most := math.Inf(1)
	if n := p.Limits.RecipientsPerMinute; n > 0 {
		most = float64(pace.ForLists(n)) / 60
	}
	if n, each := p.Limits.SessionsPerMinute, p.Limits.RecipientsPerSession; n > 0 && each > 0 {
		most = min(most, float64(pace.ForLists(n)*each)/60)
	}
	if p.Interval > 0 && p.Limits.RecipientsPerSession > 0 {
		most = min(most, float64(p.Limits.RecipientsPerSession)/p.Interval.Seconds())
	}
	if p.LastMinute > 0 && p.PausedUntil.IsZero() {
		over := time.Minute
		if 0 < p.Busy && p.Busy < over && p.Next.Sub(now) < inSteps { // it has not been asked for a minute yet
			over = max(p.Busy, time.Second)
		}
		most = min(most, float64(p.LastMinute)/over.Seconds())
	}
	if math.IsInf(most, 1) {
		return 0
	}
	return most
}

// leftToday is how many more recipients of lists a provider may hear within 24
// hours.
func leftToday(p smtpprobe.ProviderPace) float64 {
	if p.Limits.RecipientsPerDay <= 0 {
		return math.Inf(1)
	}
	return float64(max(0, pace.ForLists(p.Limits.RecipientsPerDay)-p.LastDay))
}

// perDay is how many recipients of lists a provider may hear in a day.
func perDay(all []smtpprobe.ProviderPace) (sum float64) {
	for _, p := range all {
		sum += float64(pace.ForLists(p.Limits.RecipientsPerDay))
	}
	return sum
}
