package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/service"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/sys/debug"
	"github.com/rcpt/rcpt/internal/sys/linebuffer"
	"github.com/rcpt/rcpt/internal/sys/listen"
	"github.com/rcpt/rcpt/lists"
)

// serveCommand is "rcpt serve".
type serveCommand struct {
	settings.EngineFlags `group:"Verification"`
	listenFlag
	debugFlag
	settings.DatabaseFlag
	metricsFlag
	siteFlags
	signInFlags
	acmeFlags           `group:"TLS"`
	settings.AlertFlags `group:"Alerts"`
	webhookFlags
	jobFlags
	settings.RetentionFlag
	Remember     int  `placeholder:"N" default:"100000" help:"Approximate number of results cached in memory; the database keeps ten times as many. 0 disables caching. Default: ${default}."`
	ReadyNetwork bool `help:"Make /readyz fail while the check of the network fails."`
	NoPortCheck  bool `hidden:"" help:"Same as --network-check off."` // an older name of that flag
}

// metricsFlag is the address of the metrics for Prometheus.
type metricsFlag struct {
	MetricsListen listenAddress `placeholder:"ADDR" help:"Address to serve metrics on, at /metrics, and the state of the network, at /health, without a key. Default: none."`
}

// webhookFlags are the settings of webhooks.
type webhookFlags struct {
	WebhookAllowNet []settings.Network `placeholder:"CIDR" help:"Private or loopback network that webhooks may be sent to, also without TLS; repeatable."`
}

// jobFlags are settings of lists that are verified in the background.
type jobFlags struct {
	ListSpace settings.Count    `placeholder:"GIB" default:"10" help:"Most GiB that stored lists of one account or key may take, compressed; all together may take ten times as much. Default: ${default}."`
	NodeLease settings.Duration `hidden:"" default:"30s" help:"How long a server may be silent before others on its database take over its share of lists."`
}

// storedShare is how many results the database keeps for each in memory.
const storedShare = 10

// Run serves until ctx is canceled.
func (c *serveCommand) Run(
	ctx context.Context, std terminal, logs *settings.LogFlags, file *settings.ConfigFlag,
) error {
	config, err := c.service(ctx, logs.Logger(std.err, slog.LevelInfo))
	if err != nil {
		return err
	}
	requests := linebuffer.New(std.err)
	defer requests.Flush()
	config.Out, config.Requests = std.err, logs.Logger(requests, slog.LevelInfo)
	config.Egresses = c.watchEgresses(string(*file))
	if config.Listener, err = c.listen(); err != nil {
		return err
	}
	stopDebug, err := c.debugFlag.start(std.err)
	if err != nil {
		config.Listener.Close()
		return err
	}
	defer stopDebug()
	return service.Run(ctx, config)
}

// service returns the configuration of the service, without its listener and
// its output.
func (c *serveCommand) service(ctx context.Context, logger *slog.Logger) (s service.Config, err error) {
	if s, err = c.parts(logger); err != nil {
		return s, err
	}
	watch, err := c.ListFlags.Watch(logger)
	if err != nil {
		return s, err
	}
	s.Lists = watch
	if s.Engine, err = c.engine(ctx, watch.Lists(), logger); err != nil {
		return s, err
	}
	s.Version, s.Fingerprint, s.Folder = version(), c.fingerprint, c.Folder()
	s.StoreOptional, s.Remember, s.Details = c.Data == "", c.Remember, c.Details
	s.MetricsListen, s.PublicURL = string(c.MetricsListen), string(c.PublicURL)
	s.Contact = string(c.Contact)
	s.TrustedProxies, s.WebhookNets = settings.Prefixes(c.TrustedProxy), settings.Prefixes(c.WebhookAllowNet)
	s.ReadyNetwork, s.Example = c.ReadyNetwork, "postmaster@example.com"
	s.Lease, s.ListSpace = time.Duration(c.NodeLease), int64(c.ListSpace)
	return s, nil
}

// parts makes the parts of the service that flags name.
func (c *serveCommand) parts(logger *slog.Logger) (s service.Config, err error) {
	if s.Key, err = service.KeyFrom(os.Getenv(keyring.FixedVariable)); err != nil {
		return s, usage(err)
	}
	s.Key.WarnIfShort(logger)
	if s.Store, err = settings.StateIn(c.DataFlag, c.DatabaseFlag); err != nil {
		return s, err
	}
	s.Store.Verdicts = storedShare * int64(c.Remember)
	if s.Store.Retention, err = c.Periods(); err != nil {
		return s, err
	}
	if s.Certificates, err = c.certificates(c.Folder(), logger); err != nil {
		return s, err
	}
	if s.SignInProxy, err = c.signInProxy(settings.Prefixes(c.TrustedProxy)); err != nil {
		return s, usage(err)
	}
	s.Alerts, err = c.Senders()
	return s, err
}

// watchEgresses has the egresses of a configuration file read again on SIGHUP.
// There is nothing to read without a file.
func (c *serveCommand) watchEgresses(path string) *service.Egresses {
	if path == "" {
		return nil
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	return &service.Egresses{Changed: asked, Read: c.Reader(path)}
}

// engine returns the configuration of the Verifier with these lists.
func (c *serveCommand) engine(ctx context.Context, known *lists.Lists, logger *slog.Logger) (engine.Config, error) {
	if c.NoPortCheck {
		c.NetworkCheck = settings.NetworkCheck(engine.NetworkCheckOff)
	}
	config, err := c.ConfigWith(known, logger)
	if err != nil {
		return config, err
	}
	config.HELO = settings.HELO(ctx, config)
	settings.WarnOfHELO(config, logger)
	if c.Database == "" { // which has one of its own
		config.ControlSecret = c.ControlSecret(logger)
	}
	return config, nil
}

// fingerprintLength is how many octets of the digest a fingerprint has.
const fingerprintLength = 16

// fingerprint identifies what results depend on besides the replies of mail
// hosts: the version, the level, the lists and the rules. Cached results with
// another fingerprint are not used.
func (c *serveCommand) fingerprint(lists string) string {
	digest := sha256.New()
	fmt.Fprintln(digest, version(), c.Level, lists, c.RHSBL)
	for _, path := range c.Rules {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(digest, path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(digest.Sum(nil)[:fingerprintLength])
}

// siteFlags describe a server behind a reverse proxy.
type siteFlags struct {
	PublicURL    siteURL            `name:"public-url" placeholder:"URL" help:"URL at which users and clients reach the server behind a TLS proxy, such as https://verify.example.com."`
	Contact      contact            `placeholder:"ADDR|URL" help:"E-mail address or page for postmasters who object to the checks: /about-verification then says who asks, and why. Default: there is no such page."`
	TrustedProxy []settings.Network `placeholder:"CIDR" help:"Network of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted; repeatable."`
}

// contact is an e-mail address or the URL of a page.
type contact string

func (c *contact) UnmarshalText(text []byte) error {
	page, err := url.Parse(string(text))
	isPage := err == nil && (page.Scheme == "https" || page.Scheme == "http") && page.Host != "" && page.User == nil
	if _, err := address.Parse(string(text)); err != nil && !isPage {
		const format = "%q is neither an address nor a URL: write for example postmaster@example.com"
		return fmt.Errorf(format, text)
	}
	*c = contact(text)
	return nil
}

// siteURL is a URL of a site without a path.
type siteURL string

var errSiteURL = errors.New("use a URL without a path, such as https://verify.example.com")

func (u *siteURL) UnmarshalText(text []byte) error {
	parsed, err := url.Parse(string(text))
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" || parsed.User != nil {
		return fmt.Errorf("%q: %w", text, errSiteURL)
	}
	if parsed.Path != "" && parsed.Path != "/" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return fmt.Errorf("%q: %w", text, errSiteURL)
	}
	host, err := normalHost(parsed)
	if err != nil {
		return fmt.Errorf("%q: %w", text, errSiteURL)
	}
	*u = siteURL(parsed.Scheme + "://" + host)
	return nil
}

// normalHost is the host of a URL as browsers send it: in lower case, as
// A-labels, without a dot at its end and without the usual port.
func normalHost(u *url.URL) (string, error) {
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if strings.ContainsFunc(name, func(c rune) bool { return c >= utf8.RuneSelf }) {
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return "", err
		}
		name = ascii
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	port := u.Port()
	switch {
	case name == "" || strings.HasPrefix(name, ".") || strings.Contains(name+".", ".."):
		return "", errSiteURL
	case port == "" || port == map[string]string{"http": "80", "https": "443"}[u.Scheme]:
		return name, nil
	}
	return name + ":" + port, nil
}

// debugFlag is the address of runtime figures and profiles. They need no key,
// so the address must be a loopback address.
type debugFlag struct {
	DebugListen loopbackAddress `group:"Diagnostics" placeholder:"ADDR" help:"Serve figures and profiles of the Go runtime on this loopback address."`
}

type loopbackAddress string

func (l *loopbackAddress) UnmarshalText(text []byte) error {
	address, err := netip.ParseAddrPort(string(text))
	if err != nil || !address.Addr().IsLoopback() {
		const format = "%q is not a loopback address and port: use for example 127.0.0.1:6060; port 0 picks a free one"
		return fmt.Errorf(format, text)
	}
	*l = loopbackAddress(text)
	return nil
}

// start serves on the address of the flag until stop is called.
func (f debugFlag) start(w io.Writer) (stop func(), err error) {
	return debug.Serve(string(f.DebugListen), w)
}

// listenFlag is the address of the HTTP server.
type listenFlag struct {
	Listen listenAddress `placeholder:"ADDR" default:"127.0.0.1:8080" help:"Address to listen on, HOST:PORT. Default: ${default}."`
}

type listenAddress string

func (l *listenAddress) UnmarshalText(text []byte) error {
	_, number, err := net.SplitHostPort(string(text))
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT: use for example 127.0.0.1:8080, or :8080 for all interfaces", text)
	}
	if _, err := strconv.ParseUint(number, 10, 16); err != nil {
		return fmt.Errorf("%q has no usable port: use a number from 0 to 65535, where 0 picks a free one", text)
	}
	*l = listenAddress(text)
	return nil
}

func (f listenFlag) listen() (net.Listener, error) { return listen.On("--listen", string(f.Listen)) }

// healthTimeout is how long a server may take to answer /healthz.
const healthTimeout = 3 * time.Second

// healthCommand is "rcpt health". A container image with only rcpt in it has no
// other client for health checks.
type healthCommand struct {
	Listen     listenAddress `placeholder:"ADDR" default:"127.0.0.1:8080" help:"Address that the server listens on, HOST:PORT. Default: ${default}."`
	ACMEDomain []acmeDomain  `name:"acme-domain" placeholder:"NAME" help:"Name of a server that speaks TLS."`
}

// Run requests /healthz of the server.
func (c *healthCommand) Run(ctx context.Context, std terminal) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	url := "http://" + dialAddress(c.Listen) + "/healthz"
	transport := &http.Transport{} // no proxy: the server is on this machine
	if len(c.ACMEDomain) > 0 {
		url = "https://" + dialAddress(c.Listen) + "/healthz"
		// Nothing secret is sent, and there may be no certificate of the name.
		transport.TLSClientConfig = &tls.Config{ServerName: string(c.ACMEDomain[0]), InsecureSkipVerify: true}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", url, response.Status)
	}
	_, err = io.WriteString(std.out, "ok\n")
	return err
}

// dialAddress returns the address at which to connect to a server on this
// machine. The server may listen on all interfaces. A host name is resolved as
// by the server.
func dialAddress(listening listenAddress) string {
	host, port, _ := net.SplitHostPort(string(listening)) // parsed before
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1" // a listener on all IPv6 addresses accepts IPv4 too
	}
	return net.JoinHostPort(host, port)
}
