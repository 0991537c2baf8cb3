package world

import (
	"net/netip"
	"sync"
	"time"
)

// operator counts what client addresses do at all of its mail hosts.
type operator struct {
	rules Operator

	mu      sync.Mutex
	clients map[netip.Addr]*operatorClient
	blocks  int64
	peak    int64
}

type operatorClient struct {
	open       int64
	complaints []time.Time
	blocked    time.Time // until then
}

// enters counts a session in, and returns the greeting that refuses it; empty:
// it is welcome.
func (o *operator) enters(client netip.Addr, now time.Time) (refusal string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.clients[client]
	if c == nil {
		c = &operatorClient{}
		o.clients[client] = c
	}
	c.open++
	o.peak = max(o.peak, c.open)
	switch {
	case now.Before(c.blocked):
		return "554 5.7.1 Your address is blocked for abuse"
	case c.open > int64(o.rules.SessionsPerClient):
		for len(c.complaints) > 0 && now.Sub(c.complaints[0]) > time.Minute {
			c.complaints = c.complaints[1:]
		}
		if c.complaints = append(c.complaints, now); len(c.complaints) >= o.rules.Complaints {
			c.blocked, c.complaints = now.Add(o.rules.BlocksFor), nil
			o.blocks++
		}
		return "421 4.7.0 Too many connections from your address"
	}
	return ""
}

func (o *operator) leaves(client netip.Addr) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clients[client].open--
}

// take returns how often a client was blocked, and the most sessions that one
// had, and begins anew.
func (o *operator) take() (blocks, peak int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	blocks, peak = o.blocks, o.peak
	o.blocks, o.peak = 0, 0
	for _, c := range o.clients {
		o.peak = max(o.peak, c.open)
	}
	return blocks, peak
}
