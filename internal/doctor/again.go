package doctor

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// checkEvery is how often a network that does not work is to be checked again,
// even if nobody asks for anything. The engine does not repeat a failed check
// within a minute.
const checkEvery = 5 * time.Second

// KeepChecking checks the network again as long as it does not work, until ctx
// ends.
func KeepChecking(ctx context.Context, v *engine.Verifier) {
	again := time.NewTicker(checkEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		if NetworkError(v.Network()) != nil {
			v.CheckNetwork(ctx)
		}
	}
}
