package api

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/rcpt/rcpt/internal/exchange"
)

func health(x *exchange.Exchange, _ *http.Request) {
	x.JSON(http.StatusOK, struct {
		Status string `json:"status"`
	}{"ok"})
}

// ready answers whether requests can be served, for load balancers.
func (s *Server) ready(x *exchange.Exchange, r *http.Request) {
	if s.config.Ready == nil {
		health(x, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if err := s.config.Ready(ctx); err != nil {
		x.Note(slog.String("error", err.Error()))
		x.Busy(exchange.NotReady, "Not ready.")
		return
	}
	health(x, r)
}
