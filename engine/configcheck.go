package engine

import (
	"fmt"
	"log/slog"

	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/lists"
)

// invalid is the error about a field of [Config].
func invalid(field string, err error) error { return fmt.Errorf("engine: Config.%s: %w", field, err) }

func invalidf(field, format string, values ...any) error {
	return invalid(field, fmt.Errorf(format, values...))
}

func (l Level) valid() error {
	switch l {
	case LevelSyntax, LevelDNS, LevelSMTP:
		return nil
	}
	return invalidf("Level", "%q is unknown: use syntax, dns or smtp", string(l))
}

func (c Config) withDefaults() (Config, error) {
	if c.Level == "" {
		c.Level = LevelSMTP
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if err := c.check(); err != nil {
		return c, err
	}
	var err error
	if c.RHSBLs, err = rhsbl.Zones(c.RHSBLs); err != nil {
		return c, invalid("RHSBLs", err)
	}
	if c.CheckDomains, err = checkDomains(c.CheckDomains); err != nil {
		return c, invalid("CheckDomains", err)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Lists == nil {
		c.Lists = lists.Default()
	}
	return c, nil
}

// check refuses what no verification could use as it is meant.
func (c Config) check() error {
	if err := c.Level.valid(); err != nil {
		return err
	}
	switch c.NetworkCheck {
	case NetworkCheckAuto, NetworkCheckOn, NetworkCheckOff, "":
	default:
		return invalidf("NetworkCheck", "%q is unknown: use auto, on or off", string(c.NetworkCheck))
	}
	if n := len(c.ControlSecret); n > 0 && n < leastControlSecret {
		return invalidf("ControlSecret", "%d octets can be guessed: use %d or more", n, leastControlSecret)
	}
	if c.Timeout < 0 {
		return invalidf("Timeout", "%v is negative", c.Timeout)
	}
	for field, n := range map[string]int{
		"MaxSessionsPerHost": c.MaxSessionsPerHost, "MaxSessions": c.MaxSessions,
		"MaxWaitingPerHost": c.MaxWaitingPerHost, "MaxRemembered": c.MaxRemembered,
	} {
		if n < 0 {
			return invalidf(field, "%d is negative", n)
		}
	}
	if err := c.Pace.Check(); err != nil {
		return invalid("Pace", err)
	}
	for i, network := range c.AllowNets {
		if !network.IsValid() { // it would contain no address
			return invalidf("AllowNets", "network %d is no network", i)
		}
	}
	for i, ip := range c.OwnAddrs {
		if !ip.IsValid() {
			return invalidf("OwnAddrs", "address %d is no address", i)
		}
	}
	return nil
}
