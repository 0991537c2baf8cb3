package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/process"
	"github.com/rcpt/rcpt/lab/bench/service"
	"github.com/rcpt/rcpt/lab/bench/world"
)

// webService is the scenario of the HTTP service: few addresses asked again and
// again, and addresses that are all new, in a world without delay. Whoever
// serves has one processor, so that the client has another one on a machine
// with two.
type webService struct {
	spec        world.Spec
	repeated    int // requests for the same few addresses
	same        int // how many these are
	connections int
	keys        int // in the store of the whole service
}

func newWebService(quick bool) webService {
	w := webService{spec: skewed(5_000, 0), repeated: 50_000, same: 100, connections: 32, keys: 5_000}
	w.spec.Seed, w.spec.Subnet, w.spec.Port = 1, subnet, smtpPort
	if quick {
		w.spec.Addresses, w.repeated, w.keys = 200, 2_000, 50
	}
	return w
}

// pace is how fast a service answered.
type pace struct {
	perSecond float64
	cpu       time.Duration // of the service, per request
	p50, p99  time.Duration // of a request, as the client sees it
}

// paces are those of the runs.
type paces []pace

func (p paces) perSecond() (numbers []float64) {
	for _, pace := range p {
		numbers = append(numbers, pace.perSecond)
	}
	return numbers
}

// micros are the durations that of takes, in microseconds.
func (p paces) micros(of func(pace) time.Duration) (numbers []float64) {
	for _, pace := range p {
		numbers = append(numbers, float64(of(pace))/float64(time.Microsecond))
	}
	return numbers
}

func (p paces) cpuMicros() []float64 { return p.micros(func(p pace) time.Duration { return p.cpu }) }
func (p paces) p50Micros() []float64 { return p.micros(func(p pace) time.Duration { return p.p50 }) }
func (p paces) p99Micros() []float64 { return p.micros(func(p pace) time.Duration { return p.p99 }) }

// served are the paces of all that is compared.
type served struct {
	trivial, repeated, fresh paces
	whole                    paces // the same addresses again, of all that rcpt serve is
	misses                   int64 // the most connections to mail hosts while the same addresses were asked again
}

func (r race) serve(ctx context.Context, w webService) (served, error) {
	var all served
	place, dns, err := startWorld(ctx, w.spec)
	if err != nil {
		return all, err
	}
	err = r.serveInTurn(ctx, w, &all, place, dns)
	return all, errors.Join(err, place.End())
}

func (r race) serveInTurn(ctx context.Context, w webService, all *served, place *process.Process, dns string) error {
	state, err := os.MkdirTemp("", "rcpt-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)
	r.progress("service, making %d keys", w.keys)
	key, err := service.Prepare(ctx, state, w.keys)
	if err != nil {
		return err
	}
	for n := range r.runs {
		r.progress("service, run %d of %d", n+1, r.runs)
		if err := r.serveOnce(ctx, w, all, place, dns); err != nil {
			return err
		}
		order := service.Order{Kind: service.Whole, Setting: r.setting(w, dns), State: state}
		whole, err := w.measure(ctx, order, key, w.again(w.same), w.again(w.repeated))
		if err != nil {
			return fmt.Errorf("the same addresses, with everything: %w", err)
		}
		all.whole = append(all.whole, whole)
	}
	return nil
}

func (r race) setting(w webService, dns string) drive.Setting {
	return drive.Setting{Spec: w.spec, DNS: dns, SessionsPerHost: r.sessionsPerHost}
}

// again is so many requests for the same few addresses.
func (w webService) again(requests int) load { return load{w.addresses()[:w.same], requests} }

func (w webService) addresses() (all []string) {
	for _, address := range w.spec.List() {
		all = append(all, address)
	}
	return all
}

// serveOnce is one run: the trivial handler, new addresses, and the same ones
// again.
func (r race) serveOnce(ctx context.Context, w webService, all *served, place *process.Process, dns string) error {
	addresses, setting := w.addresses(), r.setting(w, dns)
	trivial, err := w.measure(ctx, service.Order{Kind: service.Trivial}, service.Key, w.again(w.repeated))
	if err != nil {
		return fmt.Errorf("trivial handler: %w", err)
	}
	fresh, err := w.measure(ctx, service.Order{Kind: service.Bare, Setting: setting}, service.Key,
		load{addresses, len(addresses)})
	if err != nil {
		return fmt.Errorf("new addresses: %w", err)
	}
	var counted world.Counters
	if err := place.Ask("take", &counted); err != nil {
		return err
	}
	repeated, err := w.measure(ctx, service.Order{Kind: service.Bare, Setting: setting}, service.Key, w.again(w.same),
		w.again(w.repeated))
	if err != nil {
		return fmt.Errorf("the same addresses: %w", err)
	}
	if err := place.Ask("take", &counted); err != nil {
		return err
	}
	all.trivial = append(all.trivial, trivial)
	all.fresh = append(all.fresh, fresh)
	all.repeated = append(all.repeated, repeated)
	all.misses = max(all.misses, counted.Connections)
	return nil
}

// load is so many requests for addresses in turn.
type load struct {
	addresses []string
	requests  int
}

// measure starts a service and puts loads on it. The pace is that of the last.
func (w webService) measure(ctx context.Context, order service.Order, key string, loads ...load) (pace, error) {
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
		if taken, err = w.put(ctx, l, key, server, ready.Addr); err != nil {
			_ = server.End()
			return pace{}, err
		}
	}
	return taken, server.End()
}

func (w webService) put(ctx context.Context, l load, key string, server *process.Process, addr string) (pace, error) {
	var before, after service.Used
	if err := server.Ask("used", &before); err != nil {
		return pace{}, err
	}
	took, err := service.Load{
		Addr: addr, Key: key, Addresses: l.addresses, Requests: l.requests, Connections: w.connections,
	}.Run(ctx)
	if err != nil {
		return pace{}, err
	}
	if err := server.Ask("used", &after); err != nil {
		return pace{}, err
	}
	n := float64(l.requests)
	return pace{n / took.All.Seconds(), time.Duration(float64(after.CPU-before.CPU) / n), took.P50, took.P99}, nil
}

func (s served) table(w webService) *table {
	t := &table{title: "HTTP service: GET /api/v1/verify", header: []string{
		"figure", "rcpt", "trivial handler", "rcpt : trivial handler", "goal", "met",
	}}
	again := fmt.Sprintf("the same %d addresses again", w.same)
	t.compare("requests per second, "+again, s.repeated.perSecond(), s.trivial.perSecond(), atLeast(0.6).of("trivial"))
	t.compare("CPU of the service per request, µs, "+again, s.repeated.cpuMicros(), s.trivial.cpuMicros(), goal{})
	t.compare("median of the answers, µs, "+again, s.repeated.p50Micros(), s.trivial.p50Micros(), goal{})
	t.compare("99th percentile of the answers, µs, "+again, s.repeated.p99Micros(), s.trivial.p99Micros(), goal{})
	whole := again + ", everything on"
	t.compare("requests per second, "+whole, s.whole.perSecond(), s.trivial.perSecond(), atLeast(0.5).of("trivial"))
	t.compare("CPU of the service per request, µs, "+whole, s.whole.cpuMicros(), s.trivial.cpuMicros(), goal{})
	t.compare("median of the answers, µs, "+whole, s.whole.p50Micros(), s.trivial.p50Micros(), goal{})
	t.compare("99th percentile of the answers, µs, "+whole, s.whole.p99Micros(), s.trivial.p99Micros(), goal{})
	t.compare("requests per second, new addresses", s.fresh.perSecond(), s.trivial.perSecond(), goal{})
	t.compare("CPU of the service per request, µs, new addresses", s.fresh.cpuMicros(), s.trivial.cpuMicros(), goal{})
	t.add(fmt.Sprintf("connections to mail hosts for %d requests, %s", w.same+w.repeated, again),
		fmt.Sprint(s.misses), "", "", "", "")
	return t
}

// compare adds a row with a figure of ours and the trivial handler's, both one
// number a run.
func (t *table) compare(title string, ours, trivial []float64, g goal) {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / trivial[i]
	}
	ratio := median(ratios)
	t.add(title, number(median(ours)), number(median(trivial)), number(ratio), g.String(), g.met(median(ours), ratio))
}
