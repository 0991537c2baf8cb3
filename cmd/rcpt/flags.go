package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// engineFlags configure the engine. Every command that verifies has them.
type engineFlags struct {
	Resolver     []resolverAddress `placeholder:"HOST:PORT" help:"DNS server; repeatable. Default: the system's servers."`
	HELO         heloName          `name:"helo" placeholder:"NAME" help:"Name in EHLO. Default: this host's full name."`
	MailFrom     reversePath       `placeholder:"ADDR" help:"Reverse-path of MAIL; empty is the null reverse-path. Default: empty."`
	SMTPPort     port              `name:"smtp-port" placeholder:"N" default:"25" help:"Port of the mail hosts. Default: ${default}."`
	Level        engine.Level      `placeholder:"LEVEL" enum:"syntax,dns,smtp" default:"smtp" help:"How much to check: ${enum}. Default: ${default}."`
	Timeout      positiveDuration  `placeholder:"DUR" default:"30s" help:"Time limit for one address. Default: ${default}."`
	AllowNet     []network         `placeholder:"CIDR" help:"Allow mail hosts in this private, loopback or reserved network; repeatable."`
	NetworkCheck networkCheck      `placeholder:"WHEN" default:"auto" help:"Check that the resolver and port 25 work before a failure counts against an address: auto, on, off. Default: auto, which is off with --allow-net."`
	CheckDomain  []checkDomain     `placeholder:"DOMAIN" help:"Well-known domain for that check; repeatable, at least three of different companies. Default: gmail.com and four others."`
	paceFlags    `group:"Pace"`
	egressFlags  `group:"Egress"`
	rulesFlag    `group:"Lists and rules"`
	listFlags    `group:"Lists and rules"`
	RHSBL        []rhsblZone `group:"Lists and rules" name:"rhsbl" placeholder:"ZONE" help:"Look domains up in this DNS block list, such as dbl.spamhaus.org; repeatable."`
	JSON         bool        `group:"Output" name:"json" help:"Print JSON lines. Default: text on a terminal, JSON lines otherwise."`
	Details      bool        `group:"Output" help:"Add the evidence, including the SMTP transcript."`
}

// config returns the engine's configuration with the present lists.
func (f engineFlags) config(logger *slog.Logger) (engine.Config, error) {
	source, err := f.listFlags.open(logger)
	if err != nil {
		return engine.Config{}, err
	}
	return f.configWith(source.Lists(), logger)
}

// configWith is config with lists that the caller keeps up to date.
func (f engineFlags) configWith(known *lists.Lists, logger *slog.Logger) (engine.Config, error) {
	classifier, err := f.classifier()
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
		CheckDomains:       f.checkDomains(),
		Proxies:            proxies,
		SourceIPs:          sourceIPs,
		MaxSessionsPerHost: int(f.MaxSessionsPerHost),
		MaxSessions:        int(f.MaxSessions),
		NoAsk:              f.noAsk(),
		Pace:               f.paceFlags.settings(),
		Resolvers:          f.resolvers(),
		Lists:              known,
		RHSBLs:             f.rhsbls(),
		Logger:             logger,
	}
	return config, f.addTo(&config)
}

func (f engineFlags) resolvers() []string {
	var servers []string
	for _, server := range f.Resolver {
		servers = append(servers, string(server))
	}
	return servers
}

func (f engineFlags) checkDomains() []string {
	var domains []string
	for _, domain := range f.CheckDomain {
		domains = append(domains, string(domain))
	}
	return domains
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

// proxyURL is the URL of a proxy as it was given. It is parsed after the flags,
// because errors about flags show the value, which may contain a password.
type proxyURL string

// sourceIP is an address of this machine.
type sourceIP netip.Addr

func (s *sourceIP) UnmarshalText(text []byte) error {
	ip, err := netip.ParseAddr(string(text))
	if err != nil {
		return fmt.Errorf("%q is not an IP address: write an address of this machine, such as 192.0.2.1", text)
	}
	*s = sourceIP(ip)
	return nil
}

// egressFlags choose the egresses to mail hosts.
type egressFlags struct {
	Proxy    []proxyURL `placeholder:"URL" help:"Connect to mail hosts through socks5://[USER:PASSWORD@]HOST:PORT; repeatable."`
	SourceIP []sourceIP `name:"source-ip" placeholder:"IP" help:"Connect to mail hosts from this address of this machine; repeatable."`
	Egress   yamlText   `placeholder:"YAML" help:"Egresses with names, EHLO names and weights of their own, as they stand under egress in the file of --config."`
	Routes   yamlText   `placeholder:"YAML" help:"Egresses for a provider, as they stand under routes in the file: '{google: [frankfurt-1]}'."`
}

// proxies parses the URLs. Its errors do not show them.
func (f egressFlags) proxies() ([]*url.URL, error) {
	var proxies []*url.URL
	for i, text := range f.Proxy {
		proxy, err := url.Parse(string(text))
		if err == nil {
			_, err = egress.Proxy(proxy, nil)
		}
		if err != nil {
			return nil, usage(fmt.Errorf("--proxy: value %d %w", i+1, errNoProxy))
		}
		proxies = append(proxies, proxy)
	}
	return proxies, nil
}

var errNoProxy = errors.New("is not socks5://HOST:PORT or socks5://USER:PASSWORD@HOST:PORT; " +
	"in the user name and password, write a comma as %2C, and other special characters in the same way; " +
	"the value is not shown because it may be secret")

// sourceIPs checks that this machine has the addresses.
func (f egressFlags) sourceIPs() ([]netip.Addr, error) {
	var all []netip.Addr
	for _, ip := range f.SourceIP {
		if _, err := egress.SourceIP(netip.Addr(ip)); err != nil {
			const format = "--source-ip: this machine cannot connect from %s: name one of its own addresses"
			return nil, usage(fmt.Errorf(format, netip.Addr(ip)))
		}
		all = append(all, netip.Addr(ip))
	}
	return all, nil
}

// rulesFlag adds rules that classify replies.
type rulesFlag struct {
	Rules []string `placeholder:"FILE" help:"Classify replies by the rules of this YAML file first; repeatable."`
}

func (f rulesFlag) classifier() (*replies.Classifier, error) {
	if len(f.Rules) == 0 {
		return replies.DefaultClassifier(), nil
	}
	var files []replies.RuleFile
	for _, path := range f.Rules {
		data, err := wholefile.Read(path)
		if err != nil {
			return nil, usage(fmt.Errorf("--rules %s: %w", path, err))
		}
		files = append(files, replies.RuleFile{Name: path, Data: data})
	}
	classifier, err := replies.NewClassifier(files...)
	if err != nil {
		return nil, usage(fmt.Errorf("--rules: %w", err))
	}
	return classifier, nil
}

// listFlags name lists besides the embedded ones.
type listFlags struct {
	List []listFile `placeholder:"KIND=FILE" help:"Add a file to a list: disposable, free, role, spamtrap or allow; repeatable."`
	dataFlag
}

// open reads the lists.
func (f listFlags) open(logger *slog.Logger) (*listupdate.Source, error) {
	var files []listupdate.File
	for _, file := range f.List {
		files = append(files, listupdate.File(file))
	}
	source, err := listupdate.Open(f.folder(), files, logger)
	var wrong listupdate.FileError
	if errors.As(err, &wrong) {
		return source, usage(err)
	}
	return source, err
}

// watch reads the lists. From then on SIGHUP reloads them instead of ending the
// process.
func (f listFlags) watch(logger *slog.Logger) (*listupdate.Watch, error) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	source, err := f.open(logger)
	return listupdate.NewWatch(source, asked), err
}

// logFlags configure the log on standard error.
type logFlags struct {
	LogLevel  logLevel `placeholder:"LEVEL" help:"Lowest level to log: debug, info, warn or error. Default: info; warn for verify."`
	LogFormat string   `placeholder:"FORMAT" enum:"text,json" default:"text" help:"Format of the log: ${enum}. Default: ${default}."`
}

// logLevel is a level, or nil for the default of the command.
type logLevel struct{ chosen *slog.Level }

func (l *logLevel) UnmarshalText(text []byte) error {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
		"error": slog.LevelError}
	level, known := levels[string(text)]
	if !known {
		return fmt.Errorf("%q is not a level: use debug, info, warn or error", text)
	}
	l.chosen = &level
	return nil
}

// logger logs to w from the level of the flag, or else from usual.
func (f logFlags) logger(w io.Writer, usual slog.Level) *slog.Logger {
	if f.LogLevel.chosen != nil {
		usual = *f.LogLevel.chosen
	}
	options := &slog.HandlerOptions{Level: usual}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
