package settings

import (
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// setter reads the value of a key; path is where it stands.
type setter func(path string, value any) error

// readPace reads the section pace of a file, without its preset. Errors name
// the key.
func readPace(section map[string]any) (pace.Settings, error) {
	var s pace.Settings
	err := readSection(paceSetting, section, map[string]setter{
		"max_pause": setPause(&s.MaxPause),
		"unknown":   setLimits(&s.Unknown),
		"providers": setProviders(&s.Providers),
		"harvest": setSection(map[string]setter{
			"recipients": setCount(&s.Harvest.Recipients, 1),
			"share":      setShare(&s.Harvest.Share),
		}),
		"egress": setSection(map[string]setter{
			"sessions":  setCount(&s.Egress.Sessions, 1),
			"first_day": setCount(&s.Egress.FirstDay, 1),
		}),
	})
	return s, err
}

// readSection reads the keys of a mapping, each with its setter.
func readSection(path string, values map[string]any, setters map[string]setter) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		set, ok := setters[key]
		if !ok {
			const format = "%s.%s is not a setting: use %s"
			return fmt.Errorf(format, path, key, strings.Join(slices.Sorted(maps.Keys(setters)), ", "))
		}
		if values[key] == nil {
			return fmt.Errorf("%s.%s has no value: write one, or leave it out", path, key)
		}
		if err := set(path+"."+key, values[key]); err != nil {
			return err
		}
	}
	return nil
}

func setSection(setters map[string]setter) setter {
	return func(path string, value any) error {
		section, ok := value.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: %v is not a mapping: write NAME: VALUE lines below it", path, value)
		}
		return readSection(path, section, setters)
	}
}

// leastPerSession is the address that is verified and the random one beside it.
const leastPerSession = 2

func setLimits(l *pace.Limits) setter {
	return setSection(map[string]setter{
		"sessions":               setCount(&l.Sessions, 1),
		"sessions_per_minute":    setCount(&l.SessionsPerMinute, 1),
		"recipients_per_session": setCount(&l.RecipientsPerSession, leastPerSession),
		"recipients_per_minute":  setCount(&l.RecipientsPerMinute, 1),
		"recipients_per_day":     setCount(&l.RecipientsPerDay, 1),
		"refused_pause":          setPause(&l.RefusedPause),
		"deferred_pause":         setPause(&l.DeferredPause),
		"throttled_pause":        setPause(&l.ThrottledPause),
		"slow_for":               setPause(&l.SlowFor),
	})
}

// setProviders reads limits by the name of a provider.
func setProviders(all *map[string]pace.Limits) setter {
	return func(path string, value any) error {
		section, ok := value.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: %v is not a mapping: write the names of providers below it", path, value)
		}
		*all = make(map[string]pace.Limits, len(section))
		for _, name := range slices.Sorted(maps.Keys(section)) {
			below := path + "." + name
			if err := checkPacingName(name); err != nil {
				return fmt.Errorf("%s: %w", below, err)
			}
			var l pace.Limits
			if err := setLimits(&l)(below, section[name]); err != nil {
				return err
			}
			(*all)[name] = l
		}
		return nil
	}
}

// checkPacingName refuses a name under which no mail host is paced.
func checkPacingName(name string) error {
	if table, ok := provider.PacingOf(name); ok {
		return sameName(name, table.Provider)
	}
	if network, err := netip.ParsePrefix(name); err == nil {
		return sameName(name, provider.Pacing("", network.Addr()).Provider)
	}
	if table := provider.Pacing(name, netip.Addr{}); strings.Contains(name, ".") && !isAddress(name) {
		return sameName(name, table.Provider)
	}
	const format = "it is not a provider: use %s, a domain such as example.com or a network such as 192.0.2.0/24"
	return fmt.Errorf(format, strings.Join(provider.PacingNames(), ", "))
}

func isAddress(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}

func sameName(given, paced string) error {
	if given != paced {
		return fmt.Errorf("its mail hosts are paced as %s: write that", paced)
	}
	return nil
}

// maxCount is more than any limit that has a meaning.
const maxCount = 1_000_000_000

// setCount reads a whole number, or that there is no limit.
func setCount(target *int, least int) setter {
	return func(path string, value any) error {
		if value == "unlimited" {
			*target = pace.Unlimited
			return nil
		}
		n, ok := number(value)
		if !ok || n != math.Trunc(n) || n < float64(least) || n > maxCount {
			return fmt.Errorf("%s: %v is no limit: write a whole number from %d, or unlimited", path, value, least)
		}
		*target = int(n)
		return nil
	}
}

func setShare(target *float64) setter {
	return func(path string, value any) error {
		share, ok := number(value)
		if !ok || share <= 0 || share > 1 {
			return fmt.Errorf("%s: %v is no share: write a number above 0 and up to 1, such as 0.6", path, value)
		}
		*target = share
		return nil
	}
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// leastPause is the shortest pause; shorter ones would be none.
const leastPause = time.Second

func setPause(target *time.Duration) setter {
	return func(path string, value any) error {
		text, _ := value.(string)
		d, err := time.ParseDuration(text)
		if err != nil || d < leastPause {
			const format = "%s: %v is no pause: write a duration from %v, such as 15m or 2h"
			return fmt.Errorf(format, path, value, leastPause)
		}
		*target = d
		return nil
	}
}
