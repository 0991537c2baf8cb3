package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/sys/linebuffer"
)

// serveCommand is "rcpt serve".
type serveCommand struct {
	engineFlags `group:"Verification"`
	listenFlag
	debugFlag
	databaseFlag
	metricsFlag
	siteFlags
	acmeFlags  `group:"TLS"`
	alertFlags `group:"Alerts"`
	webhookFlags
	jobFlags
	Remember     int  `placeholder:"N" default:"100000" help:"Approximate number of results cached in memory; the database keeps ten times as many. 0 disables caching. Default: ${default}."`
	ReadyNetwork bool `help:"Make /readyz fail while the check of the network fails."`
	NoPortCheck  bool `hidden:"" help:"Same as --network-check off."` // an older name of that flag
}

// storedShare is how many results the database keeps for each in memory.
const storedShare = 10

// Run serves until ctx is canceled.
func (c *serveCommand) Run(ctx context.Context, std terminal, logs *logFlags, file *configFlag) error {
	key, err := apiKeyFrom(os.Getenv(apiKeyVariable))
	if err != nil {
		return usage(err)
	}
	logger := logs.logger(std.err, slog.LevelInfo)
	key.warnIfShort(logger)
	watch, err := c.listFlags.watch(logger)
	if err != nil {
		return err
	}
	if c.NoPortCheck {
		c.NetworkCheck = networkCheck(engine.NetworkCheckOff)
	}
	config, err := c.configWith(watch.Lists(), logger)
	if err != nil {
		return err
	}
	config.HELO = helo(ctx, config)
	warnOfHELO(config, logger)
	where, err := stateIn(c.dataFlag, c.databaseFlag)
	if err != nil {
		return err
	}
	where.Verdicts = storedShare * int64(c.Remember)
	certificates, err := c.certifier(c.dataFlag.folder(), logger)
	if err != nil {
		return err
	}
	alerts, err := c.senders()
	if err != nil {
		return err
	}
	listener, err := c.listen()
	if err != nil {
		return err
	}
	stopDebug, err := c.debugFlag.start(std.err)
	if err != nil {
		listener.Close()
		return err
	}
	defer stopDebug()
	state, err := c.openState(ctx, where, key, logger)
	if err != nil {
		listener.Close()
		if ctx.Err() != nil {
			return nil // interrupted before the server started
		}
		return err
	}
	if config.ControlSecret = state.controlSecret(); config.ControlSecret == nil {
		config.ControlSecret = c.controlSecret(logger)
	}
	requests := linebuffer.New(std.err)
	defer requests.Flush()
	s := service{
		listener: listener, engine: config, requests: logs.logger(requests, slog.LevelInfo), lists: watch,
		fingerprint: c.fingerprint, state: state, remember: c.Remember, metrics: c.metricsFlag, site: c.siteFlags,
		alerts: alerts, webhookNets: prefixes(c.WebhookAllowNet), lease: time.Duration(c.NodeLease),
		listSpace:    int64(c.ListSpace),
		egressReload: c.watchEgresses(string(*file)),
		certificates: certificates, details: c.Details, readyNetwork: c.ReadyNetwork, example: "postmaster@example.com",
	}
	return errors.Join(s.run(ctx, std.err), state.close())
}

// siteFlags describe a server behind a reverse proxy.
type siteFlags struct {
	PublicURL    siteURL   `name:"public-url" placeholder:"URL" help:"URL at which users and clients reach the server behind a TLS proxy, such as https://verify.example.com."`
	TrustedProxy []network `placeholder:"CIDR" help:"Network of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted; repeatable."`
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

// prefixes converts networks.
func prefixes(networks []network) []netip.Prefix {
	var all []netip.Prefix
	for _, n := range networks {
		all = append(all, netip.Prefix(n))
	}
	return all
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

func (f listenFlag) listen() (net.Listener, error) { return listenOn("--listen", string(f.Listen)) }

// listenOn listens at the address of a flag. The error names the flag.
func listenOn(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		const format = "%s %s: address already in use: stop the other program, or use another port"
		return nil, fmt.Errorf(format, flag, address)
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	return listener, nil
}

// printGreeting prints the URL of the server, and a request to try. It shows
// a key that was generated for this run, but not one that the user set.
func printGreeting(w io.Writer, url string, key apiKey, example string) {
	fmt.Fprintf(w, "rcpt listens on %s\n", url)
	header := "$" + apiKeyVariable
	switch {
	case key.generated:
		header = key.secret
		const format = "The key for this run is %s (set %s to choose one, or create keys with rcpt keys create).\n"
		fmt.Fprintf(w, format, key.secret, apiKeyVariable)
	case key.secret == "":
		header = "YOUR-KEY"
	}
	fmt.Fprintf(w, "Try: curl -H \"X-API-Key: %s\" '%s/api/v1/verify?email=%s&details=1'\n", header, url, example)
}

// reachable returns addr as a client on this machine can use it.
func reachable(addr net.Addr) string {
	listening, err := netip.ParseAddrPort(addr.String())
	if err == nil && listening.Addr().IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(int(listening.Port())))
	}
	return addr.String()
}

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
