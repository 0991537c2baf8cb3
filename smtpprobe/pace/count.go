package pace

import "time"

// counter counts what happened in the last period. It has a place for each part
// of the period, and one for the part that has just begun.
type counter struct {
	part   time.Duration
	places []int // by the number of the part
	last   int64 // number of the part under way
}

func newCounter(period time.Duration, parts int) counter {
	return counter{part: period / time.Duration(parts), places: make([]int, parts+1)}
}

// advance empties the places of the parts that have begun since.
func (c *counter) advance(now time.Time) {
	at := now.UnixNano() / int64(c.part)
	if at-c.last >= int64(len(c.places)) {
		clear(c.places)
		c.last = at
	}
	for c.last < at {
		c.last++
		c.places[c.last%int64(len(c.places))] = 0
	}
}

func (c *counter) add(n int, now time.Time) {
	c.advance(now)
	c.places[c.last%int64(len(c.places))] += n
}

// sum is how much there was in the period.
func (c *counter) sum(now time.Time) (sum int) {
	c.advance(now)
	for _, n := range c.places {
		sum += n
	}
	return sum
}

// room returns when something more fits into a limit; now: it does already.
func (c *counter) room(limit int, now time.Time) time.Time {
	sum := c.sum(now)
	if limit < 0 || sum < limit {
		return now
	}
	for first := c.last - int64(len(c.places)) + 1; first <= c.last; first++ {
		if sum -= c.places[first%int64(len(c.places))]; sum < limit {
			return time.Unix(0, (first+int64(len(c.places)))*int64(c.part))
		}
	}
	return now // a limit of zero does not limit
}

// evenly returns when something more fits into a limit of which each part of
// the period has its share; now: it does already.
func (c *counter) evenly(limit int, now time.Time) time.Time {
	c.advance(now)
	parts := len(c.places)
	if limit <= 0 || c.places[c.last%int64(parts)] < max(1, (limit+parts/2)/parts) {
		return now
	}
	return time.Unix(0, (c.last+1)*int64(c.part))
}
