package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// configCommand is "rcpt config".
type configCommand struct {
	Check configCheckCommand `cmd:"" help:"Check a configuration file, and the lists and rules that it names."`
	Show  configShowCommand  `cmd:"" help:"Print the settings of a command, and where each comes from."`
}

// configCheckCommand is "rcpt config check".
type configCheckCommand struct {
	File string `arg:"" help:"The configuration file."`
}

// Run prints every error in the file.
func (c *configCheckCommand) Run(std terminal, model *kong.Kong) error {
	data, err := wholefile.Read(c.File)
	if err != nil {
		return usage(fmt.Errorf("%s: %w", c.File, err))
	}
	file, errs := readConfig(c.File, data)
	if len(errs) == 0 {
		errs = file.faults(model.Model)
	}
	if len(errs) == 0 {
		_, err := fmt.Fprintf(std.out, "%s is valid: %d settings\n", tty.Printable(c.File), len(file.settings))
		return err
	}
	for _, err := range errs {
		text := tty.Printable(lineBreaks.Replace(fmt.Sprintf("%s: %v", c.File, err)))
		if _, err := io.WriteString(std.err, text+"\n"); err != nil {
			return err
		}
	}
	return usage(fmt.Errorf("%s is not valid", c.File))
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
	ways := egressFlags{
		Egress: yamlText(file.settings[egressSetting].value), Routes: yamlText(file.settings[routesSetting].value),
	}
	return map[string]func([]string) error{
		"proxy": func(values []string) error {
			var flags egressFlags
			for _, value := range values {
				flags.Proxy = append(flags.Proxy, proxyURL(value))
			}
			_, err := flags.proxies()
			return err
		},
		"alert-url": func(values []string) error {
			var flags alertFlags
			for _, value := range values {
				flags.AlertURL = append(flags.AlertURL, alertURL(value))
			}
			_, err := flags.senders()
			return err
		},
		egressSetting: func([]string) error {
			_, err := ways.entries()
			return err
		},
		routesSetting: func([]string) error {
			if _, err := ways.entries(); err != nil {
				return nil // which is said already
			}
			others := file.others()
			others.Egress, others.Routes = ways.Egress, ways.Routes
			_, err := others.routes()
			return err
		},
		"rules": func(values []string) error {
			_, err := rulesFlag{Rules: values}.classifier()
			return err
		},
		"list": func(values []string) error {
			var flags listFlags
			for _, value := range values {
				var file listFile
				if err := file.UnmarshalText([]byte(value)); err != nil {
					return err
				}
				flags.List = append(flags.List, file)
			}
			_, err := flags.open(slog.New(slog.DiscardHandler))
			return err
		},
		"check-domain": func(values []string) error { return enoughCheckDomains(len(values)) },
		"database": func(values []string) error {
			return isPostgres("the value", values[0])
		},
	}
}

// others are the egresses of the settings proxy and source-ip, as far as they
// are valid.
func (c configFile) others() (flags egressFlags) {
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
		return usage(fmt.Errorf("--check-domain: name at least %d domains, of different companies", leastCheckDomains))
	}
	return nil
}
