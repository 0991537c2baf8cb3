package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
)

// VerifyTogether is [Verifier.Verify] for addresses of one domain, for which it costs less: what concerns the domain is found out once, and one
// goroutine waits for all. An address of another domain than the first that has one is verified by itself. Done is told once what came of each address, by
// its number, perhaps from several goroutines at a time; it must be quick, as others wait for it. VerifyTogether returns when it has been told of all.
// More addresses than may wait for a mail host ([Config.MaxWaitingPerHost]) are too many at a time, unless under [WithQueued]: the last of them get
// [ErrBusy].
func (v *Verifier) VerifyTogether(ctx context.Context, addresses []string, done func(i int, result Result, err error)) {
	g := group{v: v, suggester: suggester{known: v.lists.Load()}, started: time.Now(), addresses: addresses, done: done}
	g.members = make([]member, 0, len(addresses))
	for i := range addresses {
		g.admit(ctx, i)
	}
	if len(g.members) > 0 {
		g.ask(ctx)
	}
	g.apart.Wait()
}

// group is the addresses of a domain that are verified together.
type group struct {
	v         *Verifier
	suggester suggester
	started   time.Time
	addresses []string
	members   []member
	apart     sync.WaitGroup // who goes on by itself
	done      func(i int, result Result, err error)

	listings sync.WaitGroup // look-up of the domain
	rhsbl    []rhsbl.Answer // what it brought, once it is over
}

// member is one whose mail hosts are to be asked.
type member struct {
	number   int
	mailbox  address.Address
	evidence Evidence
	listed   bool // the domain is looked up for it, too
}

// admit makes an address a member, or verifies it by itself.
func (g *group) admit(ctx context.Context, i int) {
	given := g.addresses[i]
	if result, ok := g.v.Recall(ctx, given); ok {
		g.done(i, result, nil)
		return
	}
	m := member{number: i, evidence: g.v.noEvidence(given, g.started)}
	var goesOn bool
	var err error
	m.mailbox, goesOn, err = g.v.read(&g.suggester, given, &m.evidence)
	switch {
	case !goesOn:
		g.finish(&m, err)
	case len(g.members) > 0 && g.members[0].mailbox.Domain != m.mailbox.Domain:
		g.apart.Go(func() {
			result, err := g.v.VerifyAnew(ctx, given)
			g.done(i, result, err)
		})
	default:
		g.members = append(g.members, m)
	}
}

// ask asks the DNS about the domain and the mail hosts about each member.
func (g *group) ask(ctx context.Context) {
	g.lookUp(ctx)
	v, domain := g.v, g.members[0].mailbox.Domain
	answer, err := v.resolve(ctx, domain)
	if err != nil {
		for i := range g.members {
			g.finish(&g.members[i], err)
		}
		return
	}
	g.probe(ctx, answer, g.suggester.known.MatchHosts(domain, hostNames(answer.Findings)))
}

// lookUp begins to look the domain up in lists in the DNS, for those whom that concerns.
func (g *group) lookUp(ctx context.Context) {
	var domain string
	for i := range g.members {
		m := &g.members[i]
		if d, ok := g.v.rhsbls.Domain(m.evidence.Domain, m.evidence.Matches); ok {
			domain, m.listed = d, true
		}
	}
	if domain != "" {
		g.listings.Go(func() { g.rhsbl = g.v.rhsbls.LookUp(ctx, g.v.config.Timeout, domain) })
	}
}

// probe asks the mail hosts about those whom the DNS and the lists leave in question.
func (g *group) probe(ctx context.Context, answer resolved, listed []lists.Match) {
	v, found, route := g.v, &answer.Findings, mailRoute(answer.Findings, g.v.policy.AllowNets)
	budget := v.config.Timeout - answer.took
	control := v.controls.mailbox(found.Domain, g.started)
	asked := make([]*member, 0, len(g.members))
	requests := make([]smtpprobe.Request, 0, len(g.members))
	for i := range g.members {
		m := &g.members[i]
		m.evidence.DNS, m.evidence.Network = found, answer.network
		if !matches(m.evidence.Matches, lists.Allow) {
			m.evidence.Matches = append(m.evidence.Matches, listed...)
		}
		if len(route) == 0 || trapped(m.evidence.Matches) || v.config.Level == LevelDNS {
			g.finish(m, nil)
			continue
		}
		asked = append(asked, m)
		requests = append(requests, v.request(ctx, m.mailbox, control, v.withIPv6(slices.Clone(route), &m.evidence), budget))
	}
	started := time.Now()
	v.portCheck.begins()
	v.pool.ProbeAll(ctx, requests, func(i int, said smtpprobe.Findings, err error) {
		m := asked[i]
		v.probed(ctx, m.mailbox.Domain, said, time.Since(started))
		m.evidence.SMTP = &said
		if !v.portCheck.ended(said) {
			g.finish(m, err)
			return
		}
		g.apart.Go(func() {
			m.evidence.notePort(v.portCheck.pass(ctx))
			g.finish(m, err)
		})
	})
}

// finish judges what is known about an address, once what the lists in the DNS say is known. Nobody else waits for that: who has to ask another mail host
// would lose its time.
func (g *group) finish(m *member, err error) {
	if !m.listed {
		g.tell(m, err)
		return
	}
	g.apart.Go(func() {
		g.listings.Wait()
		m.evidence.RHSBL = g.rhsbl
		g.tell(m, err)
	})
}

// tell tells the judgement, and keeps nothing of what that rests on: the others may take long.
func (g *group) tell(m *member, err error) {
	m.evidence.end(g.started, err)
	result := g.v.decide(g.suggester.known, g.addresses[m.number], m.evidence)
	m.evidence = Evidence{}
	g.done(m.number, result, err)
}
