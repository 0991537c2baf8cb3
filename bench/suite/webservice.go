package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/rcpt/rcpt/bench/drive"
	"github.com/rcpt/rcpt/bench/process"
	"github.com/rcpt/rcpt/bench/service"
	"github.com/rcpt/rcpt/bench/world"
)

// webService is the scenario of the HTTP service: few addresses asked again and again, and addresses that are all new, in a world without
// delay. Whoever serves has one processor, so that the client has another one on a machine with two.
type webService struct {
	spec        world.Spec
	repeated    int // requests for the same few addresses
	same        int // how many these are
	connections int
}

func newWebService(quick bool) webService {
	w := webService{spec: skewed(5_000, 0), repeated: 50_000, same: 100, connections: 32}
	w.spec.Seed, w.spec.Subnet, w.spec.Port = 1, subnet, smtpPort
	if quick {
		w.spec.Addresses, w.repeated = 200, 2_000
	}
	return w
}

// pace is how fast a service answered.
type pace struct {
	perSecond float64
	cpu       time.Duration // of the service, per request
}

// paces are those of the runs.
type paces []pace

func (p paces) perSecond() (numbers []float64) {
	for _, pace := range p {
		numbers = append(numbers, pace.perSecond)
	}
	return numbers
}

func (p paces) cpuMicros() (numbers []float64) {
	for _, pace := range p {
		numbers = append(numbers, float64(pace.cpu)/float64(time.Microsecond))
	}
	return numbers
}

// served are the paces of all that is compared.
type served struct {
	trivial, repeated, fresh paces
	misses                   int64 // the most connections to mail hosts while the same addresses were asked again
}

func (r race) serve(ctx context.Context, w webService) (served, error) {
	var all served
	cmd, err := process.Self(ctx, "world")
	if err != nil {
		return all, err
	}
	var ready world.Ready
	place, err := process.Start(cmd, w.spec, &ready)
	if err != nil {
		return all, err
	}
	for n := range r.runs {
		r.progress("service, run %d of %d", n+1, r.runs)
		if err := r.serveOnce(ctx, w, &all, place, ready.DNS); err != nil {
			_ = place.End()
			return all, err
		}
	}
	return all, place.End()
}

// serveOnce is one run: the trivial handler, new addresses, and the same ones again.
func (r race) serveOnce(ctx context.Context, w webService, all *served, place *process.Process, dns string) error {
	var addresses []string
	for _, address := range w.spec.List() {
		addresses = append(addresses, address)
	}
	same := addresses[:w.same]
	setting := drive.Setting{Spec: w.spec, DNS: dns, SessionsPerHost: r.sessionsPerHost}

	trivial, err := w.measure(ctx, service.Order{Trivial: true}, load{same, w.repeated})
	if err != nil {
		return fmt.Errorf("trivial handler: %w", err)
	}
	fresh, err := w.measure(ctx, service.Order{Setting: setting}, load{addresses, len(addresses)})
	if err != nil {
		return fmt.Errorf("new addresses: %w", err)
	}
	var counted world.Counters
	if err := place.Ask("take", &counted); err != nil {
		return err
	}
	repeated, err := w.measure(ctx, service.Order{Setting: setting}, load{same, w.same}, load{same, w.repeated})
	if err != nil {
		return fmt.Errorf("the same addresses: %w", err)
	}
	if err := place.Ask("take", &counted); err != nil {
		return err
	}
	all.trivial, all.fresh, all.repeated = append(all.trivial, trivial), append(all.fresh, fresh), append(all.repeated, repeated)
	all.misses = max(all.misses, counted.Connections)
	return nil
}

// load is so many requests for addresses in turn.
type load struct {
	addresses []string
	requests  int
}

// measure starts a service and puts loads on it. The pace is that of the last.
func (w webService) measure(ctx context.Context, order service.Order, loads ...load) (pace, error) {
	cmd, err := process.Self(ctx, "serve")
	if err != nil {
		return pace{}, err
	}
	cmd.Env = append(cmd.Environ(), "GOMAXPROCS=1")
	var ready service.Ready
	server, err := process.Start(cmd, order, &ready)
	if err != nil {
		return pace{}, err
	}
	var taken pace
	for _, l := range loads {
		if taken, err = w.put(ctx, l, server, ready.Addr); err != nil {
			_ = server.End()
			return pace{}, err
		}
	}
	return taken, server.End()
}

func (w webService) put(ctx context.Context, l load, server *process.Process, addr string) (pace, error) {
	var before, after service.Used
	if err := server.Ask("used", &before); err != nil {
		return pace{}, err
	}
	took, err := service.Load{Addr: addr, Addresses: l.addresses, Requests: l.requests, Connections: w.connections}.Run(ctx)
	if err != nil {
		return pace{}, err
	}
	if err := server.Ask("used", &after); err != nil {
		return pace{}, err
	}
	n := float64(l.requests)
	return pace{perSecond: n / took.Seconds(), cpu: time.Duration(float64(after.CPU-before.CPU) / n)}, nil
}

func (s served) table(w webService) *table {
	t := &table{title: "HTTP service: GET /api/v1/verify", header: []string{
		"figure", "rcpt", "trivial handler", "rcpt : trivial handler", "goal", "met",
	}}
	again := fmt.Sprintf("the same %d addresses again", w.same)
	t.compare("requests per second, "+again, s.repeated.perSecond(), s.trivial.perSecond(), atLeast(0.6).of("trivial"))
	t.compare("CPU of the service per request, µs, "+again, s.repeated.cpuMicros(), s.trivial.cpuMicros(), goal{})
	t.compare("requests per second, new addresses", s.fresh.perSecond(), s.trivial.perSecond(), goal{})
	t.compare("CPU of the service per request, µs, new addresses", s.fresh.cpuMicros(), s.trivial.cpuMicros(), goal{})
	t.add(fmt.Sprintf("connections to mail hosts for %d requests, %s", w.same+w.repeated, again), fmt.Sprint(s.misses), "", "", "", "")
	return t
}

// compare adds a row with a figure of ours and the trivial handler's, both one number a run.
func (t *table) compare(title string, ours, trivial []float64, g goal) {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / trivial[i]
	}
	ratio := median(ratios)
	t.add(title, number(median(ours)), number(median(trivial)), number(ratio), g.String(), g.met(median(ours), ratio))
}
