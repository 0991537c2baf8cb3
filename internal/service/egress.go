package service

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/smtpprobe"
)

// directName names the egress of a configuration without any.
const directName = "direct"

// reloadEgresses changes the egresses on SIGHUP, until ctx ends.
func (r *running) reloadEgresses(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.Egresses.Changed:
		}
		if r.state.store != nil {
			r.storePace(ctx) // of those that leave
		}
		all, routes, err := r.Egresses.Read()
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
