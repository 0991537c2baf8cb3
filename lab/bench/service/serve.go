package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/process"
)

// Kind is what is served.
type Kind string

// The kinds.
const (
	Trivial Kind = "trivial" // a handler that verifies nothing
	Bare    Kind = "bare"    // the engine with a key, and nothing else
	Whole   Kind = "whole"   // what rcpt serve is
)

// Key is the API key of a [Bare] service.
const Key = "bench"

// Order is what [Control] reads first.
type Order struct {
	Kind    Kind
	Setting drive.Setting // of the verifier
	State   string        // of a [Whole] service: the folder that [Prepare] made
}

// Ready is what it says first.
type Ready struct{ Addr string }

// Used is what it says to each further value: the CPU time of the process so
// far.
type Used struct{ CPU time.Duration }

// Control serves for another process until the input ends. All that is read and
// said is JSON.
func Control(in io.Reader, out io.Writer) error { return process.Serve(in, out, start) }

// start starts what the order asks for.
func start(order Order) (process.Service, error) {
	serve, known := map[Kind]func(context.Context, net.Listener, Order) error{
		Trivial: serveTrivial, Bare: serveBare, Whole: serveWhole,
	}[order.Kind]
	if !known {
		return process.Service{}, fmt.Errorf("there is no service of kind %q", order.Kind)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return process.Service{}, err
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listener, order) }()
	return process.Service{
		Ready:  Ready{Addr: listener.Addr().String()},
		Answer: usage,
		End:    func() error { stop(); return <-served },
	}, nil
}

func usage() (any, error) {
	cpu, err := drive.CPU()
	return Used{CPU: cpu}, err
}

// engineFor configures an engine for the world of the setting.
func engineFor(s drive.Setting) engine.Config {
	return engine.Config{
		Resolvers: []string{s.DNS}, HELO: drive.HELO, SMTPPort: s.Spec.Port,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MaxSessionsPerHost: s.SessionsPerHost,
	}
}

// remembered is how many results rcpt serve remembers.
const remembered = 100_000

func serveBare(ctx context.Context, listener net.Listener, order Order) error {
	config := engineFor(order.Setting)
	config.MaxRemembered = remembered
	verifier, err := engine.New(config)
	if err != nil {
		return err
	}
	keys, err := keyring.Open(ctx, keyring.Config{Fixed: Key})
	if err != nil {
		return errors.Join(err, verifier.Close())
	}
	front, err := api.New(api.Config{Verifier: verifier, Keys: keys})
	if err != nil {
		return errors.Join(err, verifier.Close())
	}
	return errors.Join(front.Serve(ctx, listener), keys.Close(), verifier.Close())
}

// record is about as long as the record of a verification.
const record = `{"email":"box1@d1.test","user":"box1","domain":"d1.test",` +
	`"accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,"success":true,"result":"deliverable",` +
	`"message":"The mail host takes mail for this mailbox and refuses unknown ones."}` + "\n"

func serveTrivial(ctx context.Context, listener net.Listener, _ Order) error {
	answer := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, record)
	}
	trivial := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(answer)}
	defer context.AfterFunc(ctx, func() { trivial.Close() })()
	if err := trivial.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
