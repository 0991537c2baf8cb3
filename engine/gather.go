package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/internal/reading"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
)

// group is addresses of one domain about which facts are gathered together.
type group struct {
	v         *Verifier
	ctx       context.Context // of the caller, for hooks
	scope     scope
	reader    *reading.Reader
	started   time.Time
	addresses []string
	members   []member
	apart     sync.WaitGroup // what goes on in goroutines of its own
	done      func(i int, evidence Evidence, err error)

	listings sync.WaitGroup // the look-up of the domain in lists in the DNS
	rhsbl    []rhsbl.Answer // its outcome, once it is over
	unlisted error          // why it was not carried out
}

// member is an address of the group whose mail hosts are to be asked.
type member struct {
	number   int
	mailbox  address.Address
	evidence Evidence
	listed   bool // the look-up of the domain concerns it
}

// gather collects the facts about addresses of one domain, and calls done
// exactly once for each with its index, perhaps from several goroutines at a
// time. It takes the steps in order, and ends where the facts so far leave
// nothing to ask: parse and match lists for each address, resolve once, probe
// all mailboxes in one call. Addresses of another domain than the first are
// gathered apart.
func (v *Verifier) gather(
	ctx context.Context, s scope, addresses []string, done func(i int, evidence Evidence, err error),
) {
	g := group{
		v: v, ctx: ctx, scope: s, reader: reading.By(s.lists),
		started: time.Now(), addresses: addresses, done: done,
	}
	g.members = make([]member, 0, len(addresses))
	for i := range addresses {
		g.admit(ctx, i)
	}
	if len(g.members) > 0 {
		g.resolve(ctx)
	}
	g.apart.Wait()
}

// admit makes an address a member if its mail hosts are to be asked.
func (g *group) admit(ctx context.Context, i int) {
	evidence := g.v.noEvidence(g.addresses[i], g.scope.level, g.scope.allowed, g.started)
	g.members = append(g.members, member{number: i, evidence: evidence})
	last := len(g.members) - 1
	m := &g.members[last]
	var goesOn bool
	m.mailbox, goesOn = g.v.read(g.reader, g.addresses[i], &m.evidence)
	switch {
	case !goesOn:
		g.finish(m, nil)
	case g.members[0].mailbox.Domain() != m.mailbox.Domain():
		g.apart.Go(func() {
			g.v.gather(ctx, g.scope, g.addresses[i:i+1], func(_ int, evidence Evidence, err error) {
				g.done(i, evidence, err)
			})
		})
	default:
		return
	}
	g.members = g.members[:last]
}

// resolve finds the mail hosts of the domain and goes on with them.
func (g *group) resolve(ctx context.Context) {
	v, domain := g.v, g.members[0].mailbox.Domain()
	var answer resolved
	err := ended(ctx, domain)
	if err == nil {
		g.lookUp(ctx)
		answer, err = v.resolve(ctx, g.ends(), domain)
	}
	if err != nil {
		for i := range g.members {
			if g.members[i].evidence.DNS = &answer.Findings; len(answer.Hosts) == 0 {
				g.members[i].evidence.DNS = v.knownHosts(domain)
			}
			g.finish(&g.members[i], err)
		}
		return
	}
	g.probe(ctx, answer, g.scope.lists.MatchHosts(domain, hostNames(answer.Findings)))
}

// ends is when the time for the DNS and the mail hosts is over.
func (g *group) ends() time.Time { return g.started.Add(g.scope.allowed) }

// lookUp begins to look the domain up in lists in the DNS, for the members that
// this concerns.
func (g *group) lookUp(ctx context.Context) {
	var domain string
	for i := range g.members {
		m := &g.members[i]
		if d, ok := g.v.rhsbls.Domain(m.evidence.Domain, m.evidence.Matches); ok {
			domain, m.listed = d, true
		}
	}
	if domain != "" {
		g.listings.Go(func() {
			g.rhsbl = g.v.rhsbls.LookUp(ctx, time.Until(g.ends()), domain)
			g.unlisted = ended(ctx, domain)
		})
	}
}

// probe asks the mail hosts about the members that the DNS and the lists leave
// in question.
func (g *group) probe(ctx context.Context, answer resolved, listed []lists.Match) {
	v, found := g.v, &answer.Findings
	hosts, left := leaveOut(v.noAsk, found.Hosts)
	route := mailRoute(hosts, v.policy.AllowNets)
	budget := time.Until(g.ends())
	control := v.controls.mailbox(found.Domain, g.started)
	asked := make([]*member, 0, len(g.members))
	requests := make([]smtpprobe.Request, 0, len(g.members))
	for i := range g.members {
		m := &g.members[i]
		m.evidence.DNS, m.evidence.Network = found, answer.network
		m.evidence.Matches = withHosts(m.evidence.Matches, listed)
		if reading.Trapped(m.evidence.Matches) || g.scope.level == LevelDNS {
			g.finish(m, nil)
			continue
		}
		if m.evidence.NotAsked = left; len(route) == 0 {
			g.finish(m, nil)
			continue
		}
		asked = append(asked, m)
		hosts := v.withIPv6(slices.Clone(route), &m.evidence)
		requests = append(requests, g.request(m, control, hosts, budget))
	}
	if g.closed(asked, route) {
		return
	}
	if g.scope.how.Found != nil {
		g.scope.how.Found()
	}
	started := time.Now()
	v.portCheck.Begins()
	v.pool.ProbeAll(ctx, requests, func(i int, said smtpprobe.Findings, err error) {
		m := asked[i]
		v.probed(ctx, m.mailbox.Domain(), said, time.Since(started))
		m.evidence.SMTP = &said
		if !v.portCheck.Ended(said) {
			g.finish(m, err)
			return
		}
		g.apart.Go(func() {
			end := g.ends()
			if g.scope.how.Caller != nil { // the wait for a session does not count
				end = end.Add(said.Waited)
			}
			limited, cancel := context.WithDeadline(ctx, end)
			defer cancel()
			m.evidence.notePort(v.portCheck.Pass(limited))
			g.finish(m, cmp.Or(err, ended(ctx, m.mailbox.Domain())))
		})
	})
}

// closed ends the verification of members whose mail hosts would be asked in
// vain, because our network lets us reach none.
func (g *group) closed(asked []*member, route []smtpprobe.Host) bool {
	if len(asked) == 0 {
		return false
	}
	fault := g.v.portCheck.Closed(route)
	if fault == "" {
		return false
	}
	for _, m := range asked {
		m.evidence.notePort(fault)
		g.finish(m, nil)
	}
	return true
}

// finish completes the evidence about a member with what lists in the DNS say.
// It waits for them in a goroutine, so that a slow list does not delay the
// other members.
func (g *group) finish(m *member, err error) {
	if !m.listed {
		g.tell(m, err)
		return
	}
	g.apart.Go(func() {
		g.listings.Wait()
		m.evidence.RHSBL = g.rhsbl
		g.tell(m, cmp.Or(err, g.unlisted))
	})
}

// tell hands the evidence over and keeps nothing of it: other members may take
// long.
func (g *group) tell(m *member, err error) {
	evidence := m.evidence
	m.evidence = Evidence{}
	err = own(err)
	evidence.end(g.started, err)
	if g.v.config.Hooks.Gathered != nil {
		g.v.config.Hooks.Gathered(g.ctx, evidence)
	}
	g.done(m.number, evidence, err)
}
