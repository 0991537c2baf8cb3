package smtpprobe

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// SetEgresses replaces the egresses, and the routes, as [Config] has them. What
// is known of an egress with the same name and [egress.Egress.ID] as before
// stays. One that is new gets its share of the mail hosts. One that is gone is
// not chosen any more: probes that wait for it go on by another, and its
// sessions end with QUIT after the questions under way. An error changes
// nothing.
func (p *Pool) SetEgresses(all egress.Egresses, routes map[string][]string) error {
	if err := checkEgresses(all, routes); err != nil {
		return err
	}
	if len(all) == 0 {
		all = p.config.direct()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	gone := slices.Clone(p.ways.all)
	for _, e := range all {
		same := func(w *way) bool { return w.Name == e.Name && w.ID() == e.ID() }
		i := slices.IndexFunc(gone, same)
		if i < 0 {
			p.addWay(e)
			continue
		}
		gone[i].Egress, gone[i].leaving = e, false
		gone = slices.Delete(gone, i, i+1)
	}
	p.ways.routes = routes
	for _, w := range gone {
		p.remove(w)
	}
	return nil
}

func (p *Pool) addWay(e egress.Egress) {
	w := &way{Egress: e, limit: pace.NewEgress(p.config.Pace), silent: make(map[netip.AddrPort]struct{})}
	p.ways.all = append(p.ways.all, w)
}

// remove has an egress end its sessions and be forgotten.
func (p *Pool) remove(w *way) {
	if !w.leaving {
		p.config.Logger.Info("egress is being removed", slog.String("egress", w.Name), slog.Int("sessions", w.sessions))
	}
	w.leaving = true
	for _, v := range slices.Clone(p.idle) {
		if v.host.key.way == w {
			p.retire(v)
		}
	}
	for key, h := range p.hosts {
		if key.way == w {
			h.failWaiting(func(*job) (result, bool) { return result{err: errMoved}, true })
		}
	}
	p.forgetWay(w)
}

// forgetWay forgets an egress that was removed, once its last session has
// ended. What is worth keeping of how providers were asked by it stays, for the
// case that it comes back.
func (p *Pool) forgetWay(w *way) {
	if !w.leaving || w.sessions > 0 {
		return
	}
	for _, m := range p.memoryOf(w) {
		p.memory[memoryKey{m.Provider, m.Egress}] = m
	}
	for key := range p.providers {
		if key.way == w {
			delete(p.providers, key)
		}
	}
	for key, h := range p.hosts {
		if key.way == w && !h.inUse() {
			delete(p.hosts, key)
		}
	}
	for site, l := range p.ways.greylisted {
		if l.way == w {
			delete(p.ways.greylisted, site)
		}
	}
	p.ways.all = slices.DeleteFunc(p.ways.all, func(v *way) bool { return v == w })
}

// checkEgresses refuses what would not be a sane EHLO or MAIL command, and
// routes that lead nowhere.
func checkEgresses(all egress.Egresses, routes map[string][]string) error {
	for i, e := range all {
		where := fmt.Sprintf("smtpprobe: Config.Egresses[%d]", i)
		if e.HELO != "" {
			if err := checkDomain(e.HELO); err != nil {
				return fmt.Errorf("%s.HELO: %q %w", where, e.HELO, err)
			}
		}
		if e.MailFrom != "" && e.MailFrom != nullPath {
			if err := checkMailbox(e.MailFrom, false); err != nil {
				return fmt.Errorf("%s.MailFrom: %q %w", where, e.MailFrom, err)
			}
		}
		if e.Weight < 0 {
			return fmt.Errorf("%s.Weight: %d is negative", where, e.Weight)
		}
	}
	for name, route := range routes {
		if len(route) == 0 {
			return fmt.Errorf("smtpprobe: Config.Routes[%q]: %w", name, errors.New("names no egress"))
		}
		for _, to := range route {
			if !slices.ContainsFunc(all, func(e egress.Egress) bool { return e.Name == to }) {
				return fmt.Errorf("smtpprobe: Config.Routes[%q]: there is no egress %q", name, to)
			}
		}
	}
	return nil
}
