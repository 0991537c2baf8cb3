// Package doctor finds out what keeps this machine from verifying mailboxes,
// and says what to do about it.
//
// [Run] examines the resolver, and each egress (this machine's own address,
// each source address, each proxy): whether port 25 is open, which address mail
// hosts see, its PTR record, the name in HELO, SPF, DNS block lists, and what
// large providers say to it. A session with a mail host goes as far as EHLO; no
// sender or recipient is named. Everything runs in parallel within [timeLimit].
//
// What is found is a list of [Check] values, each with its state and, unless it
// is passed, why it matters and what to do. The package changes nothing and
// decides no verdict.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/sys/machine"
)

// Config configures [Run].
type Config struct {
	// Engine is the configuration to examine. Its CheckDomains are the domains
	// whose mail hosts are greeted; default: those of [DefaultDomains].
	Engine engine.Config
	// BlockLists are the zones in which addresses are looked up. Default: those
	// of blocklists.yaml.
	BlockLists []BlockList
	// Clock is the time to compare with that of mail hosts. Default: time.Now.
	Clock func() time.Time

	patience time.Duration // for a session with a mail host; default: sessionTime
}

// DefaultDomains are the domains whose mail hosts are greeted: those of the
// network check, and others that refuse strangers in a way of their own.
var DefaultDomains = []string{
	"gmail.com", "outlook.com", "yahoo.com", "icloud.com", "gmx.net", "t-online.de", "orange.fr",
}

// The time of the steps: the look-up of the mail hosts, the sessions, and what
// is asked about our addresses. Their sum, with [slack] for QUIT, is within
// timeLimit.
const (
	timeLimit    = 9 * time.Second
	lookUpTime   = 2 * time.Second
	sessionTime  = 4 * time.Second
	identityTime = 2 * time.Second
)

// State is how a check ended.
type State string

// The states.
const (
	StateOK      State = "ok"
	StateWarning State = "warning" // some verdicts may suffer, or will when things change
	StateFault   State = "fault"   // verdicts suffer
	StateSkipped State = "skipped" // could not be made
)

// Check is the outcome of a check.
type Check struct {
	Name    string `json:"check"`            // one lower_snake word: see the names below
	Egress  string `json:"egress,omitempty"` // empty: it concerns all egresses
	Subject string `json:"subject,omitempty"`
	State   State  `json:"state"`
	Found   string `json:"found"`         // what was found
	Why     string `json:"why,omitempty"` // why it matters
	Do      string `json:"do,omitempty"`  // what to do
}

// The names of the checks.
const (
	NameResolver       = "resolver"
	NameResolverHonest = "resolver_honest"
	NameResolverTCP    = "resolver_tcp"
	NameTruncation     = "resolver_truncation"
	NameResolverLists  = "resolver_block_lists"
	NamePort           = "port"
	NameProvider       = "provider"
	NameAddress        = "public_address"
	NamePTR            = "ptr"
	NameHELO           = "helo"
	NameSPF            = "spf"
	NameBlockList      = "block_list"
	NameClock          = "clock"
	NameOpenFiles      = "open_files"
)

// Report is what [Run] found.
type Report struct {
	OK         bool      `json:"ok"` // no check has a fault
	At         time.Time `json:"at"`
	Checks     []Check   `json:"checks"`
	DurationMS int64     `json:"duration_ms"`
}

// Count returns the number of checks with a state.
func (r Report) Count(state State) int {
	n := 0
	for _, c := range r.Checks {
		if c.State == state {
			n++
		}
	}
	return n
}

// examination is what the steps of a run share.
type examination struct {
	config  Config
	servers []string
	names   *names
	hosts   *dnsresolve.Resolver
	domains []string
	lists   []BlockList
}

// Run examines the network of the configuration. The error is about the
// configuration; what does not work is in the report.
func Run(ctx context.Context, config Config) (Report, error) {
	started := time.Now()
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	x, own, err := newExamination(config)
	if err != nil {
		return Report{}, err
	}
	defer x.hosts.Close()
	tasks := []func() []Check{
		func() []Check { return own.honest(ctx) },
		func() []Check { return x.resolvers(ctx) },
	}
	if x.config.Engine.Level == engine.LevelSMTP {
		tasks = append(tasks, x.openFiles, func() []Check { return x.egresses(ctx) })
	}
	report := Report{OK: true, At: started.UTC().Truncate(time.Second), Checks: together(tasks)}
	_ = own.verifier.Close() // it has verified nothing that could fail
	report.OK = report.Count(StateFault) == 0
	report.DurationMS = time.Since(started).Milliseconds()
	return report, nil
}

// newExamination creates what a run needs.
func newExamination(config Config) (*examination, *ownCheck, error) {
	if config.Clock == nil {
		config.Clock = time.Now
	}
	if config.patience == 0 {
		config.patience = sessionTime
	}
	if config.Engine.Level == "" {
		config.Engine.Level = engine.LevelSMTP
	}
	own, err := newOwnCheck(config.Engine)
	if err != nil {
		return nil, nil, err
	}
	x := &examination{config: config, servers: own.verifier.Resolvers(), domains: config.Engine.CheckDomains,
		lists: config.BlockLists}
	if len(x.domains) == 0 {
		x.domains = DefaultDomains
	}
	if x.lists == nil {
		x.lists = defaultBlockLists()
	}
	x.names = &names{servers: x.servers}
	x.hosts, err = dnsresolve.New(dnsresolve.Config{Servers: x.servers, TryTimeout: lookUpTime / 2, Timeout: lookUpTime,
		CacheBytes: -1})
	if err != nil {
		return nil, nil, fmt.Errorf("doctor: %w", err)
	}
	return x, own, nil
}

// ownCheck is the check of the network that verifications rely on, made by the
// same code.
type ownCheck struct {
	verifier *engine.Verifier
	off      bool
}

func newOwnCheck(config engine.Config) (*ownCheck, error) {
	check := &ownCheck{off: config.NetworkCheck == engine.NetworkCheckOff}
	if !check.off {
		config.NetworkCheck = engine.NetworkCheckOn
	}
	config.Level, config.Logger, config.Hooks = engine.LevelDNS, slog.New(slog.DiscardHandler), engine.Hooks{}
	var err error
	check.verifier, err = engine.New(config)
	return check, err
}

// honest reports whether the resolver tells the truth about well-known domains
// and names that cannot exist.
func (o *ownCheck) honest(ctx context.Context) []Check {
	c := Check{Name: NameResolverHonest, State: StateOK,
		Found: "it finds well-known domains and denies a random name"}
	if o.off {
		c.State, c.Found = StateSkipped, "the network check is off"
		return []Check{c}
	}
	switch state := o.verifier.CheckNetwork(ctx).Resolver; state.State {
	case engine.CheckFailed:
		c.State, c.Found, c.Do = StateFault, state.Fault, ResolverAdvice+"."
		c.Why = "Every answer about a domain comes from the resolver, " +
			"so rcpt calls nothing undeliverable while it cannot be believed."
	case engine.CheckPassed:
	default:
		c.State, c.Found = StateSkipped, "the check was not over in time"
	}
	return []Check{c}
}

// What to do about a network from which nothing can be verified. The errors of
// other commands use the same words.
const (
	ResolverAdvice = "Name a working DNS server with --resolver HOST:PORT, or use another network; " +
		"--level syntax needs no DNS"
	PortAdvice = "--level dns needs no port 25; to verify mailboxes, use another network or a --proxy"
)

// networkFault is the error of a network from which mailboxes cannot be
// verified. It says what can be done about it.
type networkFault struct{ text string }

func (f networkFault) Error() string {
	return "the network does not work here, which is no fault of the addresses: " + f.text
}

// NetworkError returns the fault of a network, or nil.
func NetworkError(s engine.NetworkStatus) error {
	switch {
	case s.Resolver.State == engine.CheckFailed:
		return networkFault{s.Resolver.Fault + ". " + ResolverAdvice}
	case s.Port.State == engine.CheckFailed:
		return networkFault{s.Port.Fault + ". " + PortAdvice}
	}
	return nil
}

// openFiles checks the limit of open files.
func (x *examination) openFiles() []Check {
	files := machine.OpenFiles()
	sessions := cmp.Or(x.config.Engine.MaxSessions, machine.DefaultSessions)
	if x.config.Engine.Dialer == nil {
		sessions = machine.Sessions(sessions, files)
	}
	c := Check{Name: NameOpenFiles, State: StateOK,
		Found: fmt.Sprintf("this process may open %d files, enough for %d sessions", files, sessions)}
	if wanted := x.config.Engine.MaxSessions; sessions < wanted {
		c.State = StateWarning
		const text = "this process may open %d files, enough for %d of --max-sessions %d"
		c.Found = fmt.Sprintf(text, files, sessions, wanted)
		c.Why = "Large lists take longer than they need to."
		c.Do = "Raise the limit (LimitNOFILE=8192 under systemd, --ulimit nofile=8192 in a container), " +
			"or lower --max-sessions."
	}
	return []Check{c}
}

// together runs tasks at the same time and returns their checks in order.
func together(tasks []func() []Check) []Check {
	return slices.Concat(each(tasks, func(task func() []Check) []Check { return task() })...)
}
