package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/demo"
	"github.com/rcpt/rcpt/internal/service"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// demoCommand is "rcpt demo".
type demoCommand struct {
	listenFlag
	Sample string `env:"-" placeholder:"FILE" help:"Write the list to try with rcpt bulk to this file and keep it. Default: sample.csv in a folder that is removed with the demo."`
}

// Run serves the simulated mail hosts until ctx is canceled.
func (c *demoCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	key, err := service.KeyFrom(os.Getenv(keyring.FixedVariable))
	if err != nil {
		return usage(err)
	}
	world, err := demo.New()
	if err != nil {
		return err
	}
	defer world.Close()
	folder, err := os.MkdirTemp("", "rcpt-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	sample, err := c.writeSample(folder)
	if err != nil {
		return err
	}
	listener, err := c.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	if err := writeCases(std.out, demo.Cases()); err != nil {
		return err
	}
	if sockets, err := demo.Listen(); err != nil {
		fmt.Fprintf(std.err, "Other programs cannot reach the mail hosts: %v\n", err)
	} else {
		defer sockets.Close()
		if err := writeAccess(std.out, folder, sample, sockets); err != nil {
			return err
		}
	}
	config := world.Config()
	config.Timeout = engine.DefaultTimeout
	config.Logger = logs.Logger(std.err, slog.LevelInfo)
	if err := demo.SeedUsage(ctx, folder, time.Now()); err != nil {
		return err
	}
	return service.Run(ctx, service.Config{
		Engine: config, Listener: listener, Out: std.err, Version: version(),
		Store: store.Options{DataDir: folder}, Key: key, KeyAlways: true, Remember: demoResults,
		WebhookNets: demoWebhookNets, Example: demo.Cases()[0].Address, Samples: demoSamples(demo.Cases()),
	})
}

// demoResults is how many results the demo caches.
const demoResults = 1000

// demoWebhookNets are where the demo sends webhooks: this machine.
var demoWebhookNets = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// demoSamples are the addresses that the dashboard offers to try.
func demoSamples(cases []demo.Case) []dashboard.Sample {
	var samples []dashboard.Sample
	for _, c := range cases {
		samples = append(samples, dashboard.Sample{Address: c.Address, About: c.About})
	}
	return samples
}

// writeSample writes the list to try, and returns its path. It does not replace
// a file.
func (c *demoCommand) writeSample(folder string) (path string, err error) {
	if c.Sample == "" {
		path = filepath.Join(folder, "sample.csv")
		return path, os.WriteFile(path, demo.Sample(), wholefile.ReadableByAll)
	}
	file, err := os.OpenFile(c.Sample, os.O_WRONLY|os.O_CREATE|os.O_EXCL, wholefile.ReadableByAll)
	if err != nil {
		return "", usage(fmt.Errorf("--sample %s: %w", c.Sample, wholefile.WithoutPath(err)))
	}
	_, err = file.Write(demo.Sample())
	return c.Sample, errors.Join(err, file.Close())
}

// writeAccess writes a file of settings with which other commands use the mail
// hosts, and prints how.
func writeAccess(w io.Writer, folder, sample string, sockets *demo.Sockets) error {
	flags := [][2]string{{"resolver", sockets.Resolver}, {"smtp-port", sockets.SMTPPort},
		{"allow-net", sockets.Network.String()}, {"helo", "demo.example"}}
	var settings, line strings.Builder
	for _, flag := range flags {
		fmt.Fprintf(&settings, "%s: %q\n", flag[0], flag[1])
		fmt.Fprintf(&line, " --%s %s", flag[0], flag[1])
	}
	settings.WriteString("list:\n")
	for kind, entries := range demo.Lists() {
		path := filepath.Join(folder, string(kind)+".txt")
		if err := os.WriteFile(path, []byte(entries), wholefile.ReadableByAll); err != nil {
			return err
		}
		fmt.Fprintf(&settings, "  - %q\n", string(kind)+"="+path)
	}
	config := filepath.Join(folder, "demo.yaml")
	if err := os.WriteFile(config, []byte(settings.String()), wholefile.ReadableByAll); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `From another terminal, while this runs:

  export RCPT_CONFIG=%[1]s
  %[2]s verify alice@acme.example
  %[2]s bulk %[3]s -o checked.csv --retry-window 2m

The same with flags:

  %[2]s verify alice@acme.example \
   %[4]s

`, config, asCalled(os.Args[0]), sample, line.String())
	return err
}

// asCalled is how to start this program from another terminal, in any folder:
// by its name where the shell found it in PATH, else by its path.
func asCalled(arg0 string) string {
	if !strings.ContainsRune(arg0, filepath.Separator) {
		return filepath.Base(arg0)
	}
	path, err := filepath.Abs(arg0)
	if err != nil || strings.ContainsAny(path, " '\"") {
		return arg0
	}
	return path
}

// writeCases prints the addresses to try.
func writeCases(w io.Writer, cases []demo.Case) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "Simulated mail hosts on this machine; nothing is sent anywhere. Addresses to try:")
	fmt.Fprintln(table)
	fmt.Fprintln(table, "ADDRESS\tRESULT\tREASON\tABOUT")
	for _, c := range cases {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Address, c.Verdict, c.Reason, c.About)
	}
	fmt.Fprintln(table)
	return table.Flush()
}
