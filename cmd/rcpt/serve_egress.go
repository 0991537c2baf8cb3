package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// directName names the egress of a configuration without any.
const directName = "direct"

// egressReload reads the egresses and routes of the configuration file again,
// on SIGHUP.
type egressReload struct {
	asked chan os.Signal
	path  string // of the file
	flags egressFlags
	// Those of the command line or the environment stay.
	keepEgress, keepRoutes bool
}

// watchEgresses begins to listen for the signal. There is nothing to reload
// without a file.
func (f egressFlags) watchEgresses(path string) *egressReload {
	if path == "" {
		return nil
	}
	r := &egressReload{asked: make(chan os.Signal, 1), path: path, flags: f}
	if file, err := loadConfig(path); err == nil {
		r.keepEgress = file.settings[egressSetting].value != string(f.Egress)
		r.keepRoutes = file.settings[routesSetting].value != string(f.Routes)
	}
	signal.Notify(r.asked, syscall.SIGHUP)
	return r
}

// read returns the egresses and routes as they are in the file now.
func (r *egressReload) read() (egress.Egresses, map[string][]string, error) {
	file, err := loadConfig(r.path)
	if err != nil {
		return nil, nil, err
	}
	flags := r.flags
	if !r.keepEgress {
		flags.Egress = yamlText(file.settings[egressSetting].value)
	}
	if !r.keepRoutes {
		flags.Routes = yamlText(file.settings[routesSetting].value)
	}
	all, err := flags.egresses()
	if err != nil {
		return nil, nil, err
	}
	routes, err := flags.routes()
	return all, routes, err
}

// reloadEgresses changes the egresses on SIGHUP, until ctx ends.
func (r *running) reloadEgresses(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			signal.Stop(r.egressReload.asked)
			return
		case <-r.egressReload.asked:
		}
		if r.state.store != nil {
			r.storePace(ctx) // of those that leave
		}
		all, routes, err := r.egressReload.read()
		if err == nil {
			err = r.verifier.SetEgresses(all, routes)
		}
		if err != nil {
			r.logger.Error("the egresses cannot be changed; those from before stay in use", "error", err)
			continue
		}
		var names []string
		for _, e := range r.verifier.Egresses() {
			if !e.Leaving {
				names = append(names, nameOfEgress(e))
			}
		}
		r.logger.Info("egresses read again", slog.String("egresses", strings.Join(names, " ")))
	}
}

func nameOfEgress(e smtpprobe.Egress) string {
	if e.Name == "" {
		return directName
	}
	return e.Name
}

// egressRows are the egresses for the Health page.
func egressRows(all []smtpprobe.Egress) []dashboard.Egress {
	var rows []dashboard.Egress
	for _, e := range all {
		row := dashboard.Egress{
			Name: nameOfEgress(e), HELO: e.HELO, Sessions: e.Sessions, Leaving: e.Leaving, LastReply: e.LastReply,
			Fault: e.Fault,
		}
		if e.Leaving {
			row.Fault = "" // of no concern any more
		}
		for _, said := range e.Said {
			code := strings.TrimSpace(fmt.Sprintf("%d %s", said.Code, said.Enhanced))
			row.Said = append(row.Said, dashboard.Said{
				Provider: said.Provider, Reply: code, At: said.At,
				Meaning: strings.ReplaceAll(string(said.Class), "_", " "),
			})
		}
		rows = append(rows, row)
	}
	return rows
}
