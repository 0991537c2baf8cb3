package main

import (
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
)

// engineFlags configure the engine; every command that verifies has them.
type engineFlags struct {
	Resolver           []resolverAddress `placeholder:"HOST:PORT" help:"DNS server; repeatable. Default: the system's."`
	HELO               heloName          `name:"helo" placeholder:"NAME" help:"Name for EHLO. Default: this host's full name."`
	MailFrom           reversePath       `placeholder:"ADDR" help:"Reverse-path; empty is the null reverse-path. Default: empty."`
	SMTPPort           port              `name:"smtp-port" placeholder:"N" default:"25" help:"Port of the mail hosts. Default: ${default}."`
	Level              engine.Level      `placeholder:"LEVEL" enum:"syntax,dns,smtp" default:"smtp" help:"How far to go: ${enum}. Default: ${default}."`
	Timeout            positiveDuration  `placeholder:"DUR" default:"30s" help:"Time limit for one address. Default: ${default}."`
	AllowNet           []network         `placeholder:"CIDR" help:"Allow mail hosts in this private, loopback or reserved network; repeatable."`
	NetworkCheck       networkCheck      `placeholder:"WHEN" default:"auto" help:"Check our own resolver and port 25 before an address is blamed: auto, on, off. auto: off with --allow-net."`
	MaxSessionsPerHost positiveCount     `group:"Pace" placeholder:"N" default:"4" help:"SMTP sessions with one mail host. Default: ${default}."`
	MaxSessions        positiveCount     `group:"Pace" placeholder:"N" default:"1000" help:"SMTP sessions in all. Default: ${default}."`
	egressFlags        `group:"Egress"`
	rulesFlag          `group:"Lists and rules"`
	listFlags          `group:"Lists and rules"`
	RHSBL              []rhsblZone `group:"Lists and rules" name:"rhsbl" placeholder:"ZONE" help:"Look domains up in this list in the DNS, such as dbl.spamhaus.org; repeatable."`
	JSON               bool        `group:"Output" name:"json" help:"Print JSON lines. Default: text on a terminal, JSON lines otherwise."`
	Details            bool        `group:"Output" help:"Add the evidence, the SMTP transcript included."`
}

// config is the engine's configuration as the flags say, with the lists as they are now.
func (f engineFlags) config(logger *slog.Logger) (engine.Config, error) {
	source, err := f.listFlags.open(logger)
	if err != nil {
		return engine.Config{}, err
	}
	return f.configWith(source.Lists(), logger)
}

// configWith is config for lists that the caller keeps up to date.
func (f engineFlags) configWith(known *lists.Lists, logger *slog.Logger) (engine.Config, error) {
	classifier, err := f.classifier()
	if err != nil {
		return engine.Config{}, err
	}
	proxies, err := f.proxies()
	if err != nil {
		return engine.Config{}, err
	}
	if err := checkResolvers(f.resolvers(), net.DefaultResolver.LookupHost); err != nil {
		return engine.Config{}, usage(err)
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
		Proxies:            proxies,
		SourceIPs:          sourceIPs,
		MaxSessionsPerHost: int(f.MaxSessionsPerHost),
		MaxSessions:        int(f.MaxSessions),
		Resolvers:          f.resolvers(),
		Lists:              known,
		RHSBLs:             f.rhsbls(),
		Logger:             logger,
	}
	return config, nil
}

func (f engineFlags) resolvers() []string {
	var servers []string
	for _, server := range f.Resolver {
		servers = append(servers, string(server))
	}
	return servers
}

func (f engineFlags) rhsbls() []string {
	var zones []string
	for _, zone := range f.RHSBL {
		zones = append(zones, string(zone))
	}
	return zones
}

func (f engineFlags) allowNets() []netip.Prefix {
	return prefixes(f.AllowNet)
}
