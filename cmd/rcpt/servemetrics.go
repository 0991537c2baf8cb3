package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/server"
	"github.com/rcpt/rcpt/server/metrics"
)

// metricsFlag is where the figures for Prometheus are shown.
type metricsFlag struct {
	MetricsListen listenAddress `placeholder:"ADDR" help:"Address to show metrics at, under /metrics, without a key. Default: nowhere."`
}

// figures are those of a service.
type figures struct {
	metrics *metrics.Metrics
	engine  *engine.Verifier // set when it is there
	front   *server.Server   // as well
}

// figures makes the metrics of a service.
func (s *service) figures() (*figures, error) {
	f := new(figures)
	config := metrics.Config{
		Version: version(), Routes: server.Routes(), Log: s.engine.Logger,
		Engine:    func() engine.Stats { return f.engine.Stats() },
		Admission: func() metrics.Admission { return metrics.Admission(f.front.Load()) },
		Keys:      s.state.keyFigures,
	}
	if s.state.store != nil {
		config.Store = func() metrics.Store { return metrics.Store(s.state.store.Stats()) }
	}
	var err error
	f.metrics, err = metrics.New(config)
	return f, err
}

// hooks are told what the server does.
func (f *figures) hooks() server.Hooks {
	return server.Hooks{Answered: f.metrics.Request, Verified: f.metrics.Verified, Refused: f.metrics.Refused}
}

func (s *serviceState) keyFigures() metrics.Keys {
	now := time.Now()
	usable := 0
	for _, key := range s.keys.List() {
		if key.Usable(now) {
			usable++
		}
	}
	return metrics.Keys{Usable: usable, Age: s.keys.Stale()}
}

// start shows the metrics until stop is called; nothing where no address is given.
func (f metricsFlag) start(out io.Writer, handler http.Handler) (stop func(), err error) {
	if f.MetricsListen == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", string(f.MetricsListen))
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", handler)
	site := &http.Server{Handler: mux, ReadHeaderTimeout: metricsPatience, WriteTimeout: metricsPatience, MaxHeaderBytes: metricsHeader}
	ended := make(chan error, 1)
	go func() { ended <- site.Serve(listener) }()
	fmt.Fprintf(out, "Metrics are at http://%s/metrics\n", reachable(listener.Addr()))
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := site.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
			_ = site.Close()
		}
		<-ended
	}, nil
}

const (
	metricsPatience = 10 * time.Second
	metricsHeader   = 16 << 10
)
