package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
	"github.com/rcpt/rcpt/lists"
)

// maxHELO is the length of the longest domain name (RFC 1035 §2.3.4).
const maxHELO = 255

// The types below parse the values of flags. Their errors show the value and
// say what to write instead.
type (
	resolverAddress string
	heloName        string
	ReversePath     string
	port            uint16
	Count           int
	Duration        time.Duration
	Network         netip.Prefix
	rhsblZone       string
	noAskRules      []string // one, or those of a file
	listFile        listupdate.File
)

func (r *resolverAddress) UnmarshalText(text []byte) error {
	host, number := string(text), ""
	if _, err := netip.ParseAddr(host); err != nil && strings.Contains(host, ":") {
		if host, number, err = net.SplitHostPort(string(text)); err != nil {
			const format = "%q is not a DNS server: write HOST or HOST:PORT, " +
				"for an IPv6 address with a port [ADDRESS]:PORT"
			return fmt.Errorf(format, text)
		}
		if new(port).UnmarshalText([]byte(number)) != nil {
			return fmt.Errorf("%q is not a DNS server: the port must be a number from 1 to 65535", text)
		}
	}
	if host == "" || strings.ContainsAny(host, " \t\r\n/[]") {
		return fmt.Errorf("%q is not a DNS server: write HOST or HOST:PORT", text)
	}
	*r = resolverAddress(text)
	return nil
}

func (h *heloName) UnmarshalText(text []byte) error {
	if len(text) > maxHELO {
		return fmt.Errorf("the name is longer than %d octets: use this host's full name", maxHELO)
	}
	for _, c := range text {
		if c <= ' ' || c > '~' || strings.ContainsRune("<>@", rune(c)) {
			const format = "%q is not a host name: use this host's full name, or an address literal such as [192.0.2.1]"
			return fmt.Errorf(format, text)
		}
	}
	*h = heloName(text)
	return nil
}

func (p *ReversePath) UnmarshalText(text []byte) error {
	path := strings.TrimSuffix(strings.TrimPrefix(string(text), "<"), ">")
	if path == "" {
		*p = ""
		return nil
	}
	mailbox, err := address.Parse(path)
	if err != nil {
		return fmt.Errorf("%q is not an address: %v; leave it empty for the null reverse-path", text, err)
	}
	if mailbox.NeedsSMTPUTF8() {
		const format = "%q has a non-ASCII local-part, which many mail hosts cannot take: use an ASCII address"
		return fmt.Errorf(format, text)
	}
	*p = ReversePath(mailbox.Mailbox())
	return nil
}

func (p *port) UnmarshalText(text []byte) error {
	number, err := strconv.ParseUint(string(text), 10, 16)
	if err != nil || number == 0 {
		return fmt.Errorf("%q is not a port: use a number from 1 to 65535", text)
	}
	*p = port(number)
	return nil
}

func (c *Count) UnmarshalText(text []byte) error {
	number, err := strconv.Atoi(string(text))
	if err != nil || number < 1 {
		return fmt.Errorf("%q is not a count: use a whole number from 1", text)
	}
	*c = Count(number)
	return nil
}

func (d *Duration) UnmarshalText(text []byte) error {
	duration, err := time.ParseDuration(string(text))
	if err != nil || duration <= 0 {
		return fmt.Errorf("%q is not a duration: use a number and a unit, such as 30s or 1m30s", text)
	}
	*d = Duration(duration)
	return nil
}

func (n *Network) UnmarshalText(text []byte) error {
	if ip, err := netip.ParseAddr(string(text)); err == nil {
		return fmt.Errorf("%q is an address, not a network: write %s/%d for this address alone", text, ip, ip.BitLen())
	}
	prefix, err := netip.ParsePrefix(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a network: write ADDRESS/BITS, such as 10.0.0.0/8 or fd00::/8", text)
	}
	if prefix.Addr().Is4In6() {
		if prefix, err = unmapped(prefix); err != nil {
			return fmt.Errorf("%q %w", text, err)
		}
	}
	*n = Network(prefix.Masked())
	return nil
}

// unmapped returns the IPv4 network of a network of IPv4-mapped addresses (RFC
// 4291 §2.5.5.2). Addresses of mail hosts are never IPv4-mapped.
func unmapped(mapped netip.Prefix) (netip.Prefix, error) {
	bits := mapped.Bits() - (128 - 32)
	if bits < 0 {
		const format = "is not a network of mail hosts: write an IPv4 network as such, for example 127.0.0.0/8"
		return mapped, errors.New(format)
	}
	return netip.PrefixFrom(mapped.Addr().Unmap(), bits), nil
}

func (z *rhsblZone) UnmarshalText(text []byte) error {
	zone, err := address.Domain(string(text))
	if err != nil {
		return fmt.Errorf("%q is not the zone of a list: %w; write for example dbl.spamhaus.org", text, err)
	}
	*z = rhsblZone(zone)
	return nil
}

func (n *noAskRules) UnmarshalText(text []byte) error {
	path, isFile := strings.CutPrefix(string(text), "@")
	if !isFile {
		*n = noAskRules{string(text)}
		_, err := engine.ReadNoAsk(string(text))
		return err
	}
	data, err := wholefile.Read(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	*n = nil
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		rule, _, _ := strings.Cut(line, "#")
		if rule = strings.TrimSpace(rule); rule == "" {
			continue
		}
		if _, err := engine.ReadNoAsk(rule); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, number, err)
		}
		*n = append(*n, rule)
	}
	return nil
}

func (l *listFile) UnmarshalText(text []byte) error {
	kind, path, found := strings.Cut(string(text), "=")
	if !found || path == "" {
		return fmt.Errorf("%q is not KIND=FILE: write for example disposable=domains.txt", text)
	}
	switch lists.Kind(kind) {
	case lists.KindDisposable, lists.KindFree, lists.KindRole, lists.KindSpamTrap, lists.KindAllow:
		*l = listFile{Kind: lists.Kind(kind), Path: path}
		return nil
	case "":
		return errors.New("the kind is missing: write for example disposable=domains.txt")
	}
	return fmt.Errorf("%q is not a kind of list: use disposable, free, role, spamtrap or allow", kind)
}

// ErrNoValue is in the error about a flag without the value that it takes.
var ErrNoValue = errors.New("the value is missing")

// presentValue is a [kong.Mapper] that checks that there is a value before it
// is parsed.
type presentValue struct{ kong.Mapper }

// RequireValues makes a flag without its value an error that says what to
// write. An empty value of a repeatable flag is an error too: it would mean the
// default, and --resolver="$UNSET" would send queries to the system's server.
func RequireValues(node *kong.Node) {
	for _, flag := range FlagsOf(node) {
		if !flag.IsBool() {
			flag.Mapper = presentValue{flag.Mapper}
		}
	}
}

// Decode parses the value.
func (m presentValue) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	next, flag := ctx.Scan.Peek(), ctx.Value.Flag
	if !next.IsValue() {
		return fmt.Errorf("%w: write --%s=%s", ErrNoValue, flag.Name, flag.PlaceHolder)
	}
	if flag.IsSlice() && next.Value == "" {
		return fmt.Errorf("the value is empty: write --%s=%s, or leave it out", flag.Name, flag.PlaceHolder)
	}
	return m.Mapper.Decode(ctx, target)
}

// FlagsOf returns the flags of a command and those below it.
func FlagsOf(node *kong.Node) []*kong.Flag {
	flags := slices.Clone(node.Flags)
	for _, child := range node.Children {
		flags = append(flags, FlagsOf(child)...)
	}
	return flags
}

// Prefixes converts networks.
func Prefixes(networks []Network) []netip.Prefix {
	var all []netip.Prefix
	for _, n := range networks {
		all = append(all, netip.Prefix(n))
	}
	return all
}
