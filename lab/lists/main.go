package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	g := generator{report: os.Stdout, now: time.Now()}
	flag.StringVar(&g.dir, "from", ".", "folder with pins.json, hand, vendored and review")
	flag.StringVar(&g.data, "data", "../../lists/data", "folder of the embedded lists and of their licences")
	flag.BoolVar(&g.accept, "accept", false, "accept lists that grow or shrink by more than a tenth")
	flag.BoolVar(&g.freenom, "freenom", true,
		"keep disposable domains under .tk, .ml, .ga, .cf and .gq, most of which are gone")
	registry := flag.String("registry", "", "npm registry instead of the configured one")
	flag.Parse()
	g.from = npm{registry: *registry}
	if err := g.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "lists:", err)
		os.Exit(1)
	}
}
