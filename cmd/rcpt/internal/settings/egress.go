package settings

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/listdata/suggest"
	"github.com/rcpt/rcpt/internal/sys/yamlfile"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"go.yaml.in/yaml/v4"
)

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

// EgressFlags choose the egresses to mail hosts.
type EgressFlags struct {
	Proxy    []proxyURL `placeholder:"URL" help:"Connect to mail hosts through socks5://[USER:PASSWORD@]HOST:PORT; repeatable. The file of --config has more under egress and routes."`
	SourceIP []sourceIP `name:"source-ip" placeholder:"IP" help:"Connect to mail hosts from this address of this machine; repeatable."`
	Egress   yamlText   `hidden:"" section:"egress" placeholder:"YAML" help:"Egresses with names, EHLO names and weights of their own, as they stand under egress in the file of --config."`
	Routes   yamlText   `hidden:"" section:"routes" placeholder:"YAML" help:"Egresses for a provider, as they stand under routes in the file."`
}

// proxies parses the URLs. Its errors do not show them.
func (f EgressFlags) proxies() ([]*url.URL, error) {
	var proxies []*url.URL
	for i, text := range f.Proxy {
		proxy, err := url.Parse(string(text))
		if err == nil {
			_, err = egress.Proxy(proxy, nil)
		}
		if err != nil {
			return nil, Usage(fmt.Errorf("--proxy: value %d %w", i+1, errNoProxy))
		}
		proxies = append(proxies, proxy)
	}
	return proxies, nil
}

var errNoProxy = errors.New("is not socks5://HOST:PORT or socks5://USER:PASSWORD@HOST:PORT; " +
	"in the user name and password, write a comma as %2C, and other special characters in the same way; " +
	"the value is not shown because it may be secret")

// sourceIPs checks that this machine has the addresses.
func (f EgressFlags) sourceIPs() ([]netip.Addr, error) {
	var all []netip.Addr
	for _, ip := range f.SourceIP {
		if _, err := egress.SourceIP(netip.Addr(ip)); err != nil {
			const format = "--source-ip: this machine cannot connect from %s: name one of its own addresses"
			return nil, Usage(fmt.Errorf(format, netip.Addr(ip)))
		}
		all = append(all, netip.Addr(ip))
	}
	return all, nil
}

// Names of the sections of a file that list egresses and routes, and of the
// flags with the same contents.
const (
	egressSetting = "egress"
	routesSetting = "routes"
)

// yamlText is YAML as it was given. It is parsed after the flags, because
// errors about flags show the value, which may contain a password.
type yamlText string

// Decode implements [kong.MapperValue]: commas separate nothing.
func (y *yamlText) Decode(ctx *kong.DecodeContext) error {
	text, err := ctx.Scan.PopValue("YAML")
	if err != nil {
		return err
	}
	*y = yamlText(fmt.Sprint(text.Value))
	return nil
}

// addYAML makes a section of a file into the value of a flag.
func (c configFile) addYAML(key string, section *yaml.Node, line int) error {
	text, err := yamlfile.Flow(section)
	c.settings[key] = setting{text, line}
	return err
}

// egressEntry is an entry of the section egress.
type egressEntry struct {
	egress.Egress          // without a dialer
	proxy         *url.URL // nil: it is a source address
	source        netip.Addr
}

// entries parses the list of egresses, without a look at this machine. Errors
// show no proxy.
func (f EgressFlags) entries() ([]egressEntry, error) {
	if f.Egress == "" {
		return nil, nil
	}
	var raw []map[string]any
	if err := yamlfile.Load([]byte(f.Egress), &raw); err != nil {
		const text = "egress is not a list of egresses: write each as \"- name: NAME\" with source_ip or proxy below"
		return nil, errors.New(text)
	}
	var all []egressEntry
	for i, section := range raw {
		e, err := readEgress(fmt.Sprintf("%s[%d]", egressSetting, i+1), section)
		if err != nil {
			return nil, err
		}
		same := func(other egressEntry) bool { return other.Name == e.Name }
		if slices.ContainsFunc(all, same) {
			const format = "%s[%d]: the name %q is taken: egresses need different names"
			return nil, fmt.Errorf(format, egressSetting, i+1, e.Name)
		}
		all = append(all, e)
	}
	return all, nil
}

func readEgress(path string, section map[string]any) (e egressEntry, err error) {
	var name string
	err = readSection(path, section, map[string]setter{
		"name":      setText(&name),
		"source_ip": setSource(&e.source),
		"proxy":     setProxy(&e.proxy),
		"helo":      setHELO(&e.HELO),
		"mail_from": setMailFrom(&e.MailFrom),
		"weight":    setWeight(&e.Weight),
		"since":     setDay(&e.Since),
	})
	switch {
	case err != nil:
		return e, err
	case e.proxy != nil && e.source.IsValid(), e.proxy == nil && !e.source.IsValid():
		return e, fmt.Errorf("%s: write either source_ip or proxy", path)
	case name != "":
		e.Name = name
	case e.proxy != nil:
		e.Name = e.proxy.Scheme + "://" + e.proxy.Host
	default:
		e.Name = e.source.String()
	}
	return e, nil
}

func setText(target *string) setter {
	return func(path string, value any) error {
		text, ok := value.(string)
		if !ok || text == "" || len(text) > maxEgressName || strings.ContainsFunc(text, notInName) {
			return fmt.Errorf("%s: write a name of letters, digits and .:-_/, such as frankfurt-1", path)
		}
		*target = text
		return nil
	}
}

// maxEgressName is the longest name of an egress, which is a label of metrics.
const maxEgressName = 64

func notInName(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune(".:-_/", r)
}

func setSource(target *netip.Addr) setter {
	return func(path string, value any) error {
		ip, err := netip.ParseAddr(fmt.Sprint(value))
		if err != nil {
			const format = "%s: %v is not an IP address: write an address of this machine, such as 192.0.2.1"
			return fmt.Errorf(format, path, value)
		}
		*target = ip.Unmap()
		return nil
	}
}

func setProxy(target **url.URL) setter {
	return func(path string, value any) error {
		proxy, err := url.Parse(fmt.Sprint(value))
		if err == nil {
			_, err = egress.Proxy(proxy, nil)
		}
		if err != nil {
			return fmt.Errorf("%s: the value %w", path, errNoProxy)
		}
		*target = proxy
		return nil
	}
}

func setHELO(target *string) setter {
	return func(path string, value any) error {
		var name heloName
		if err := name.UnmarshalText([]byte(fmt.Sprint(value))); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		*target = string(name)
		return nil
	}
}

func setMailFrom(target *string) setter {
	return func(path string, value any) error {
		var sender ReversePath
		if err := sender.UnmarshalText([]byte(fmt.Sprint(value))); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if *target = string(sender); sender == "" {
			*target = "<>"
		}
		return nil
	}
}

// maxWeight bounds the weight of an egress.
const maxWeight = 1000

func setWeight(target *int) setter {
	return func(path string, value any) error {
		n, ok := number(value)
		if !ok || n != float64(int(n)) || n < 1 || n > maxWeight {
			return fmt.Errorf("%s: %v is no weight: write a whole number from 1 to %d", path, value, maxWeight)
		}
		*target = int(n)
		return nil
	}
}

func setDay(target *time.Time) setter {
	return func(path string, value any) (err error) {
		if day, ok := value.(time.Time); ok {
			*target = day
			return nil
		}
		if *target, err = time.Parse(time.DateOnly, fmt.Sprint(value)); err != nil {
			return fmt.Errorf("%s: %v is no day: write one such as 2026-01-31", path, value)
		}
		return nil
	}
}

// egresses makes the egresses of the list. This machine must have their source
// addresses.
func (f EgressFlags) egresses() (egress.Egresses, error) {
	entries, err := f.entries()
	if err != nil {
		return nil, Usage(err)
	}
	var all egress.Egresses
	for i, entry := range entries {
		var e egress.Egress
		if entry.proxy != nil {
			e, err = egress.Proxy(entry.proxy, nil)
		} else if e, err = egress.SourceIP(entry.source); err != nil {
			const format = "%s[%d].source_ip: this machine cannot connect from %s: name one of its own addresses"
			err = fmt.Errorf(format, egressSetting, i+1, entry.source)
		}
		if err != nil {
			return nil, Usage(err)
		}
		e.Name, e.HELO, e.MailFrom = entry.Name, entry.HELO, entry.MailFrom
		e.Weight, e.Since = entry.Weight, entry.Since
		all = append(all, e)
	}
	return all, nil
}

// names are those of all egresses: of the list and of the other flags.
func (f EgressFlags) names() ([]string, error) {
	var names []string
	proxies, err := f.proxies()
	if err != nil {
		return nil, err
	}
	for _, proxy := range proxies {
		names = append(names, proxy.Scheme+"://"+proxy.Host)
	}
	for _, ip := range f.SourceIP {
		names = append(names, netip.Addr(ip).Unmap().String())
	}
	entries, err := f.entries()
	for _, e := range entries {
		if slices.Contains(names, e.Name) {
			const format = "%s: the name %q is that of --proxy or --source-ip: choose another"
			return nil, fmt.Errorf(format, egressSetting, e.Name)
		}
		names = append(names, e.Name)
	}
	return names, err
}

// routes parses the routes. They are checked against the egresses.
func (f EgressFlags) routes() (map[string][]string, error) {
	names, err := f.names()
	if err != nil || f.Routes == "" {
		return nil, err
	}
	var raw map[string]any
	if err := yamlfile.Load([]byte(f.Routes), &raw); err != nil {
		return nil, fmt.Errorf("%s: write PROVIDER: [NAME, NAME] lines below it", routesSetting)
	}
	routes := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if err := checkRouted(name); err != nil {
			return nil, err
		}
		list, ok := raw[name].([]any)
		if !ok {
			list = []any{raw[name]}
		}
		for _, item := range list {
			to := fmt.Sprint(item)
			if !slices.Contains(names, to) {
				return nil, fmt.Errorf("%s.%s: there is no egress %q%s", routesSetting, name, to, didYouMean(to, names))
			}
			routes[name] = append(routes[name], to)
		}
		if len(routes[name]) == 0 {
			return nil, fmt.Errorf("%s.%s: name at least one egress", routesSetting, name)
		}
	}
	return routes, nil
}

func didYouMean(word string, known []string) string {
	if near := suggest.Nearest(word, known); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

// checkRouted fails for what is not the name under which a provider is asked.
func checkRouted(name string) error {
	if name == smtpprobe.DefaultRoute {
		return nil
	}
	table, err := ProviderTable(name)
	switch {
	case err != nil:
		names := append(provider.PacingNames(), smtpprobe.DefaultRoute)
		const format = "%s: %q is not a provider%s (rcpt explain pace lists them; %s is for all others)"
		return fmt.Errorf(format, routesSetting, name, didYouMean(name, names), smtpprobe.DefaultRoute)
	case table.Provider != name:
		return fmt.Errorf("%s: the provider of %s is called %q: use that name", routesSetting, name, table.Provider)
	}
	return nil
}

// addTo adds the egresses and routes to a configuration.
func (f EgressFlags) addTo(config *engine.Config) (err error) {
	if config.Egresses, err = f.egresses(); err != nil {
		return err
	}
	if config.Routes, err = f.routes(); err != nil {
		return Usage(err)
	}
	return nil
}

// maskedEgresses returns the list of egresses without passwords.
func maskedEgresses(text string) string {
	list, err := yamlfile.Parse([]byte(text))
	if err != nil || list == nil {
		return hidden
	}
	for _, entry := range list.Content {
		for _, value := range entry.Content {
			if strings.Contains(value.Value, "://") {
				value.Value = maskedURL(value.Value)
			}
		}
	}
	masked, err := yamlfile.Flow(list)
	if err != nil {
		return hidden
	}
	return masked
}

// Reader returns what reads the egresses and routes of a configuration file
// again. Those of the command line or the environment stay.
func (f EgressFlags) Reader(path string) func() (egress.Egresses, map[string][]string, error) {
	var keepEgress, keepRoutes bool
	if file, err := loadConfig(path); err == nil {
		keepEgress = file.settings[egressSetting].value != string(f.Egress)
		keepRoutes = file.settings[routesSetting].value != string(f.Routes)
	}
	return func() (egress.Egresses, map[string][]string, error) {
		file, err := loadConfig(path)
		if err != nil {
			return nil, nil, err
		}
		if !keepEgress {
			f.Egress = yamlText(file.settings[egressSetting].value)
		}
		if !keepRoutes {
			f.Routes = yamlText(file.settings[routesSetting].value)
		}
		all, err := f.egresses()
		if err != nil {
			return nil, nil, err
		}
		routes, err := f.routes()
		return all, routes, err
	}
}
