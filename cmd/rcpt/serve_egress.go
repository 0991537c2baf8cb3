package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/rcpt/rcpt/internal/service"
	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// egressReload reads the egresses and routes of the configuration file again,
// on SIGHUP.
type egressReload struct {
	path  string // of the file
	flags egressFlags
	// Those of the command line or the environment stay.
	keepEgress, keepRoutes bool
}

// watchEgresses begins to listen for the signal. There is nothing to reload
// without a file.
func (f egressFlags) watchEgresses(path string) *service.Egresses {
	if path == "" {
		return nil
	}
	r := egressReload{path: path, flags: f}
	if file, err := loadConfig(path); err == nil {
		r.keepEgress = file.settings[egressSetting].value != string(f.Egress)
		r.keepRoutes = file.settings[routesSetting].value != string(f.Routes)
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	return &service.Egresses{Changed: asked, Read: r.read}
}

// read returns the egresses and routes as they are in the file now.
func (r egressReload) read() (egress.Egresses, map[string][]string, error) {
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
