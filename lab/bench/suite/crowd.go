package suite

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	lists "github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/world"
	pacing "github.com/rcpt/rcpt/smtpprobe/pace"
)

// crowd is rcpt at mail hosts that are many and belong together, or at one with
// many addresses beside many with few. It runs in this process.
type crowd struct {
	operator, giant world.Spec
	domains         int // small ones, beside the giant
	small, large    int // addresses of theirs, and of the giant's
}

const (
	crowdName   = "operator"
	crowdSubnet = 81
	crowdPort   = 2525
)

func newCrowd(quick bool) crowd {
	c := crowd{
		operator: world.Spec{
			Seed: 1, Subnet: crowdSubnet, Port: crowdPort, Delay: 20 * time.Millisecond, Addresses: 3000, Domains: 300,
			MailboxMix: world.MailboxMix{Unknown: 0.15},
			Operator:   world.Operator{SessionsPerClient: 10, Complaints: 20, BlocksFor: 10 * time.Minute},
		},
		giant: world.Spec{
			Seed: 1, Subnet: crowdSubnet, Port: crowdPort, Delay: 50 * time.Millisecond, Addresses: 1,
			MailboxMix: world.MailboxMix{Unknown: 0.15}, HostMix: world.HostMix{SessionsPerClient: 50},
		},
		domains: 900, small: 1000, large: 10_000,
	}
	if quick {
		c.operator.Addresses, c.operator.Domains = 300, 60
		c.domains, c.small, c.large = 90, 100, 1000
	}
	c.giant.Domains = c.domains + 1
	return c
}

// crowdRun is what came of a list.
type crowdRun struct {
	took, small time.Duration // until the last verdict, and the last about an address of a small domain
	settled     int           // addresses whose truth was found
	falsely     int           // called dead and alive
	world       world.Counters
}

// run verifies a list in a world.
func (c crowd) run(ctx context.Context, spec world.Spec, list []string, config engine.Config) (crowdRun, error) {
	w, err := world.Start(spec)
	if err != nil {
		return crowdRun{}, err
	}
	defer w.Close()
	config.Resolvers, config.HELO, config.SMTPPort = []string{w.DNS()}, drive.HELO, crowdPort
	config.AllowNets = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	verifier, err := engine.New(config)
	if err != nil {
		return crowdRun{}, err
	}
	sink := &crowdSink{spec: spec, began: time.Now()}
	_, err = lists.Run(ctx, &listSource{list}, sink, lists.Options{Verifier: verifier, Unordered: true})
	if closeErr := verifier.Close(); err == nil {
		err = closeErr
	}
	run := sink.run
	run.world = w.Take(ctx)
	return run, err
}

// operators has rcpt ask an operator with many mail hosts, and tells how that
// went with several settings.
func (c crowd) operators(ctx context.Context) (*table, map[string]crowdRun, error) {
	var three []netip.Addr
	for i := range byte(3) {
		three = append(three, netip.AddrFrom4([4]byte{127, crowdSubnet, 254, i + 1}))
	}
	const title = "%d addresses at %d mail hosts of one operator, which tolerates %d sessions of a client"
	o := c.operator
	t := &table{title: fmt.Sprintf(title, o.Addresses, o.Domains, o.Operator.SessionsPerClient), header: []string{
		"setting", "settled", "false undeliverable", "seconds", "addresses per second",
		"most sessions of a client", "refused with 421 or 554", "blocks",
	}}
	runs := map[string]crowdRun{}
	for _, setting := range []struct {
		name   string
		config engine.Config
	}{
		{"default", engine.Config{}},
		{"three source addresses", engine.Config{SourceIPs: three}},
		{"pace off", engine.Config{Pace: pacing.Settings{Preset: pacing.Off}}},
	} {
		var list []string
		for _, address := range c.operator.List() {
			list = append(list, address)
		}
		run, err := c.run(ctx, c.operator, list, setting.config)
		if err != nil {
			return nil, nil, err
		}
		runs[setting.name] = run
		t.add(setting.name, fmt.Sprintf("%d of %d", run.settled, len(list)), fmt.Sprint(run.falsely),
			fmt.Sprintf("%.1f", run.took.Seconds()), number(float64(len(list))/run.took.Seconds()),
			fmt.Sprint(run.world.PeakPerClient), fmt.Sprint(run.world.TurnedAway), fmt.Sprint(run.world.Blocks))
	}
	return t, runs, nil
}

// besideGiant has rcpt ask many small domains alone, and then beside a giant.
func (c crowd) besideGiant(ctx context.Context) (*table, error) {
	const title = "%d addresses of %d small domains, alone and beside a domain with %d"
	t := &table{title: fmt.Sprintf(title, c.small, c.domains, c.large), header: []string{
		"list", "settled", "seconds until the small domains are done", "seconds in all", "most sessions to one host",
	}}
	small, giant := c.lists()
	for _, l := range []struct {
		name string
		list []string
	}{{"alone", small}, {"behind the giant", append(giant, small...)}} {
		run, err := c.run(ctx, c.giant, l.list, engine.Config{})
		if err != nil {
			return nil, err
		}
		t.add(l.name, fmt.Sprintf("%d of %d", run.settled, len(l.list)), fmt.Sprintf("%.2f", run.small.Seconds()),
			fmt.Sprintf("%.2f", run.took.Seconds()), fmt.Sprint(run.world.PeakPerHost))
	}
	return t, nil
}

// lists are the addresses of the small domains, and those of the giant, which
// is domain 0.
func (c crowd) lists() (small, giant []string) {
	for i := range c.small {
		small = append(small, fmt.Sprintf("box%d@d%d.test", i, 1+i%c.domains))
	}
	for i := range c.large {
		giant = append(giant, fmt.Sprintf("box%d@d0.test", i))
	}
	return small, giant
}

type listSource struct{ left []string }

func (s *listSource) Next(context.Context) (lists.Item, error) {
	if len(s.left) == 0 {
		return lists.Item{}, io.EOF
	}
	item := lists.Item{Email: s.left[0]}
	s.left = s.left[1:]
	return item, nil
}

// crowdSink compares the results with the truth.
type crowdSink struct {
	spec  world.Spec
	began time.Time
	run   crowdRun
}

func (s *crowdSink) Flush(context.Context) error { return nil }

func (s *crowdSink) Write(_ context.Context, item lists.Item, result rcpt.Result) error {
	s.run.took = time.Since(s.began)
	if !strings.HasSuffix(item.Email, "@d0.test") {
		s.run.small = s.run.took
	}
	truth := s.spec.Truth(item.Email)
	switch {
	case result.Verdict == rcpt.VerdictUndeliverable && truth != world.NotExists:
		s.run.falsely++
	case result.Verdict != rcpt.VerdictUnknown:
		s.run.settled++
	}
	return nil
}
