package settings

import (
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
)

// EngineFlags configure the engine. Every command that verifies has them.
type EngineFlags struct {
	Resolver     []resolverAddress `placeholder:"HOST:PORT" help:"DNS server; repeatable. Default: the system's servers."`
	HELO         heloName          `name:"helo" placeholder:"NAME" help:"Name in EHLO. Default: this host's full name."`
	MailFrom     ReversePath       `placeholder:"ADDR" help:"Reverse-path of MAIL; empty is the null reverse-path. Default: empty."`
	SMTPPort     port              `name:"smtp-port" placeholder:"N" default:"25" help:"Port of the mail hosts. Default: ${default}."`
	Level        engine.Level      `placeholder:"LEVEL" enum:"syntax,dns,smtp" default:"smtp" help:"How much to check: ${enum}. Default: ${default}."`
	Timeout      Duration          `placeholder:"DUR" default:"30s" help:"Time limit for one address. Default: ${default}."`
	AllowNet     []Network         `placeholder:"CIDR" help:"Allow mail hosts in this private, loopback or reserved network; repeatable."`
	NetworkCheck NetworkCheck      `placeholder:"WHEN" default:"auto" help:"Check that the resolver and port 25 work before a failure counts against an address: auto, on, off. Default: auto, which is off with --allow-net."`
	CheckDomain  []checkDomain     `placeholder:"DOMAIN" help:"Well-known domain for that check; repeatable, at least three of different companies. Default: gmail.com and four others."`
	PaceFlags    `group:"Pace"`
	EgressFlags  `group:"Egress"`
	RulesFlag    `group:"Lists and rules"`
	ListFlags    `group:"Lists and rules"`
	RHSBL        []rhsblZone `group:"Lists and rules" name:"rhsbl" placeholder:"ZONE" help:"Look domains up in this DNS block list, such as dbl.spamhaus.org; repeatable."`
	JSON         bool        `group:"Output" name:"json" help:"Print JSON lines. Default: text on a terminal, JSON lines otherwise."`
	Details      bool        `group:"Output" help:"Add the evidence, including the SMTP transcript."`
}

// Config returns the engine's configuration with the present lists.
func (f EngineFlags) Config(logger *slog.Logger) (engine.Config, error) {
	source, err := f.ListFlags.Open(logger)
	if err != nil {
		return engine.Config{}, err
	}
	return f.ConfigWith(source.Lists(), logger)
}

// ConfigWith is Config with lists that the caller keeps up to date.
func (f EngineFlags) ConfigWith(known *lists.Lists, logger *slog.Logger) (engine.Config, error) {
	classifier, err := f.Classifier()
	if err != nil {
		return engine.Config{}, err
	}
	proxies, err := f.proxies()
	if err != nil {
		return engine.Config{}, err
	}
	if err := enoughCheckDomains(len(f.CheckDomain)); err != nil {
		return engine.Config{}, err
	}
	if err := checkResolvers(f.resolvers(), net.DefaultResolver.LookupHost); err != nil {
		return engine.Config{}, Usage(err)
	}
	sourceIPs, err := f.sourceIPs()
	if err != nil {
		return engine.Config{}, err
	}
	config := engine.Config{
		Classifier:         classifier,
		HELO:               string(f.HELO),
		MailFrom:           string(f.MailFrom),
		SMTPPort:           uint16(f.SMTPPort),
		Level:              f.Level,
		Timeout:            time.Duration(f.Timeout),
		AllowNets:          f.allowNets(),
		NetworkCheck:       engine.NetworkCheck(f.NetworkCheck),
		CheckDomains:       f.checkDomains(),
		Proxies:            proxies,
		SourceIPs:          sourceIPs,
		MaxSessionsPerHost: int(f.MaxSessionsPerHost),
		MaxSessions:        int(f.MaxSessions),
		NoAsk:              f.NoAskRules(),
		Pace:               f.PaceFlags.Settings(),
		Resolvers:          f.resolvers(),
		Lists:              known,
		RHSBLs:             f.rhsbls(),
		Logger:             logger,
	}
	return config, f.addTo(&config)
}

func (f EngineFlags) resolvers() []string {
	var servers []string
	for _, server := range f.Resolver {
		servers = append(servers, string(server))
	}
	return servers
}

func (f EngineFlags) checkDomains() []string {
	var domains []string
	for _, domain := range f.CheckDomain {
		domains = append(domains, string(domain))
	}
	return domains
}

func (f EngineFlags) rhsbls() []string {
	var zones []string
	for _, zone := range f.RHSBL {
		zones = append(zones, string(zone))
	}
	return zones
}

func (f EngineFlags) allowNets() []netip.Prefix {
	return Prefixes(f.AllowNet)
}
