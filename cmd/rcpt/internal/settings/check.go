package settings

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"github.com/alecthomas/kong"
)

// Check returns how many settings a configuration file has, and everything that
// is wrong with them, as far as that can be told without a network.
func Check(path string, data []byte, app *kong.Application) (count int, faults []error) {
	file, errs := readConfig(path, data)
	if len(errs) == 0 {
		errs = file.faults(app)
	}
	return len(file.settings), errs
}

// faults returns what is wrong with the settings, in the order of their lines.
func (c configFile) faults(app *kong.Application) []error {
	type fault struct {
		line int
		err  error
	}
	var all []fault
	known, contents := settingsOf(app), contentChecks(c)
	for key, set := range c.settings {
		err := unknownSetting(key, known)
		if flag := known[key]; flag != nil {
			err = tryOut(flag, set.value)
			if check := contents[key]; check != nil && err == nil {
				err = check(kong.SplitEscaped(set.value, ','))
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", key, err)
			}
		}
		if err != nil {
			all = append(all, fault{set.line, fmt.Errorf("line %d: %w", set.line, err)})
		}
	}
	slices.SortFunc(all, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	var errs []error
	for _, fault := range all {
		errs = append(errs, fault.err)
	}
	return errs
}

// contentChecks returns checks of values that are well-formed, by the names of
// settings. Each is what a command does with the values when it starts, as far
// as that needs no network.
func contentChecks(file configFile) map[string]func(values []string) error {
	egresses := EgressFlags{
		Egress: yamlText(file.settings[egressSetting].value), Routes: yamlText(file.settings[routesSetting].value),
	}
	return map[string]func([]string) error{
		"proxy": func(values []string) error {
			var flags EgressFlags
			for _, value := range values {
				flags.Proxy = append(flags.Proxy, proxyURL(value))
			}
			_, err := flags.proxies()
			return err
		},
		"alert-url": func(values []string) error {
			var flags AlertFlags
			for _, value := range values {
				flags.AlertURL = append(flags.AlertURL, alertURL(value))
			}
			_, err := flags.Senders()
			return err
		},
		egressSetting: func([]string) error {
			_, err := egresses.entries()
			return err
		},
		routesSetting: func([]string) error {
			if _, err := egresses.entries(); err != nil {
				return nil // which is said already
			}
			others := file.others()
			others.Egress, others.Routes = egresses.Egress, egresses.Routes
			_, err := others.routes()
			return err
		},
		retentionSetting: func([]string) error {
			_, err := RetentionFlag{Retention: yamlText(file.settings[retentionSetting].value)}.Periods()
			return err
		},
		"rules": func(values []string) error {
			_, err := RulesFlag{Rules: values}.Classifier()
			return err
		},
		"list": func(values []string) error {
			var flags ListFlags
			for _, value := range values {
				var file listFile
				if err := file.UnmarshalText([]byte(value)); err != nil {
					return err
				}
				flags.List = append(flags.List, file)
			}
			_, err := flags.Open(slog.New(slog.DiscardHandler))
			return err
		},
		"check-domain": func(values []string) error { return enoughCheckDomains(len(values)) },
		"database": func(values []string) error {
			return IsPostgres("the value", values[0])
		},
	}
}

// others are the egresses of the settings proxy and source-ip, as far as they
// are valid.
func (c configFile) others() (flags EgressFlags) {
	for _, value := range kong.SplitEscaped(c.settings["proxy"].value, ',') {
		flags.Proxy = append(flags.Proxy, proxyURL(value))
	}
	if _, err := flags.proxies(); err != nil {
		flags.Proxy = nil
	}
	for _, value := range kong.SplitEscaped(c.settings["source-ip"].value, ',') {
		var ip sourceIP
		if ip.UnmarshalText([]byte(value)) == nil {
			flags.SourceIP = append(flags.SourceIP, ip)
		}
	}
	return flags
}

// enoughCheckDomains fails for too few values of --check-domain.
func enoughCheckDomains(n int) error {
	if n > 0 && n < leastCheckDomains {
		return Usage(fmt.Errorf("--check-domain: name at least %d domains, of different companies", leastCheckDomains))
	}
	return nil
}
