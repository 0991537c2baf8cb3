package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress/internal/socks5"
	"github.com/rcpt/rcpt/smtpprobe/internal/sites"
)

// Egress is a path to the mail hosts: a proxy or an address of this machine.
type Egress struct {
	Name   string // for findings and logs: "socks5://192.0.2.7:1080", "192.0.2.8"; never with a password
	Dialer Dialer
	Only4  bool // it reaches no IPv6 addresses
	Only6  bool // it reaches no IPv4 addresses

	HELO     string    // EHLO name; default: as for all egresses
	MailFrom string    // reverse-path, "<>" for the null reverse-path; default: as for all egresses
	Weight   int       // share of the mail hosts, in proportion to the others; default: 1
	Since    time.Time // when it was first used, for budgets that grow with age; default: not yet

	id string // what the choice goes by, where that is not the name
}

// ID identifies the egress, whatever its name: a proxy with its user, or an
// address. It has no password.
func (e Egress) ID() string {
	if e.id == "" {
		return e.Name
	}
	return e.id
}

// Reaches reports whether the egress reaches the family of an address.
func (e Egress) Reaches(addr netip.Addr) bool {
	if addr.Unmap().Is4() {
		return !e.Only6
	}
	return !e.Only4
}

// Dialer opens connections, as [net.Dialer] does.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Error is the error of a [Dialer] whose egress, a proxy or an address of this
// machine, could not be used. It says nothing about the mail host.
type Error struct {
	Egress string // its name
	Err    error
}

func (e *Error) Error() string { return e.Egress + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

// proxyScheme is that of the URLs of proxies.
const proxyScheme = "socks5"

// errProxyURL shows nothing of the URL: it may have a password anywhere.
var errProxyURL = errors.New("egress: a proxy is not socks5://[USER:PASSWORD@]HOST:PORT")

// Proxy returns the egress through a SOCKS5 proxy,
// socks5://[USER:PASSWORD@]HOST:PORT. The connection to the proxy is made by
// forward; nil means a net.Dialer. The proxy learns the addresses of mail
// hosts, never their names.
func Proxy(address *url.URL, forward Dialer) (Egress, error) {
	if address == nil {
		return Egress{}, errProxyURL
	}
	user := address.User.Username()
	password, secret := address.User.Password()
	switch {
	case address.Scheme != proxyScheme, address.Hostname() == "", !isPort(address.Port()):
		return Egress{}, errProxyURL
	case address.Path != "" && address.Path != "/", address.RawQuery != "", address.Fragment != "":
		return Egress{}, errProxyURL
	case secret && user == "":
		return Egress{}, errors.New("egress: a proxy has a password and no user name")
	}
	if forward == nil {
		forward = &net.Dialer{KeepAlive: -1}
	}
	name := proxyScheme + "://" + address.Host
	through := &socks5.Dialer{Proxy: address.Host, Username: user, Password: password, Forward: forward}
	return Egress{Name: name, Dialer: &proxyDialer{through, name}, id: name + " " + user}, nil
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// proxyDialer names the proxy in its errors.
type proxyDialer struct {
	*socks5.Dialer
	name string
}

func (d *proxyDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.Dialer.DialContext(ctx, network, address)
	var broken *socks5.Error
	if errors.As(err, &broken) {
		return nil, &Error{d.name, broken.Err}
	}
	return conn, err
}

// SourceIP returns the egress from an address of this machine. It returns an
// error if this machine does not have the address.
func SourceIP(ip netip.Addr) (Egress, error) {
	ip = ip.Unmap()
	if !ip.IsValid() || ip.IsUnspecified() || ip.IsMulticast() {
		return Egress{}, fmt.Errorf("egress: %v cannot be the source address of a connection", ip)
	}
	local := net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, 0))
	trial, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 0)))
	if err != nil {
		const text = "egress: %s cannot be the source address of a connection: is it one of this machine? (%w)"
		return Egress{}, fmt.Errorf(text, ip, reasonOf(err))
	}
	_ = trial.Close()
	dialer := &sourceDialer{net.Dialer{LocalAddr: local, KeepAlive: -1}, ip.String()}
	return Egress{Name: ip.String(), Dialer: dialer, Only4: ip.Is4(), Only6: ip.Is6(), id: ip.String()}, nil
}

// reasonOf is what the system said.
func reasonOf(err error) error {
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}

// sourceDialer distinguishes a source address that is no longer usable from a
// mail host that cannot be reached.
type sourceDialer struct {
	net.Dialer
	name string
}

func (d *sourceDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.Dialer.DialContext(ctx, network, address)
	var call *os.SyscallError
	if errors.As(err, &call) && call.Syscall == "bind" {
		return nil, &Error{d.name, call.Err}
	}
	return conn, err
}

// Egresses are several egresses, one of which is chosen for each mail host. As
// a [Dialer] they choose by the address that is dialled.
type Egresses []Egress

// All returns an egress for each proxy and each source address, and the named
// ones; none means the network as it is. Proxies are reached by the dialer, if
// there is one. Errors begin with the name of the parameter, as a field of
// engine.Config.
func All(proxies []*url.URL, sourceIPs []netip.Addr, named Egresses, dialer Dialer) (Egresses, error) {
	var all Egresses
	for _, address := range proxies {
		e, err := Proxy(address, dialer)
		if err != nil {
			return nil, fmt.Errorf("Proxies: %w", err)
		}
		all = append(all, e)
	}
	if len(sourceIPs) > 0 && dialer != nil {
		return nil, errors.New("SourceIPs: a Dialer chooses its own source address: leave out one of the two")
	}
	for _, ip := range sourceIPs {
		e, err := SourceIP(ip)
		if err != nil {
			return nil, fmt.Errorf("SourceIPs: %w", err)
		}
		all = append(all, e)
	}
	return append(all, named...), nil
}

// None is the index that [Egresses.Choose] returns for an address that no
// egress reaches.
const None = -1

// Choose returns the index of the egress for an address, or [None]. It uses
// weighted rendezvous hashing: an address always gets the same egress, whatever
// their order, and if one is added or removed, only its own addresses change.
// Hosts that greylist expect a sender to return from the same address, and the
// hosts of one site may share what they have seen, so neighbouring addresses
// get the same egress.
func (all Egresses) Choose(addr netip.Addr) int {
	best, bestScore := None, 0.0
	for i, e := range all {
		if !e.Reaches(addr) {
			continue
		}
		if len(all) == 1 {
			return i
		}
		if score := e.Score(addr); best == None || score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

// Site returns the network of a site: its mail hosts have the same egress.
func Site(addr netip.Addr) netip.Prefix { return sites.Of(addr) }

// Score returns how well the egress suits an address: the one with the highest
// score is chosen. Scores are positive, and an egress with the weight 2 has the
// highest one twice as often as one with the weight 1.
func (e Egress) Score(addr netip.Addr) float64 { return sites.Score(addr, e.ID(), e.Weight) }

// DialContext implements [Dialer].
func (all Egresses) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("egress: %q is not an IP address and port", address)
	}
	i := all.Choose(target.Addr())
	if i == None {
		return nil, ErrNone
	}
	return all[i].Dialer.DialContext(ctx, network, address)
}

// ErrNone is the error of dialling such an address.
var ErrNone = errors.New("no way out leads there: the source addresses are of the other family")
