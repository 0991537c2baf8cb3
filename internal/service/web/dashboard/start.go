package dashboard

import (
	"context"

	"github.com/rcpt/rcpt/internal/service/store"
)

// startView is the first page: what a visitor may have come for, the latest
// lists, and how the server is.
type startView struct {
	Rows   []listRow
	Health healthView
}

// startLists is how many lists the first page shows.
const startLists = 5

func (d *Dashboard) showStart(v *visit) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), pingTimeout)
	defer cancel()
	view := startView{Health: d.healthView(ctx)}
	if d.config.Lists != nil {
		latest, err := d.config.Lists.Jobs(v.r.Context(), store.JobQuery{Limit: startLists})
		if err != nil {
			return err
		}
		for _, j := range latest {
			view.Rows = append(view.Rows, listRowOf(j))
		}
	}
	return d.render(v, "start", page{Title: "Start", Nav: home, Body: view})
}
